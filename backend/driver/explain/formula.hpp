// Amounts as formulas over named sizes: `8·n·m`, or numbers where the sizes are given.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/type/size.hpp"

namespace dvm::driver {

// One table of names for all functions and graphs of an explanation, so that formulas of different
// graphs compare and add.
class Names {
 public:
  Size size(const std::string& name);
  bool has(const std::string& name) const { return symbols_.contains(name); }
  const std::vector<std::string>& all() const { return names_; }

  // From now on this name stands for a number.
  void give(const std::string& name, std::int64_t value);
  const std::map<std::string, std::int64_t>& given() const { return given_; }

  Size settled(const Size& size) const;  // given names replaced
  // `8·n·m + 16`, `1,000,000`; given names replaced.
  std::string text(const Size& size) const;

 private:
  std::map<std::string, Size::Symbol> symbols_;
  std::vector<std::string> names_;
  std::map<std::string, std::int64_t> given_;
};

}  // namespace dvm::driver
