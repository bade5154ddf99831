// Whether a value looks as an example says.
#pragma once

#include <string_view>

namespace dvm::driver {

// Both are read as words, numbers and signs, blanks and line breaks between them count for nothing.
// A number that ends in `…` stands for all numbers less than one unit of its last digit away:
// `0.8413…`. Any other `…` stands for the rest of the text.
bool matches(std::string_view expected, std::string_view actual);

}  // namespace dvm::driver
