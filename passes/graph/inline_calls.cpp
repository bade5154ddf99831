// Inlining from the entry down. See Note [How far inlining goes].
#include "passes/graph/inline_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ir/graph/affine.hpp"
#include "ir/graph/demand.hpp"
#include "ir/graph/walk.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/analysis/slots.hpp"
#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Nodes that inlining may add to the whole module: so many, and so many for each that is there.
constexpr std::size_t least_growth = 200'000;
constexpr std::size_t growth = 16;
// Calls inside each other: pasting recurses.
constexpr std::size_t max_level = 1000;

// Functions on a cycle of calls.
class CallGraph {
 public:
  explicit CallGraph(const Module& module)
      : callees_(module.functions.size()), recursive_(module.functions.size(), false) {
    for (std::uint32_t k = 0; k < module.functions.size(); ++k)
      for (const Node& node : module.functions[FunctionId{k}].nodes)
        if (const auto* call = std::get_if<Call>(&node.op))
          callees_[k].push_back(call->callee.index);
    find_components();
  }
  bool is_recursive(FunctionId id) const { return recursive_[id.index]; }

 private:
  // Tarjan's strongly connected components, with an explicit stack.
  void find_components() {
    const std::size_t count = callees_.size();
    std::vector<std::uint32_t> number(count, 0), low(count, 0), stack;
    std::vector<bool> on_stack(count, false);
    std::uint32_t next = 1;
    struct Frame {
      std::uint32_t function;
      std::size_t edge;
    };
    for (std::uint32_t root = 0; root < count; ++root) {
      if (number[root] != 0) continue;
      std::vector<Frame> frames{{root, 0}};
      while (!frames.empty()) {
        Frame& frame = frames.back();
        const std::uint32_t f = frame.function;
        if (frame.edge == 0) {
          number[f] = low[f] = next++;
          stack.push_back(f);
          on_stack[f] = true;
        }
        if (frame.edge < callees_[f].size()) {
          const std::uint32_t callee = callees_[f][frame.edge++];
          if (number[callee] == 0)
            frames.push_back({callee, 0});
          else if (on_stack[callee])
            low[f] = std::min(low[f], number[callee]);
          if (callee == f) recursive_[f] = true;
          continue;
        }
        frames.pop_back();
        if (!frames.empty())
          low[frames.back().function] = std::min(low[frames.back().function], low[f]);
        if (low[f] == number[f]) close_component(f, stack, on_stack);
      }
    }
  }
  void close_component(std::uint32_t root, std::vector<std::uint32_t>& stack,
                       std::vector<bool>& on_stack) {
    const bool alone = stack.back() == root;
    while (true) {
      const std::uint32_t member = stack.back();
      stack.pop_back();
      on_stack[member] = false;
      if (!alone) recursive_[member] = true;
      if (member == root) return;
    }
  }

  std::vector<std::vector<std::uint32_t>> callees_;
  std::vector<bool> recursive_;
};

// Functions that the first one, the entry, does not reach are dropped.
void drop_unreached(Module& module) {
  if (module.functions.empty()) return;
  std::vector<bool> reached(module.functions.size(), false);
  std::vector<std::uint32_t> open{0};
  reached[0] = true;
  while (!open.empty()) {
    const FunctionId id{open.back()};
    open.pop_back();
    for (const Node& node : module.functions[id].nodes) {
      const auto* call = std::get_if<Call>(&node.op);
      if (call == nullptr || reached[call->callee.index]) continue;
      reached[call->callee.index] = true;
      open.push_back(call->callee.index);
    }
  }
  std::vector<FunctionId> renamed(module.functions.size());
  IdVector<FunctionId, Function> kept;
  for (std::uint32_t k = 0; k < module.functions.size(); ++k)
    if (reached[k]) renamed[k] = kept.push(std::move(module.functions[FunctionId{k}]));
  for (Function& function : kept)
    for (Node& node : function.nodes)
      if (auto* call = std::get_if<Call>(&node.op)) call->callee = renamed[call->callee.index];
  module.functions = std::move(kept);
}

// Values that are evaluated whenever a result of the function is.
std::vector<bool> needed_by(const Function& function, Demands& demands, ValueId result) {
  std::vector<bool> needed(function.values.size(), false);
  std::vector<ValueId> open;
  auto need = [&](ValueId value) {
    if (needed[value.index]) return;
    needed[value.index] = true;
    open.push_back(value);
  };
  need(result);
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    const NodeId id = function.values[value].node;
    if (!id.valid()) continue;
    const Node& node = function.nodes[id];
    Mask results(node.results.size());
    for (std::size_t k = 0; k < results.size(); ++k) results[k] = node.results[k] == value;
    const NodeDemand demand = demands.node(node, results);
    for (ValueId each : demand.values) need(each);
    if (std::holds_alternative<Branch>(node.op)) continue;
    for (std::size_t k = 0; k < node.regions.size(); ++k)
      for (ValueId each : demands.region(node.regions[k], demand.yields[k]).captures) need(each);
  }
  return needed;
}

