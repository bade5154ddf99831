// Tags in names.
#include "backend/driver/explain/tags.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "passes/cost/traffic.hpp"

namespace dvm::driver {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

void add_tags(graph::Module& module) {
  std::size_t next = 0;
  for (graph::Function& function : module.functions)
    for (const graph::Node& node : function.nodes) {
      if (!passes::is_sweep(node.op) && node.regions.empty()) continue;
      for (graph::ValueId result : node.results) {
        graph::Value& value = function.values[result];
        value.name = fmt::format("{}#{}", value.name, next++);
      }
    }
}

std::optional<std::size_t> tag_of(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  std::size_t tag = 0;
  const auto [end, error] = std::from_chars(name.data() + mark + 1, name.data() + name.size(), tag);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return tag;
}

std::string without_tags(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at + 1;
    if (text[at] == '#')
      while (end < text.size() && is_digit(text[end])) ++end;
    if (end == at + 1)
      result += text[at];
    else
      at = end - 1;
  }
  return result;
}

}  // namespace dvm::driver
