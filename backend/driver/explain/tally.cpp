// Adds up passes/cost/traffic.
#include "backend/driver/explain/tally.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/driver/explain/tags.hpp"

namespace dvm::driver {

using namespace graph;

Tally::Tally(const Module& module, const SourceMap& sources, Names& names, const Tally* before,
             const Chains& chains)
    : module_(module), places_(module, sources), names_(names), before_(before), chains_(chains) {
  for (std::uint32_t k = 0; k < module.functions.size(); ++k) add_function(FunctionId{k});
}

void Tally::add_function(FunctionId id) {
  const Function& function = module_.functions[id];
  const passes::Traffic traffic = passes::traffic(function);
  unknown_.clear();
  named_.clear();
  used_.clear();
  read_.clear();
  for (const passes::UnknownCount& count : traffic.unknown) unknown_[count.symbol] = count.node;
  // A recursive function runs as often as it is called.
  const bool entry = id.index == 0;
  const std::string prefix = entry ? "" : function.name + ".";
  const Size calls = entry ? Size(1) : names_.size(fmt::format("calls({})", function.name));
  const auto amount = [&](const Size& size) { return named(function, prefix, size) * calls; };
  for (const passes::Sweep& sweep : traffic.sweeps) {
    add_sweep(function, sweep, amount);
    add_results(function, prefix, sweep);
  }
  for (const auto& [loc, count] : traffic.operations)
    for (Amounts* to : {&total_, &by_line_[places_.line_of(loc)]})
      to->operations = to->operations + amount(count);
}

void Tally::add_sweep(const Function& function, const passes::Sweep& sweep,
                      const std::function<Size(const Size&)>& amount) {
  const Node& node = function.nodes[sweep.node];
  const auto is_tile = [&](ValueId array) {
    const auto tag = tag_of(function.values[array].name);
    return tag && chains_.tiles.contains(*tag);
  };
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    const Value& value = function.values[node.results[k]];
    if (value.type.is_scalar() || sweep.stored[k] == Size()) continue;
    const bool in_cache = sweep.around.valid() || is_tile(node.results[k]);
    for (Amounts* to : {&total_, &by_line_[line_of(value, node)]}) {
      ++(in_cache ? to->rows : to->arrays);
      Size& bytes = in_cache ? to->row_bytes : to->stored;
      bytes = bytes + amount(sweep.stored[k]);
    }
  }
  if (sweep.around.valid()) return;
  // Members of a chain are one pass, that of the first one, and read each array once.
  const auto tag = tag_of(function.values[node.results[0]].name);
  const auto leader = tag ? chains_.leader.find(*tag) : chains_.leader.end();
  const bool leads = leader == chains_.leader.end();
  for (Amounts* to : {&total_, &by_line_[places_.line_of(node.loc)]})
    if (leads) to->passes = to->passes + amount(sweep.runs);
  for (const auto& [array, bytes] : sweep.read) {
    if (is_tile(array)) continue;
    if (tag && !read_.emplace(leads ? *tag : leader->second, array).second) continue;
    for (Amounts* to : {&total_, &by_line_[places_.line_of(node.loc)]})
      to->read = to->read + amount(bytes);
  }
}

Place Tally::line_of(const Value& value, const Node& node) const {
  const auto tag = tag_of(value.name);
  if (tag && before_ != nullptr)
    if (const auto found = before_->lines_.find(*tag); found != before_->lines_.end())
      return found->second;
  return places_.line_of(node.loc);
}

void Tally::add_results(const Function& function, const std::string& prefix,
                        const passes::Sweep& sweep) {
  const Node& node = function.nodes[sweep.node];
  for (ValueId result : node.results) {
    const Value& value = function.values[result];
    const auto tag = tag_of(value.name);
    if (tag) lines_.emplace(*tag, places_.line_of(node.loc));
    const bool is_number = value.type.is_scalar();
    // A number of interest is a pass of its own: no count of a filter.
    const bool counts = std::holds_alternative<Reduce>(node.op) && !sweep.around.valid();
    if (!tag || (is_number && !counts)) continue;
    Made made;
    made.tag = *tag;
    made.name = without_tags(value.name);
    made.type = type_text(function, prefix, value.type);
    made.operation = facts(node.op).mnemonic;
    made.loc = node.loc;
    made.is_row = sweep.around.valid();
    made.is_number = is_number;
    made_.push_back(std::move(made));
  }
}

std::string Tally::type_text(const Function& function, const std::string& prefix,
                             const Type& type) {
  std::string text(facts(type.element).name);
  if (type.is_scalar()) return text;
  for (std::size_t k = 0; k < type.shape.size(); ++k)
    text += (k == 0 ? "[" : ", ") + names_.text(named(function, prefix, type.shape[k]));
  return text + "]";
}

Size Tally::named(const Function& function, const std::string& prefix, const Size& size) {
  return size.substitute(
      [&](Size::Symbol symbol) { return names_.size(prefix + unique_name(function, symbol)); });
}

// A second symbol of a name gets a number, so that different sizes never look the same.
std::string Tally::unique_name(const Function& function, Size::Symbol symbol) {
  auto [found, is_new] = named_.emplace(symbol, "");
  if (is_new) {
    const std::string name = name_of(function, symbol);
    const std::size_t number = ++used_[name];
    found->second = number == 1 ? name : fmt::format("{}.{}", name, number);
  }
  return found->second;
}

// Params by their names, other scalars also by their line, since there may be more of a name.
std::string Tally::name_of(const Function& function, Size::Symbol symbol) const {
  std::string what;
  NodeId node;
  if (const auto found = unknown_.find(symbol); found != unknown_.end()) {
    node = found->second;
    const Op* op = node.valid() ? &function.nodes[node].op : nullptr;
    what = op == nullptr                        ? "length"
           : std::holds_alternative<While>(*op) ? "rounds"
           : std::holds_alternative<Loop>(*op)  ? "steps"
                                                : "length";
  } else {
    node = function.values[ValueId{symbol}].node;
    what = without_tags(function.values[ValueId{symbol}].name);
    const auto& params = function.params();
    if (std::find(params.begin(), params.end(), ValueId{symbol}) != params.end() && !what.empty())
      return what;
    const bool kept = node.valid() && std::holds_alternative<Filter>(function.nodes[node].op);
    if (what.empty()) what = kept ? "kept" : "size";
  }
  const Place place = node.valid() ? places_.line_of(function.nodes[node].loc) : Place();
  return place.valid() ? fmt::format("{}@{}", what, place.line) : what;
}

}  // namespace dvm::driver
