// Type rules of array operations.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/graph/verify_function.hpp"
#include "ir/graph/walk.hpp"

namespace dvm::graph {
namespace {

std::vector<Size> joined(std::span<const Size> a, std::span<const Size> b) {
  std::vector<Size> result(a.begin(), a.end());
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

bool is_number(ElementType type) { return type != ElementType::Bool; }
bool has_bits(ElementType type) { return !is_float(type); }

bool combines(ScalarFn fn, ElementType type) {
  switch (fn) {
    case ScalarFn::Add:
    case ScalarFn::Mul:
    case ScalarFn::Min:
    case ScalarFn::Max:
      return is_number(type);
    case ScalarFn::And:
    case ScalarFn::Or:
    case ScalarFn::Xor:
      return has_bits(type);
    default:
      return false;
  }
}

}  // namespace

bool FunctionVerifier::need_regions(const Node& node, std::size_t count) {
  if (node.regions.size() == count) return true;
  problem(fmt::format("it needs {} region{}", count, count == 1 ? "" : "s"));
  return false;
}

bool FunctionVerifier::need_indices(const Region& region, std::size_t count) {
  const bool good =
      region.params.size() == count &&
      std::all_of(region.params.begin(), region.params.end(), [&](ValueId p) { return is_i64(p); });
  if (!good)
    problem(fmt::format("its body needs {} i64 parameter{}", count, count == 1 ? "" : "s"));
  return good;
}

void FunctionVerifier::types(const Map& op, const Node& node) {
  if (!node.operands.empty()) problem("it has no operands");
  if (!need_regions(node, 1)) return;
  const Region& body = function_.regions[node.regions[0]];
  if (!need_indices(body, op.space.size())) return;
  if (body.yields.size() != node.results.size())
    return problem("its body must yield one value for each result");
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    const Type& yielded = type(body.yields[i]);
    if (!same(type(node.results[i]), Type{yielded.element, joined(op.space, yielded.shape)})) {
      problem("result " + text(node.results[i]) +
              " has not the shape of the space and the yielded value");
    }
  }
}

bool FunctionVerifier::operator_region(const Node& node) {
  const Region& region = function_.regions[node.regions[1]];
  const std::size_t count = node.operands.size();
  bool good = region.params.size() == 2 * count && region.yields.size() == count;
  for (std::size_t i = 0; good && i < count; ++i) {
    const Type element{type(node.operands[i]).element, {}};
    good = type(region.params[i]) == element && type(region.params[count + i]) == element &&
           type(region.yields[i]) == element;
  }
  if (!good)
    problem("its operator must take two of each component's scalars and yield one of each");
  return good;
}

bool FunctionVerifier::combination(const Node& node, const std::vector<Component>& components,
                                   std::size_t first, bool fused_allowed) {
  const std::size_t count = node.operands.size();
  if (count == 0 || node.results.size() != count) {
    problem("it needs one operand for each result");
    return false;
  }
  if (!need_regions(node, components.empty() ? 2 : 1)) return false;
  if (components.empty() && !operator_region(node)) return false;
  if (!components.empty() && components.size() != count) {
    problem("it needs one component for each result");
    return false;
  }
  const Region& body = function_.regions[node.regions[0]];
  std::size_t next = first;
  for (std::size_t i = 0; i < count; ++i) {
    const Type element{type(node.operands[i]).element, {}};
    const bool fused = !components.empty() && components[i].fused_product;
    if (fused &&
        (!fused_allowed || components[i].combiner != ScalarFn::Add || !is_float(element.element))) {
      problem("only sums of floats in a reduce have fused products");
      return false;
    }
    if (!components.empty() && !combines(components[i].combiner, element.element)) {
      problem(fmt::format("`{}` does not combine {}", facts(components[i].combiner).mnemonic,
                          text(element)));
      return false;
    }
    for (int part = 0; part < (fused ? 2 : 1); ++part, ++next) {
      if (next >= body.yields.size() || type(body.yields[next]) != element) {
        problem("its body must yield a scalar of each component's type, two for a fused product");
        return false;
      }
    }
  }
  if (next != body.yields.size()) {
    problem("its body yields too many values");
    return false;
  }
  return true;
}

void FunctionVerifier::types(const Reduce& op, const Node& node) {
  if (elaborated_ && op.tree == Tree::Unset) problem("its tree is not set");
  if (op.tree == Tree::Lanes && op.components.empty())
    problem("only components are reduced in lanes");
  if (!combination(node, op.components, 0, true)) return;
  if (!need_indices(function_.regions[node.regions[0]], op.space.size() + 1)) return;
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    if (!type(node.operands[i]).is_scalar())
      problem("neutral value " + text(node.operands[i]) + " is not a scalar");
    if (!same(type(node.results[i]), Type{type(node.operands[i]).element, op.space})) {
      problem("result " + text(node.results[i]) + " has not the shape of the space");
    }
  }
}

