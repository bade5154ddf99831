// Counts operations and bytes by one walk over a body.
#include "passes/cost/cost.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "passes/analysis/users.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Sums with more terms than this are folded into their last term's estimate.
constexpr std::size_t max_terms = 8;
// A read that neither streams nor stays: a cache line's worth of traffic, often shared by
// neighbours.
constexpr double scattered_bytes = 32;
// Control in vector code: masks are computed and both sides run.
constexpr double branch_operations = 3;
constexpr double call_operations = 200;

double elementary_operations(Elementary fn) {
  switch (fn) {
    case Elementary::Pow:
    case Elementary::Erfc:
    case Elementary::Tan:
      return 40;
    case Elementary::Atan2:
    case Elementary::Erf:
    case Elementary::Asinh:
    case Elementary::Acosh:
    case Elementary::Atanh:
    case Elementary::Sinh:
    case Elementary::Cosh:
    case Elementary::Tanh:
      return 30;
    default:
      return 20;
  }
}

class WorkCounter {
 public:
  WorkCounter(const Function& function, std::optional<ValueId> inner)
      : function_(function), inner_(inner) {
    if (inner_) set_kind(*inner_, along);
  }

  Work region(RegionId id) {
    Work work;
    WorkTerm own;
    for (NodeId node_id : function_.regions[id].nodes) node(node_id, own, work);
    if (own.operations > 0 || own.bytes > 0) work.terms.insert(work.terms.begin(), own);
    return work;
  }

 private:
  // How a value changes from one point to the next.
  static constexpr std::uint8_t along = 1;      // by one
  static constexpr std::uint8_t scattered = 2;  // somehow

  std::uint8_t kind(ValueId value) const {
    const auto found = varies_.find(value);
    return found == varies_.end() ? 0 : found->second;
  }
  void set_kind(ValueId value, std::uint8_t kind) {
    if (kind != 0) varies_[value] = kind;
  }