// What a call of the function asks for that its body, put in the call's place, might not.
struct Strictness {
  std::vector<bool> safe;           // values that cannot fail unless a param does
  std::vector<bool> forced_params;  // that every result needs
  bool loses_results = false;       // a result may fail that another one does not need
};

Strictness strictness_of(const Function& function) {
  Strictness result;
  result.safe = values_without_failure(function, AffineForms(function), true);
  result.forced_params.assign(function.params().size(), true);
  Demands demands(function);
  for (ValueId one : function.results()) {
    const std::vector<bool> needed = needed_by(function, demands, one);
    for (ValueId other : function.results())
      if (!result.safe[other.index] && !needed[other.index]) result.loses_results = true;
    for (std::size_t k = 0; k < result.forced_params.size(); ++k)
      if (!needed[function.params()[k].index]) result.forced_params[k] = false;
  }
  return result;
}

// How deeply regions nest in a function.
std::size_t depth_of(const Function& function) {
  std::vector<std::pair<RegionId, std::size_t>> open{{function.body, 0}};
  std::size_t deepest = 0;
  while (!open.empty()) {
    const auto [region, depth] = open.back();
    open.pop_back();
    deepest = std::max(deepest, depth);
    for (NodeId node : function.regions[region].nodes)
      for (RegionId inner : function.nodes[node].regions) open.emplace_back(inner, depth + 1);
  }
  return deepest;
}

class Inliner {
 public:
  explicit Inliner(Module& module)
      : module_(module),
        originals_(module.functions),
        calls_(module),
        facts_(module.functions.size()) {
    for (const Function& function : module.functions) left_ += growth * function.nodes.size();
  }

  std::size_t inlined() const { return inlined_; }
  std::size_t kept() const { return kept_; }

  // The entry, and the functions that are still called from what was finished.
  void run() {
    if (originals_.empty()) return;
    std::vector<bool> reached(originals_.size(), false);
    std::vector<FunctionId> open{FunctionId{0}};
    reached[0] = true;
    while (!open.empty()) {
      const FunctionId id = open.back();
      open.pop_back();
      const Users users(originals_[id]);
      caller_ = id;
      rebuild(module_, id, [&](Rewriter& rewriter, NodeId node) {
        const auto depth = static_cast<std::size_t>(users.depth(users.region_of(node)));
        return replace(rewriter, node, depth);
      });
      for (const Node& node : module_.functions[id].nodes) {
        const auto* call = std::get_if<Call>(&node.op);
        if (call == nullptr) continue;
        ++kept_;
        if (reached[call->callee.index]) continue;
        reached[call->callee.index] = true;
        open.push_back(call->callee);
      }
    }
  }

 private:
  struct Facts {
    std::vector<bool> needed;  // by node
    std::size_t depth = 0;     // of its regions
    Strictness strictness;
  };

  bool replace(Rewriter& rewriter, NodeId id, std::size_t depth) {
    const Node& node = rewriter.from().nodes[id];
    const auto* call = std::get_if<Call>(&node.op);
    if (call == nullptr || !may_inline(caller_, node, depth, 0)) return false;
    map_results(rewriter, id,
                paste(rewriter.builder(), call->callee, mapped(rewriter, node.operands), depth, 0));
    return true;
  }

  const Facts& facts_of(FunctionId id) {
    std::optional<Facts>& facts = facts_[id.index];
    if (!facts)
      facts = Facts{needed_nodes(originals_[id]), depth_of(originals_[id]),
                    strictness_of(originals_[id])};
    return *facts;
  }

  // `caller` holds the call; `depth`: of the region around it; `level`: calls that are being
  // inlined around it. See Note [What a call needs].
  bool may_inline(FunctionId caller, const Node& node, std::size_t depth, std::size_t level) {
    const FunctionId id = std::get<Call>(node.op).callee;
    if (calls_.is_recursive(id) || level >= max_level || originals_[id].nodes.size() > left_ ||
        depth + facts_of(id).depth > max_region_depth)
      return false;
    const Strictness& callee = facts_of(id).strictness;
    if (callee.loses_results) return false;
    for (std::size_t k = 0; k < node.operands.size(); ++k)
      if (!callee.forced_params[k] && !facts_of(caller).strictness.safe[node.operands[k].index])
        return false;
    return true;
  }

