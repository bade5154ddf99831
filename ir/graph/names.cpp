// Unique names for text.
#include "ir/graph/names.hpp"

#include <algorithm>
#include <unordered_set>

namespace dvm::graph {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

// A hint as a name; empty for hints that only number the value.
std::string plain(std::string_view hint) {
  if (all_digits(hint)) return "";
  std::string result(hint);
  for (char& c : result) {
    if (!is_name_character(c)) c = '_';
  }
  if (!is_letter(result[0])) result.insert(0, "_");
  return result;
}

// `x.3` without `.3`, so that renaming again does not pile up numbers.
std::string_view base_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const bool numbered = dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() &&
                        all_digits(name.substr(dot + 1));
  return numbered ? name.substr(0, dot) : name;
}

class Names {
 public:
  std::string fresh(std::string_view hint) {
    std::string name = plain(hint);
    if (name.empty()) return std::to_string(unnamed_++);
    if (used_.insert(name).second) return name;
    const std::string base(base_of(name));
    std::size_t& next = next_[base];
    do {
      name = base + "." + std::to_string(++next);
    } while (!used_.insert(name).second);
    return name;
  }

 private:
  std::unordered_set<std::string> used_;  // only asked, never walked
  std::unordered_map<std::string, std::size_t> next_;
  std::size_t unnamed_ = 0;
};

}  // namespace

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '\'' || c == '.'; }

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), is_name_character);
}

ValueNames::ValueNames(const Function& function) : names_(function.values.size()) {
  Names names;
  auto name = [&](ValueId value) {
    if (names_[value.index].empty()) names_[value.index] = names.fresh(function.values[value].name);
  };
  // The order of the text: results of a node, then the params and nodes of its regions. An explicit
  // stack, since regions may nest deeply.
  struct Place {
    RegionId region;
    std::size_t node = 0;
  };
  std::vector<Place> open;
  auto enter = [&](RegionId region) {
    for (ValueId param : function.regions[region].params) name(param);
    open.push_back({region, 0});
  };
  struct Pending {
    NodeId node;
    std::size_t next = 0;
  };
  std::vector<Pending>
      pending;  // nodes whose regions are being named, one per open region but the first
  if (!function.body.valid()) return;
  enter(function.body);
  while (!open.empty()) {
    Place& place = open.back();
    const Region& region = function.regions[place.region];
    if (place.node < region.nodes.size()) {
      const NodeId id = region.nodes[place.node++];
      const Node& node = function.nodes[id];
      for (ValueId result : node.results) name(result);
      if (!node.regions.empty()) {
        pending.push_back({id, 1});
        enter(node.regions[0]);
      }
      continue;
    }
    open.pop_back();
    if (pending.empty()) continue;
    const Node& owner = function.nodes[pending.back().node];
    if (pending.back().next < owner.regions.size()) {
      enter(owner.regions[pending.back().next++]);
    } else {
      pending.pop_back();
    }
  }
}

std::string ValueNames::in_size(Size::Symbol symbol) const {
  if (symbol >= names_.size()) return "%?";
  const std::string& name = names_[symbol];
  return is_identifier(name) ? name : "%" + name;
}

std::string ValueNames::text(const Size& size) const {
  return size.to_text([this](Size::Symbol symbol) { return in_size(symbol); });
}

std::string ValueNames::text(const Type& type) const {
  std::string result(facts(type.element).name);
  if (type.shape.empty()) return result;
  result += '[';
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (i > 0) result += ", ";
    result += text(type.shape[i]);
  }
  return result + ']';
}

std::vector<std::string> function_names(const Module& module) {
  Names names;
  std::vector<std::string> result;
  for (const Function& function : module.functions) {
    std::string hint = function.name;
    if (all_digits(hint)) hint.insert(0, "f");
    result.push_back(names.fresh(hint));
  }
  return result;
}

}  // namespace dvm::graph
