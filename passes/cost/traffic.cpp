// One walk over the regions with the number of their evaluations.
#include "passes/cost/traffic.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "passes/analysis/users.hpp"
#include "passes/plan/kernel_limits.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Checks may hide sizes behind checks; nobody writes more of them than this.
constexpr int most_checks = 8;

Size product(const std::vector<Size>& factors) {
  Size result(1);
  for (const Size& factor : factors) result = result * factor;
  return result;
}

// What the params of a node's first region run over, in their order.
std::vector<Size> extents(const Op& op) {
  std::vector<Size> sizes;
  std::visit(
      [&](const auto& each) {
        using T = std::decay_t<decltype(each)>;
        constexpr bool extent_first = std::is_same_v<T, Scatter> || std::is_same_v<T, ReduceByKey>;
        if constexpr (extent_first) sizes.push_back(each.extent);
        if constexpr (requires { each.space; })
          sizes.insert(sizes.end(), each.space.begin(), each.space.end());
        if constexpr (requires { each.extent; })
          if (!extent_first) sizes.push_back(each.extent);
      },
      op);
  return sizes;
}

const std::vector<Component>* components(const Op& op) {
  return std::visit(
      [](const auto& each) -> const std::vector<Component>* {
        if constexpr (requires { each.components; }) return &each.components;
        return nullptr;
      },
      op);
}

class Walk {
 public:
  explicit Walk(const Function& function)
      : function_(function), sizes_(function), varies_(function.values.size(), false) {}

  Traffic run() {
    host(function_.body, Size(1));
    return std::move(traffic_);
  }

 private:
  // --- sizes

  // The most it can be when every index is below its extent: 0 where it is subtracted.
  Size bounded(const Size& size) {
    Size result;
    for (const Size::Term& term : size.terms()) {
      Size product(term.coefficient);
      for (const Size::Atom& atom : term.factors) {
        if (atom.quotient) {
          product =
              product * Size::quotient(bounded(atom.quotient->numerator), atom.quotient->divisor);
        } else if (auto found = bound_.find(ValueId{atom.symbol}); found != bound_.end()) {
          product = term.coefficient < 0 ? Size() : product * found->second;
        } else {
          product = product * Size::symbol(atom.symbol);
        }
      }
      result = result + product;
    }
    return result;
  }
  // `node`: whose size it is.
  Size known(const Size& size, NodeId node) {
    const Size most = bounded(sizes_.of(size));
    bool varies = false;
    most.symbols([&](Size::Symbol symbol) {
      varies |= symbol < function_.values.size() && varies_[symbol];
    });
    if (!varies) return most;
    const auto [found, is_new] = lengths_.emplace(most, Size());
    if (is_new) found->second = unknown(node);
    return found->second;
  }
  Size unknown(NodeId node) {
    const auto symbol =
        static_cast<Size::Symbol>(function_.values.size() + traffic_.unknown.size());
    traffic_.unknown.push_back({symbol, node});
    return Size::symbol(symbol);
  }

  Size bytes(ValueId value) {
    const Type& type = function_.values[value].type;
    if (type.is_scalar()) return Size();
    Size result(byte_size(type.element));
    for (const Size& dim : type.shape) result = result * known(dim, function_.values[value].node);
    return result;
  }

  Size trips(NodeId id) {
    const Node& node = function_.nodes[id];
    if (std::holds_alternative<Loop>(node.op))
      return known(Size::symbol(node.operands[0].index), id);
    return unknown(id);
  }

  // Points of the space, and their indices bounded.
  Size points(NodeId id) {
    const Node& node = function_.nodes[id];
    std::vector<Size> sizes = extents(node.op);
    for (Size& size : sizes) size = known(size, id);
    if (!node.regions.empty()) {
      const std::vector<ValueId>& params = function_.regions[node.regions[0]].params;
      for (std::size_t k = 0; k < std::min(params.size(), sizes.size()); ++k)
        bound_[params[k]] = sizes[k];
    }
    return product(sizes);
  }
  void bound_step(const Node& node, const Size& count) {
    if (std::holds_alternative<Loop>(node.op))
      bound_[function_.regions[node.regions[0]].params[0]] = count;
  }

  // --- regions

  // A region whose nodes are work of their own for the engine.
  void host(RegionId region, const Size& runs) {
    for (NodeId id : function_.regions[region].nodes) {
      const Node& node = function_.nodes[id];
      if (is_sweep(node.op)) {
        pass(id, runs);
      } else if (!node.regions.empty()) {
        Size inner = runs;
        if (!std::holds_alternative<Branch>(node.op)) {
          const Size count = trips(id);
          bound_step(node, count);
          inner = runs * count;
          stack(id, inner);
        }
        for (RegionId each : node.regions) host(each, inner);
      }
    }
  }

  void pass(NodeId id, const Size& runs) {
    const Node& node = function_.nodes[id];
    Sweep sweep{.node = id, .around = {}, .runs = runs, .stored = {}, .read = {}};
    for (ValueId result : node.results) sweep.stored.push_back(bytes(result) * runs);
    for (ValueId value : free_values(function_, id))
      if (!function_.values[value].type.is_scalar())
        sweep.read.emplace_back(value, bytes(value) * runs);
    traffic_.sweeps.push_back(sweep);
    const Size count = points(id) * runs;
    for (RegionId region : node.regions)
      for (ValueId param : function_.regions[region].params) varies_[param.index] = true;
    if (!node.regions.empty() && !fits_kernel(function_, id))
      for (RegionId region : node.regions) host(region, count);
    else
      bodies(id, count, id);
  }