  void node(NodeId id, WorkTerm& own, Work& work) {
    const Node& node = function_.nodes[id];
    if (const auto* scalar = std::get_if<ScalarOp>(&node.op)) {
      own.operations += operations(scalar->fn, function_.values[node.results[0]].type.element);
      set_kind(node.results[0], scalar_kind(*scalar, node));
      return;
    }
    if (std::holds_alternative<Read>(node.op)) {
      read(node, own);
      return;
    }
    if (std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op))
      return;
    if (std::holds_alternative<Check>(node.op)) {
      own.operations += 1;
      set_kind(node.results[0], kind(node.operands[0]));
      return;
    }
    if (std::holds_alternative<Call>(node.op)) own.operations += call_operations;
    std::uint8_t most = 0;
    for (ValueId operand : node.operands) most = std::max(most, kind(operand));
    for (RegionId inner : node.regions)
      for (ValueId param : function_.regions[inner].params)
        set_kind(param, most == 0 ? 0 : scattered);
    nested(node, own, work);
    // Conservative: what comes out of inner control differs from point to point.
    for (ValueId result : node.results) set_kind(result, inner_ ? scattered : 0);
  }

  std::uint8_t scalar_kind(const ScalarOp& scalar, const Node& node) const {
    std::uint8_t most = 0;
    int varying = 0;
    for (ValueId operand : node.operands) {
      most = std::max(most, kind(operand));
      varying += kind(operand) != 0 ? 1 : 0;
    }
    if (varying == 0) return 0;
    const bool keeps_step =
        scalar.fn == ScalarFn::Add || (scalar.fn == ScalarFn::Sub && kind(node.operands[0]) != 0);
    // Clamped indices walk with their argument nearly everywhere.
    const bool clamps = scalar.fn == ScalarFn::Min || scalar.fn == ScalarFn::Max;
    return varying == 1 && (keeps_step || clamps) ? most : scattered;
  }

  void read(const Node& node, WorkTerm& own) {
    const ElementType element = function_.values[node.results[0]].type.element;
    std::uint8_t most = 0;
    for (std::size_t k = 1; k + 1 < node.operands.size(); ++k)
      if (kind(node.operands[k]) != 0) most = scattered;
    if (node.operands.size() > 1) most = std::max(most, kind(node.operands.back()));
    own.operations += most == scattered ? 4 : 1;
    if (!inner_ || most == along) own.bytes += byte_size(element);
    if (inner_ && most == scattered) own.bytes += scattered_bytes;
    set_kind(node.results[0], most == 0 ? 0 : scattered);
  }

  void nested(const Node& node, WorkTerm& own, Work& work) {
    Size times(1);
    auto space = [&](const std::vector<Size>& dims) {
      for (const Size& dim : dims) times = times * dim;
    };
    std::visit(
        [&](const auto& op) {
          using T = std::decay_t<decltype(op)>;
          if constexpr (requires { op.space; }) space(op.space);
          if constexpr (requires { op.extent; }) times = times * op.extent;
          if constexpr (std::is_same_v<T, Loop>) times = trips(node.operands[0]);
          if constexpr (std::is_same_v<T, While>) times = Size(assumed_trips);
        },
        node.op);
    // A nested sum combines each term, one more operation.
    WorkTerm combine;
    combine.operations = node.regions.empty() ? 4.0 : static_cast<double>(node.results.size());
    if (std::holds_alternative<Branch>(node.op)) {
      own.operations += branch_operations;
      combine.operations = 0;
    }
    Work inside;
    if (combine.operations > 0) inside.terms.push_back(combine);
    for (RegionId region_id : node.regions) inside.add(region(region_id), Size(1));
    if (times == Size(1)) {
      for (const WorkTerm& term : inside.terms) {
        if (term.times == Size(1)) {
          own.operations += term.operations;
          own.bytes += term.bytes;
        } else {
          work.add({{term}}, Size(1));
        }
      }
    } else {
      work.add(inside, times);
    }
  }

  Size trips(ValueId count) const {
    const NodeId id = function_.values[count].node;
    if (!id.valid()) return Size(assumed_trips);
    if (const auto* constant = std::get_if<Constant>(&function_.nodes[id].op))
      return Size(std::clamp<std::int64_t>(constant->value.as_i64(), 0, 1'000'000'000));
    if (const auto* size = std::get_if<SizeOf>(&function_.nodes[id].op)) return size->size;
    return Size(assumed_trips);
  }

  const Function& function_;
  std::optional<ValueId> inner_;
  // Of the values in this body only, so that counting many bodies stays linear in the function.
  std::unordered_map<ValueId, std::uint8_t> varies_;
};

double with_symbols(const Size& size, double value) {
  double sum = 0;
  for (const Size::Term& term : size.terms()) {
    double product = static_cast<double>(term.coefficient);
    for (const Size::Atom& atom : term.factors)
      product *= atom.quotient ? with_symbols(atom.quotient->numerator, value) /
                                     static_cast<double>(atom.quotient->divisor)
                               : value;
    sum += product;
  }
  return std::max(sum, 0.0);
}

}  // namespace

double operations(ScalarFn fn, ElementType type) {
  if (auto elementary = facts(fn).elementary) return elementary_operations(*elementary);
  switch (fn) {
    case ScalarFn::Div:
      return 8;
    case ScalarFn::Sqrt:
      return 10;
    case ScalarFn::IntDiv:
    case ScalarFn::IntMod:
    case ScalarFn::IntQuot:
    case ScalarFn::IntRem:
      return 20;
    case ScalarFn::Min:
    case ScalarFn::Max:
      return is_float(type) ? 3 : 1;
    case ScalarFn::Signum:
    case ScalarFn::PopCount:
    case ScalarFn::CountLeadingZeros:
    case ScalarFn::CountTrailingZeros:
    case ScalarFn::Truncate:
    case ScalarFn::Floor:
    case ScalarFn::Ceiling:
    case ScalarFn::Round:
      return 4;
    default:
      return 1;
  }
}

