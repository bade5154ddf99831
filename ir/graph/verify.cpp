// Structure and scopes of modules. Types of operations: verify_scalar.cpp, verify_types.cpp,
// verify_control.cpp.
#include "ir/graph/verify.hpp"

#include <fmt/format.h>

#include <set>

#include "ir/graph/verify_function.hpp"
#include "ir/graph/walk.hpp"

namespace dvm::graph {
namespace {

// More would only bury the first.
constexpr std::size_t most_problems = 50;

void verify_tables(const Module& module, std::vector<std::string>& problems) {
  for (std::uint32_t i = 0; i < module.locs.size(); ++i) {
    const Loc& loc = module.locs[LocId{i}];
    // Callers come first, so that following them ends.
    if (loc.caller.valid() && loc.caller.index >= i) {
      problems.push_back(fmt::format("loc {}: its caller must have a smaller number", i));
    }
  }
  for (std::uint32_t i = 0; i < module.checks.size(); ++i) {
    const LocId loc = module.checks[CheckId{i}].loc;
    if (loc.valid() && !module.locs.contains(loc))
      problems.push_back(fmt::format("check {}: there is no loc {}", i, loc.index));
  }
  std::set<std::string_view> names;
  for (const Function& function : module.functions) {
    if (function.name.empty()) problems.push_back("a function has no name");
    if (!names.insert(function.name).second)
      problems.push_back("two functions are called `@" + function.name + "`");
  }
}

}  // namespace

std::vector<std::string> verify(const Module& module, bool elaborated) {
  std::vector<std::string> problems;
  verify_tables(module, problems);
  bool well_built = true;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    FunctionVerifier one(module, FunctionId{i}, elaborated, problems);
    well_built = one.structure() && well_built;
  }
  for (std::uint32_t i = 0; well_built && i < module.functions.size(); ++i) {
    FunctionVerifier(module, FunctionId{i}, elaborated, problems).meaning();
  }
  if (problems.size() > most_problems) problems.resize(most_problems);
  return problems;
}

FunctionVerifier::FunctionVerifier(const Module& module, FunctionId function, bool elaborated,
                                   std::vector<std::string>& problems)
    : module_(module),
      function_(module.functions[function]),
      elaborated_(elaborated),
      problems_(problems) {}

void FunctionVerifier::problem(std::string_view text) {
  if (problems_.size() > most_problems) return;
  std::string place = "@" + function_.name;
  if (current_ != nullptr && !current_->results.empty()) {
    const ValueId first = current_->results[0];
    place += names_ ? ": %" + (*names_)[first] : fmt::format(": value {}", first.index);
  }
  if (current_ != nullptr) {
    const auto* scalar = std::get_if<ScalarOp>(&current_->op);
    place += fmt::format(
        " = {}", scalar != nullptr ? facts(scalar->fn).mnemonic : facts(current_->op).mnemonic);
  }
  problems_.push_back(place + ": " + std::string(text));
}

bool FunctionVerifier::sizes_in_range(const Type& type) const {
  bool good = true;
  for_each_size_value(type,
                      [&](ValueId value) { good = good && function_.values.contains(value); });
  return good;
}

bool FunctionVerifier::sizes_in_range(const Op& op) const {
  bool good = true;
  for_each_size_value(op, [&](ValueId value) { good = good && function_.values.contains(value); });
  return good;
}

bool FunctionVerifier::structure() {
  if (!function_.regions.contains(function_.body)) {
    problem("the function has no body");
    return false;
  }
  region_seen_.assign(function_.regions.size(), false);
  node_seen_.assign(function_.nodes.size(), false);
  value_seen_.assign(function_.values.size(), false);
  std::vector<std::pair<RegionId, std::size_t>> open = {{function_.body, 1}};
  region_seen_[function_.body.index] = true;
  while (!open.empty()) {
    const auto [region, depth] = open.back();
    open.pop_back();
    if (depth > max_region_depth) {
      problem(fmt::format("regions are nested deeper than {}", max_region_depth));
      return false;
    }
    if (!structure_of(region, open, depth)) return false;
  }
  return true;
}