void FunctionVerifier::types(const Scan& op, const Node& node) {
  if (!combination(node, op.components, 0, false)) return;
  if (!need_indices(function_.regions[node.regions[0]], op.space.size() + 1)) return;
  const std::vector<Size> shape = joined(op.space, std::vector<Size>{op.extent});
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    if (!type(node.operands[i]).is_scalar())
      problem("neutral value " + text(node.operands[i]) + " is not a scalar");
    if (!same(type(node.results[i]), Type{type(node.operands[i]).element, shape})) {
      problem("result " + text(node.results[i]) + " has not the shape of the space and the extent");
    }
  }
}

void FunctionVerifier::types(const Scatter& op, const Node& node) {
  if (node.operands.empty()) return problem("it needs a destination");
  const Type& first = type(node.operands[0]);
  if (first.shape.size() <= op.space.size())
    return problem("its destination has too few dimensions");
  const std::size_t leading = first.shape.size() - op.space.size();
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Type& destination = type(node.operands[i]);
    if (!same_shape(destination.shape, first.shape))
      return problem("its destinations differ in shape");
    if (i < node.results.size() && !same(type(node.results[i]), destination)) {
      return problem("result " + text(node.results[i]) + " has not the type of its destination");
    }
  }
  if (!same_shape(std::span(first.shape).subspan(leading), op.space)) {
    return problem("the last dimensions of its destination are not its space");
  }
  if (op.combines) {
    if (!combination(node, op.components, leading, false)) return;
  } else {
    if (!op.components.empty()) return problem("it replaces and has components");
    if (!need_regions(node, 1)) return;
    if (node.results.size() != node.operands.size())
      return problem("it needs one result for each destination");
    const Region& body = function_.regions[node.regions[0]];
    if (body.yields.size() != leading + node.operands.size())
      return problem("its body yields a wrong number of values");
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (type(body.yields[leading + i]) != Type{type(node.operands[i]).element, {}}) {
        return problem("its body must yield an element of each destination");
      }
    }
  }
  const Region& body = function_.regions[node.regions[0]];
  if (!need_indices(body, 1 + op.space.size())) return;
  for (std::size_t i = 0; i < leading; ++i) {
    if (!is_i64(body.yields[i])) problem("its body must first yield i64 indices");
  }
}

bool FunctionVerifier::key_depends_on_space(const Region& region) {
  std::vector<bool> seen(function_.values.size(), false);
  std::vector<ValueId> open = {region.yields[0]};
  bool found = false;
  auto visit = [&](ValueId value) {
    if (seen[value.index]) return;
    seen[value.index] = true;
    open.push_back(value);
  };
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    found = found ||
            std::find(region.params.begin() + 1, region.params.end(), value) != region.params.end();
    const NodeId id = function_.values[value].node;
    if (!id.valid()) continue;
    const Node& node = function_.nodes[id];
    for (ValueId operand : node.operands) visit(operand);
    for_each_size_value(node.op, visit);
    for (RegionId inner : node.regions) {
      for (ValueId yield : function_.regions[inner].yields) visit(yield);
    }
  }
  return found;
}