  // The values that a loop stacks, a row for each step.
  void stack(NodeId id, const Size& steps) {
    const Node& node = function_.nodes[id];
    const auto* loop = std::get_if<Loop>(&node.op);
    if (loop == nullptr || loop->stacked == 0) return;
    Sweep sweep{.node = id, .around = {}, .runs = Size(), .stored = {}, .read = {}};
    const std::vector<ValueId>& yields = function_.regions[node.regions[0]].yields;
    sweep.stored.resize(yields.size());
    for (std::size_t k = yields.size() - loop->stacked; k < yields.size(); ++k) {
      const Type& type = function_.values[yields[k]].type;
      const Size row = type.is_scalar() ? Size(byte_size(type.element)) : bytes(yields[k]);
      sweep.stored[k] = row * steps;
    }
    traffic_.sweeps.push_back(sweep);
  }

  // The regions of a sweep, evaluated `count` times, and what its operator does.
  void bodies(NodeId id, const Size& count, NodeId around) {
    const Node& node = function_.nodes[id];
    for (RegionId region : node.regions) inside(region, count, around);
    const std::vector<Component>* each = components(node.op);
    if (each == nullptr) return;
    for (std::size_t k = 0; k < each->size() && k < node.results.size(); ++k)
      if (is_float(function_.values[node.results[k]].type.element))
        add(node.loc, count * Size((*each)[k].fused_product ? 2 : 1));
  }

  void inside(RegionId region, const Size& times, NodeId around) {
    for (NodeId id : function_.regions[region].nodes) {
      const Node& node = function_.nodes[id];
      // What is the same at every point is computed once, whatever body it stands in.
      const bool varies = !node.regions.empty() || is_sweep(node.op) ||
                          std::any_of(node.operands.begin(), node.operands.end(),
                                      [&](ValueId operand) { return varies_[operand.index]; });
      for (ValueId result : node.results) varies_[result.index] = varies;
      for (RegionId each : node.regions)
        for (ValueId param : function_.regions[each].params) varies_[param.index] = true;
      if (const auto* scalar = std::get_if<ScalarOp>(&node.op)) {
        if (varies && computes(*scalar, node)) add(node.loc, times);
        continue;
      }
      if (is_sweep(node.op)) {
        Sweep sweep{.node = id, .around = around, .runs = times, .stored = {}, .read = {}};
        for (ValueId result : node.results) sweep.stored.push_back(bytes(result) * times);
        traffic_.sweeps.push_back(sweep);
        bodies(id, points(id) * times, around);
      } else if (!node.regions.empty()) {
        Size inner = times;
        if (!std::holds_alternative<Branch>(node.op)) {
          const Size count = trips(id);
          bound_step(node, count);
          inner = times * count;
        }
        for (RegionId each : node.regions) inside(each, inner, around);
      }
    }
  }

  bool computes(const ScalarOp& scalar, const Node& node) const {
    return scalar.fn != ScalarFn::Select && scalar.fn != ScalarFn::Convert &&
           is_float(function_.values[node.results[0]].type.element);
  }

  void add(LocId loc, const Size& count) {
    auto [found, is_new] = place_.emplace(loc, traffic_.operations.size());
    if (is_new) traffic_.operations.emplace_back(loc, Size());
    Size& sum = traffic_.operations[found->second].second;
    sum = sum + count;
  }

  const Function& function_;
  SizesBehindChecks sizes_;
  std::vector<bool> varies_;  // by value: from point to point of the pass it stands in
  Traffic traffic_;
  std::unordered_map<ValueId, Size> bound_;       // of indices; looked up only
  std::map<Size, Size> lengths_;                  // sizes that vary, as unknown counts
  std::unordered_map<LocId, std::size_t> place_;  // in `operations`; looked up only
};

}  // namespace

bool is_sweep(const Op& op) {
  return std::holds_alternative<Map>(op) || std::holds_alternative<Reduce>(op) ||
         std::holds_alternative<Scan>(op) || std::holds_alternative<Scatter>(op) ||
         std::holds_alternative<ReduceByKey>(op) || std::holds_alternative<Filter>(op) ||
         std::holds_alternative<Sort>(op) || std::holds_alternative<Concat>(op);
}

Size SizesBehindChecks::of(const Size& size) {
  Size result = forms_.expand(function_, size);
  for (int k = 0; k < most_checks; ++k) {
    bool looked_through = false;
    const Size next = result.substitute([&](Size::Symbol symbol) {
      if (symbol >= function_.values.size()) return Size::symbol(symbol);
      const NodeId id = function_.values[ValueId{symbol}].node;
      if (!id.valid() || !std::holds_alternative<Check>(function_.nodes[id].op))
        return Size::symbol(symbol);
      looked_through = true;
      return forms_.of(function_, function_.nodes[id].operands[0]);
    });
    if (!looked_through) break;
    result = next;
  }
  return result;
}

Traffic traffic(const Function& function) { return Walk(function).run(); }

}  // namespace dvm::passes