bool FunctionVerifier::structure_of(RegionId id,
                                    std::vector<std::pair<RegionId, std::size_t>>& open,
                                    std::size_t depth) {
  const Region& region = function_.regions[id];
  auto fail = [&](std::string_view text) {
    problem(text);
    return false;
  };
  auto define = [&](ValueId value, NodeId node) {
    if (!function_.values.contains(value) || value_seen_[value.index]) return false;
    value_seen_[value.index] = true;
    return function_.values[value].node == node && sizes_in_range(function_.values[value].type);
  };
  for (ValueId param : region.params) {
    if (!define(param, NodeId{}))
      return fail("a region parameter is out of range, defined twice, or has a bad type");
  }
  for (ValueId yield : region.yields) {
    if (!function_.values.contains(yield))
      return fail("a region yields a value that does not exist");
  }
  for (NodeId node_id : region.nodes) {
    current_ = nullptr;
    if (!function_.nodes.contains(node_id) || node_seen_[node_id.index]) {
      return fail("a node is out of range or in two places");
    }
    node_seen_[node_id.index] = true;
    const Node& node = function_.nodes[node_id];
    if (node.results.empty()) return fail("a node has no results");
    for (ValueId result : node.results) {
      if (!define(result, node_id))
        return fail("a result is out of range, defined twice, or has a bad type");
    }
    current_ = &node;
    for (ValueId operand : node.operands) {
      if (!function_.values.contains(operand)) return fail("an operand does not exist");
    }
    if (!sizes_in_range(node.op)) return fail("a size mentions a value that does not exist");
    for (RegionId inner : node.regions) {
      if (!function_.regions.contains(inner) || region_seen_[inner.index]) {
        return fail("a region is out of range or in two places");
      }
      region_seen_[inner.index] = true;
      open.push_back({inner, depth + 1});
    }
  }
  current_ = nullptr;
  return true;
}

void FunctionVerifier::meaning() {
  names_.emplace(function_);
  in_scope_.assign(function_.values.size(), false);
  const auto& params = function_.params();
  if (function_.size_params > params.size()) {
    problem("there are more size parameters than parameters");
  } else {
    for (std::size_t i = 0; i < function_.size_params; ++i) {
      if (!is_i64(params[i]))
        problem("size parameter " + text(params[i]) + " is not an i64 scalar");
    }
  }
  if (!function_.result_names.empty() &&
      function_.result_names.size() != function_.results().size()) {
    problem("there are not as many result names as results");
  }
  region(function_.body);
}

void FunctionVerifier::need_scope(ValueId value, std::string_view what) {
  if (in_scope_[value.index]) return;
  scope_broken_ = true;  // size forms, and so type rules, would follow wrong paths
  problem(fmt::format("{} {} is not in scope", what, text(value)));
}

void FunctionVerifier::need_size_scope(ValueId value, std::string_view what) {
  need_scope(value, what);
  if (!is_i64(value)) problem(fmt::format("{} {} is not an i64 scalar", what, text(value)));
}

void FunctionVerifier::define(ValueId value) {
  for_each_size_value(type(value), [&](ValueId size) { need_size_scope(size, "size"); });
  in_scope_[value.index] = true;
}

void FunctionVerifier::region(RegionId id) {
  const Region& region = function_.regions[id];
  for (ValueId param : region.params) define(param);
  for (NodeId one : region.nodes) node(one);
  for (ValueId yield : region.yields) need_scope(yield, "yielded value");
  for (ValueId param : region.params) in_scope_[param.index] = false;
  for (NodeId one : region.nodes) {
    for (ValueId result : function_.nodes[one].results) in_scope_[result.index] = false;
  }
}

void FunctionVerifier::node(NodeId id) {
  const Node& node = function_.nodes[id];
  const Node* enclosing = current_;
  current_ = &node;
  const std::size_t before = problems_.size();
  for (ValueId operand : node.operands) need_scope(operand, "operand");
  for_each_size_value(node.op, [&](ValueId size) { need_size_scope(size, "size"); });
  const bool own = problems_.size() == before;
  for (RegionId inner : node.regions) region(inner);
  current_ = &node;
  const std::size_t inside = problems_.size();
  for (ValueId result : node.results) define(result);
  check_id(node);
  if (node.loc.valid() && !module_.locs.contains(node.loc)) problem("its loc does not exist");
  if (own && problems_.size() == inside && !scope_broken_) {
    std::visit([&](const auto& op) { types(op, node); }, node.op);
  }
  current_ = enclosing;
}

bool FunctionVerifier::same(const Size& a, const Size& b) {
  return a == b || forms_.expand(function_, a) == forms_.expand(function_, b);
}

bool FunctionVerifier::same_shape(std::span<const Size> a, std::span<const Size> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

bool FunctionVerifier::same(const Type& a, const Type& b) {
  return a.element == b.element && same_shape(a.shape, b.shape);
}

Type FunctionVerifier::renamed(const Type& type, std::span<const ValueId> from,
                               std::span<const ValueId> to) {
  Type result{type.element, {}};
  for (const Size& size : type.shape) {
    result.shape.push_back(size.substitute([&](Size::Symbol symbol) {
      for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
        if (from[i].index == symbol) return forms_.of(function_, to[i]);
      }
      return forms_.of(function_, ValueId{symbol});
    }));
  }
  return result;
}

}  // namespace dvm::graph