void Work::add(const Work& other, const Size& factor) {
  for (const WorkTerm& term : other.terms) {
    const Size product = term.times * factor;
    auto same = std::find_if(terms.begin(), terms.end(),
                             [&](const WorkTerm& each) { return each.times == product; });
    if (same == terms.end() && terms.size() < max_terms) {
      terms.push_back({term.operations, term.bytes, product});
      continue;
    }
    if (same == terms.end()) same = terms.end() - 1;
    same->operations += term.operations;
    same->bytes += term.bytes;
  }
}

double Work::total_operations(double symbol_value) const {
  double sum = 0;
  for (const WorkTerm& term : terms)
    sum += term.operations * with_symbols(term.times, symbol_value);
  return sum;
}

double Work::total_bytes(double symbol_value) const {
  double sum = 0;
  for (const WorkTerm& term : terms) sum += term.bytes * with_symbols(term.times, symbol_value);
  return sum;
}

Work region_work(const Function& function, RegionId region, std::optional<ValueId> inner) {
  return WorkCounter(function, inner).region(region);
}

std::optional<double> PointCost::nanoseconds(
    const std::function<std::optional<std::int64_t>(Size::Symbol)>& value_of) const {
  double sum = 0;
  for (const Term& term : terms) {
    const std::optional<std::int64_t> times = term.times.evaluate(value_of);
    if (!times) return std::nullopt;
    sum += term.nanoseconds * static_cast<double>(std::max<std::int64_t>(*times, 0));
  }
  return sum;
}

PointCost point_cost(const Function& function, NodeId id, const Machine& machine) {
  const Node& node = function.nodes[id];
  Work work;
  WorkTerm fixed;
  if (node.regions.empty()) {
    // Sort, concat, reshape: the elements of the operands, a comparison sort's logarithm taken
    // as 20.
    const double each = std::holds_alternative<Sort>(node.op) ? 20 * 4 : 1;
    for (ValueId operand : node.operands) {
      const Type& type = function.values[operand].type;
      Size count(1);
      for (const Size& dim : type.shape) count = count * dim;
      work.add({{{each, 2.0 * byte_size(type.element), count}}}, Size(1));
    }
  } else {
    const std::vector<ValueId>& params = function.regions[node.regions[0]].params;
    std::optional<ValueId> inner;
    if (std::holds_alternative<Map>(node.op) || std::holds_alternative<Reduce>(node.op) ||
        std::holds_alternative<Scan>(node.op) || std::holds_alternative<Filter>(node.op))
      if (!params.empty()) inner = params.back();
    for (RegionId region : node.regions) work.add(region_work(function, region, inner), Size(1));
    fixed.operations = static_cast<double>(node.results.size());
    // Results of a map are written once, those of a reduction once for many points.
    if (std::holds_alternative<Map>(node.op) || std::holds_alternative<Scan>(node.op) ||
        std::holds_alternative<Filter>(node.op))
      for (ValueId result : node.results)
        fixed.bytes += 2.0 * byte_size(function.values[result].type.element);
    work.add({{fixed}}, Size(1));
  }
  // Extents that are only known inside (rows of a sparse matrix) get the assumed length.
  const std::vector<ValueId> outside = free_values(function, id);
  const std::unordered_set<ValueId> known(outside.begin(), outside.end());
  auto assume = [&](const Size& size) {
    return size.substitute([&](Size::Symbol symbol) {
      return known.contains(ValueId{symbol}) ? Size::symbol(symbol) : Size(assumed_trips);
    });
  };
  PointCost cost;
  for (const WorkTerm& term : work.terms) {
    const double seconds =
        std::max(term.operations / machine.flops_per_second, term.bytes / machine.bytes_per_second);
    cost.terms.push_back({seconds * 1e9, assume(term.times)});
  }
  return cost;
}

}  // namespace dvm::passes