void FunctionVerifier::types(const ReduceByKey& op, const Node& node) {
  if (!combination(node, op.components, 1, false)) return;
  const Region& body = function_.regions[node.regions[0]];
  if (!need_indices(body, 1 + op.space.size())) return;
  if (!is_i64(body.yields[0])) return problem("its body must first yield an i64 key");
  if (key_depends_on_space(body)) problem("its key depends on an index of the space");
  const std::vector<Size> shape = joined(std::vector<Size>{op.keys}, op.space);
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    if (!type(node.operands[i]).is_scalar())
      problem("neutral value " + text(node.operands[i]) + " is not a scalar");
    if (!same(type(node.results[i]), Type{type(node.operands[i]).element, shape})) {
      problem("result " + text(node.results[i]) + " has not the shape of the keys and the space");
    }
  }
}

void FunctionVerifier::types(const Concat&, const Node& node) {
  if (node.operands.empty() || node.results.size() != 1)
    return problem("it takes arrays and has one result");
  Type sum = type(node.operands[0]);
  if (sum.is_scalar()) return problem("it joins arrays, not scalars");
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const Type& next = type(node.operands[i]);
    if (next.element != sum.element || next.shape.size() != sum.shape.size() ||
        !same_shape(std::span(next.shape).subspan(1), std::span(sum.shape).subspan(1))) {
      return problem("its operands differ in more than the first dimension");
    }
    sum.shape[0] = sum.shape[0] + next.shape[0];
  }
  if (!same(type(node.results[0]), sum)) problem("its result is not " + text(sum));
}

void FunctionVerifier::types(const Reshape&, const Node& node) {
  if (node.operands.size() != 1 || node.results.size() != 1)
    return problem("it takes one array and has one result");
  const Type& from = type(node.operands[0]);
  const Type& to = type(node.results[0]);
  if (from.element != to.element) return problem("its result has another element type");
  auto count = [](const Type& type) {
    Size product(1);
    for (const Size& size : type.shape) product = product * size;
    return product;
  };
  if (!node.check.valid() && !same(count(from), count(to))) {
    problem("the counts of elements may differ and it has no check id");
  }
}

void FunctionVerifier::types(const Sort& op, const Node& node) {
  if (node.operands.empty() || node.results.size() != 1)
    return problem("it takes key arrays and has one result");
  if (op.descending.size() != node.operands.size())
    return problem("it needs one direction for each key array");
  const Type& first = type(node.operands[0]);
  if (first.shape.size() != 1) return problem("its keys must be vectors");
  for (ValueId operand : node.operands) {
    if (!same_shape(type(operand).shape, first.shape))
      return problem("its key arrays differ in shape");
  }
  if (op.values) {
    if (node.operands.size() != 1) return problem("it gives the values of one key array");
    if (!same(type(node.results[0]), first)) problem("its result has another type than its key");
    return;
  }
  if (!same(type(node.results[0]), Type{ElementType::I64, first.shape})) {
    problem("its result is not an i64 vector of the length of the keys");
  }
}

void FunctionVerifier::types(const Filter&, const Node& node) {
  if (!node.operands.empty()) problem("it has no operands");
  if (!need_regions(node, 1)) return;
  const Region& body = function_.regions[node.regions[0]];
  if (!need_indices(body, 1)) return;
  if (body.yields.empty() || !is_bool(body.yields[0]))
    return problem("its body must first yield a bool");
  if (node.results.size() != body.yields.size() || !is_i64(node.results[0])) {
    return problem("its results are an i64 count and one array for each yielded value");
  }
  const std::vector<Size> shape = {function_.size_of(node.results[0])};
  for (std::size_t i = 1; i < node.results.size(); ++i) {
    const Type& yielded = type(body.yields[i]);
    if (!yielded.is_scalar() || !same(type(node.results[i]), Type{yielded.element, shape})) {
      problem("result " + text(node.results[i]) +
              " is not a vector of the count's length of the yielded scalar");
    }
  }
}

}  // namespace dvm::graph
