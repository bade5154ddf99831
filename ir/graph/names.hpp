// The names that values and functions have in text: unique and deterministic.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

// Hints become names in the order of the text; a hint that is taken becomes `base.1`, `base.2`, …;
// values without hint are `0`, `1`, …. Unreachable values have no name.
class ValueNames {
 public:
  explicit ValueNames(const Function& function);

  const std::string& operator[](ValueId value) const { return names_[value.index]; }
  // As a symbol of a size: without `%` where the name is an identifier.
  std::string in_size(Size::Symbol symbol) const;
  std::string text(const Size& size) const;
  std::string text(const Type& type) const;

 private:
  std::vector<std::string> names_;
};

// By FunctionId; what is not a plain name is made one.
std::vector<std::string> function_names(const Module& module);

// Letters, digits, `_`, `'` and `.`, starting with a letter or `_`.
bool is_identifier(std::string_view text);
bool is_name_character(char c);

}  // namespace dvm::graph