  // Puts a callee's nodes into the builder's current region, its params bound to `args`; gives its
  // results.
  std::vector<ValueId> paste(Builder& builder, FunctionId id, const std::vector<ValueId>& args,
                             std::size_t depth, std::size_t level) {
    Paste callee{id, originals_[id], facts_of(id).needed, level, {}};
    left_ -= callee.from.nodes.size();
    ++inlined_;
    return region(builder, callee, callee.from.body, args, depth);
  }

  struct Paste {
    FunctionId id;
    const Function& from;
    const std::vector<bool>& needed;
    const std::size_t level;
    std::unordered_map<ValueId, ValueId> mapped;

    std::vector<ValueId> all(const std::vector<ValueId>& values) const {
      std::vector<ValueId> result;
      for (ValueId value : values) result.push_back(mapped.at(value));
      return result;
    }
    Size size(Builder& builder, const Size& old) const {
      return old.substitute(
          [&](Size::Symbol symbol) { return builder.as_size(mapped.at(ValueId{symbol})); });
    }
    ValueId fresh(Builder& builder, ValueId value, bool param) {
      Type type = from.values[value].type;
      for (Size& dim : type.shape) dim = size(builder, dim);
      const std::string& name = from.values[value].name;
      const ValueId made = param ? builder.add_param(std::move(type), name)
                                 : builder.new_value(std::move(type), name);
      mapped[value] = made;
      return made;
    }
  };

  std::vector<ValueId> region(Builder& builder, Paste& callee, RegionId id,
                              const std::vector<ValueId>& args, std::size_t depth) {
    const Region& region = callee.from.regions[id];
    for (std::size_t k = 0; k < args.size(); ++k) callee.mapped[region.params[k]] = args[k];
    for (NodeId each : region.nodes)
      if (callee.needed[each.index]) node(builder, callee, callee.from.nodes[each], depth);
    return callee.all(region.yields);
  }

  void node(Builder& builder, Paste& callee, const Node& node, std::size_t depth) {
    const auto* call = std::get_if<Call>(&node.op);
    if (call != nullptr && may_inline(callee.id, node, depth, callee.level + 1)) {
      const std::vector<ValueId> results =
          paste(builder, call->callee, callee.all(node.operands), depth, callee.level + 1);
      for (std::size_t k = 0; k < results.size(); ++k) callee.mapped[node.results[k]] = results[k];
      return;
    }
    std::vector<RegionId> regions;
    for (RegionId old_region : node.regions) {
      regions.push_back(builder.open_region());
      for (ValueId param : callee.from.regions[old_region].params)
        callee.fresh(builder, param, true);
      builder.close_region(region(builder, callee, old_region, {}, depth + 1));
    }
    Op op = with_sizes(node.op, [&](const Size& old) { return callee.size(builder, old); });
    std::vector<ValueId> results;
    for (ValueId result : node.results) results.push_back(callee.fresh(builder, result, false));
    builder.set_loc(node.loc);
    builder.add_with_results(std::move(op), callee.all(node.operands), std::move(regions),
                             std::move(results), node.check);
  }

  Module& module_;
  const IdVector<FunctionId, Function> originals_;
  const CallGraph calls_;
  FunctionId caller_;                        // the function that is being rebuilt
  std::vector<std::optional<Facts>> facts_;  // by function, when asked for
  std::size_t left_ = least_growth;          // nodes that may still be added
  std::size_t inlined_ = 0, kept_ = 0;
};

}  // namespace

void inline_calls(Module& module, Remarks* remarks) {
  Inliner inliner(module);
  inliner.run();
  drop_unreached(module);
  if (remarks == nullptr) return;
  if (inliner.inlined() > 0)
    remarks->add(
        {.verdict = "inlined", .reason = fmt::format("{} calls inlined", inliner.inlined())});
  if (inliner.kept() > 0)
    remarks->add({.kind = Remark::Kind::Kept,
                  .verdict = "recursive",
                  .reason = fmt::format("{} calls kept: of functions that call themselves, whose "
                                        "unused arguments or results may fail, or beyond the "
                                        "limits of depth and growth",
                                        inliner.kept())});
}

// Note [What a call needs]
// A call needs all its arguments and computes all results of its function; what takes its place
// needs only what is used. So nothing that may fail is lost: an argument may only fail where every
// result needs it, a result only where every other one does. Inside a callee its params count as
// safe: where one is not, every result needs it, so that its failure shows in any case.

// Note [How far inlining goes]
// A call is replaced by its callee as written, calls in that too, so the work is the size of what
// comes out. Growth is bounded: a chain of functions that each call the one before twice would
// double the program at every step. What is left as a call is finished as a function of its own,
// within the same bound.

}  // namespace dvm::passes
