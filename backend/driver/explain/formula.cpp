// Sizes over a table of names.
#include "backend/driver/explain/formula.hpp"

#include <utility>

namespace dvm::driver {

namespace {

std::string with_commas(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace

Size Names::size(const std::string& name) {
  const auto [found, is_new] = symbols_.emplace(name, static_cast<Size::Symbol>(names_.size()));
  if (is_new) names_.push_back(name);
  return Size::symbol(found->second);
}

void Names::give(const std::string& name, std::int64_t value) {
  size(name);
  given_[name] = value;
}

Size Names::settled(const Size& size) const {
  return size.substitute([&](Size::Symbol symbol) {
    const auto found = given_.find(names_.at(symbol));
    return found == given_.end() ? Size::symbol(symbol) : Size(found->second);
  });
}

std::string Names::text(const Size& size) const {
  const Size known = settled(size);
  if (known.overflowed()) return "more than 64 bits hold";
  if (const auto number = known.constant()) return with_commas(*number);
  std::string text = known.to_text([&](Size::Symbol symbol) { return names_.at(symbol); });
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{" * ", "·"},
                                 std::pair<std::string_view, std::string_view>{" / ", "/"}})
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, from.size(), to);
  return text;
}

}  // namespace dvm::driver
