// Names that people bring along from Haskell and NumPy, and what dvm calls the same thing.
#pragma once

#include <string_view>

namespace dvm::check {

struct OtherName {
  std::string_view name;
  std::string_view replacement;  // may stand in its place as it is; else empty
  std::string_view advice;       // a sentence without final period; may be empty
};

// Null when the name says nothing to us. `type`: looked up where a type or class stands.
const OtherName* other_name(std::string_view name, bool type);

}  // namespace dvm::check
