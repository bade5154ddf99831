// Index-set splitting: where along the innermost dimension the index conditions of a body are
// constant.
//
// Note [Facts]. For a condition between `j + c` and a bound that is the same for the whole row (a
// comparison, the min or max of a clamp, the mod of a wrap, the range check of a read) we choose
// the outcome of the interior and shrink the interior to where it holds. The bounds are computed
// once a row. Sums are guarded against wrapping: with an absurd bound the interior is empty and
// everything takes the general path.
#include <cstdlib>

#include "backend/llvm/emitter.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;

namespace {

constexpr std::int64_t thin_limit = 64;

// base + coefficient * j, for the whole row.
struct RowValue {
  Value base = nullptr;
  int coefficient = 0;
  std::optional<Size> size;  // of the base, when it is one
};

bool small(const std::optional<Size>& size) {
  if (!size) return false;
  const auto constant = size->constant();
  return constant && std::abs(*constant) <= thin_limit;
}

class RowAnalysis {
 public:
  RowAnalysis(llvm::IRBuilder<>& b, const graph::Function& function, const std::vector<Cell>& cells,
              graph::ValueId lane, const Size& extent, Value low, Value high)
      : b_(b), function_(function), cells_(cells), extent_(extent), low_(low), high_(high) {
    known_[lane] = {b_.getInt64(0), 1, Size(0)};
  }

  void visit(graph::RegionId region) {
    for (graph::NodeId id : function_.regions[region].nodes) {
      const graph::Node& n = function_.nodes[id];
      visit_node(id, n);
      for (graph::RegionId nested : n.regions) visit(nested);
    }
  }

  Facts facts;
  bool thin = true;
  Value low() const { return low_; }
  // Empty when a bound was out of all proportion.
  Value high() const { return sane_ ? b_.CreateSelect(sane_, high_, low_) : high_; }

 private:
  std::optional<RowValue> find(graph::ValueId value) const {
    if (auto it = known_.find(value); it != known_.end()) return it->second;
    const Cell& cell = cells_[value.index];
    if (!cell.is(Cell::Kind::Uniform) || cell.element != ElementType::I64) return std::nullopt;
    return RowValue{cell.value, 0, Size::symbol(value.index)};
  }

  std::optional<RowValue> of_size(const Size& size) {
    Value total = b_.getInt64(0);
    for (const Size::Term& term : size.terms()) {
      Value product = b_.getInt64(static_cast<std::uint64_t>(term.coefficient));
      for (const Size::Atom& atom : term.factors) {
        if (atom.quotient) return std::nullopt;
        const auto factor = find(graph::ValueId{atom.symbol});
        if (!factor || factor->coefficient != 0) return std::nullopt;
        product = b_.CreateMul(product, factor->base);
      }
      total = b_.CreateAdd(total, product);
    }
    return RowValue{total, 0, size};
  }

  void visit_node(graph::NodeId id, const graph::Node& n) {
    if (const auto* constant = std::get_if<graph::Constant>(&n.op)) {
      if (constant->value.type != ElementType::I64) return;
      known_[n.results[0]] = {b_.getInt64(constant->value.bits), 0, Size(constant->value.as_i64())};
    } else if (const auto* size = std::get_if<graph::SizeOf>(&n.op)) {
      if (auto value = of_size(size->size)) known_[n.results[0]] = *value;
    } else if (const auto* scalar = std::get_if<graph::ScalarOp>(&n.op)) {
      visit_scalar(id, n, scalar->fn);
    } else if (std::holds_alternative<graph::Read>(n.op) && n.check.valid()) {
      visit_read(id, n);
    }
  }

  void visit_scalar(graph::NodeId id, const graph::Node& n, ScalarFn fn) {
    if (fn == ScalarFn::Select) return select(n);
    if (n.operands.size() > 2) return;
    if (function_.values[n.operands[0]].type.element != ElementType::I64) return;
    const auto a = find(n.operands[0]);
    if (!a) return;
    std::optional<RowValue> b;
    if (n.operands.size() == 2) {
      b = find(n.operands[1]);
      if (!b) return;
    }
    switch (fn) {
      case ScalarFn::Add:
      case ScalarFn::Sub:
        return sum(n.results[0], *a, *b, fn == ScalarFn::Sub);
      case ScalarFn::Mul:
        if (a->coefficient != 0 || b->coefficient != 0) return;
        known_[n.results[0]] = {
            b_.CreateMul(a->base, b->base), 0,
            a->size && b->size ? std::optional(*a->size * *b->size) : std::nullopt};
        return;
      case ScalarFn::Min:
      case ScalarFn::Max:
        return clamp(id, n.results[0], *a, *b, fn == ScalarFn::Max);
      case ScalarFn::IntMod:
        if (a->coefficient != 1 || b->coefficient != 0) return;
        require(b_.CreateICmpSGT(b->base, b_.getInt64(0)));
        at_least(RowValue{b_.getInt64(0), 0, Size(0)}, *a);
        below(*b, *a);
        known_[n.results[0]] = *a;
        facts[id] = {Fact::Kind::Operand, false, 0, 0};
        return;
      case ScalarFn::Eq:
      case ScalarFn::Ne:
      case ScalarFn::Lt:
      case ScalarFn::Le:
      case ScalarFn::Gt:
      case ScalarFn::Ge:
        return comparison(id, fn, *a, *b);
      default:
        return;
    }
  }

  // With the condition known, the chosen side.
  void select(const graph::Node& n) {
    const auto fact = facts.find(function_.values[n.operands[0]].node);
    if (fact == facts.end() || fact->second.kind != Fact::Kind::Outcome) return;
    if (const auto side = find(n.operands[fact->second.outcome ? 1 : 2]))
      known_[n.results[0]] = *side;
  }

  void sum(graph::ValueId result, const RowValue& a, const RowValue& b, bool subtract) {
    RowValue value;
    value.coefficient = a.coefficient + (subtract ? -b.coefficient : b.coefficient);
    if (value.coefficient != 0 && value.coefficient != 1) return;
    value.base = subtract ? b_.CreateSub(a.base, b.base) : b_.CreateAdd(a.base, b.base);
    if (a.size && b.size) value.size = subtract ? *a.size - *b.size : *a.size + *b.size;
    known_[result] = value;
  }

  void clamp(graph::NodeId id, graph::ValueId result, const RowValue& a, const RowValue& b,
             bool max) {
    if (a.coefficient == b.coefficient) {
      if (a.coefficient != 0) return;
      known_[result] = {b_.CreateBinaryIntrinsic(
                            max ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, a.base, b.base),
                        0, std::nullopt};
      return;
    }
    const bool first = a.coefficient == 1;
    const RowValue& affine = first ? a : b;
    const RowValue& bound = first ? b : a;
    if (max) {
      at_least(bound, affine);
    } else {
      below(plus_one(bound), affine);
    }
    known_[result] = affine;
    facts[id] = {Fact::Kind::Operand, false, first ? 0U : 1U, 0};
  }

  RowValue plus_one(const RowValue& value) {
    return {b_.CreateAdd(value.base, b_.getInt64(1)), 0,
            value.size ? std::optional(*value.size + Size(1)) : std::nullopt};
  }

  // j at which `affine` reaches `bound`.
  RowValue reaches(const RowValue& bound, const RowValue& affine) {
    guard(bound.base);
    guard(affine.base);
    RowValue at{b_.CreateSub(bound.base, affine.base), 0, std::nullopt};
    if (bound.size && affine.size) at.size = *bound.size - *affine.size;
    return at;
  }
  bool near_end(const RowValue& at) const { return at.size && small(*at.size - extent_); }

  void at_least(const RowValue& bound, const RowValue& affine) {
    const RowValue at = reaches(bound, affine);
    thin = thin && small(at.size);
    raise(at.base);
  }
  void below(const RowValue& bound, const RowValue& affine) {
    const RowValue at = reaches(bound, affine);
    thin = thin && near_end(at);
    cut(at.base);
  }
  void raise(Value at) { low_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, low_, at); }
  void cut(Value at) { high_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, high_, at); }

  void require(Value condition) { sane_ = sane_ ? b_.CreateAnd(sane_, condition) : condition; }
  void guard(Value base) {
    const std::int64_t limit = std::int64_t{1} << 60;
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(base);
        constant && std::abs(constant->getSExtValue()) < limit) {
      return;
    }
    require(b_.CreateICmpULT(b_.CreateAdd(base, b_.getInt64(limit)), b_.getInt64(2 * limit)));
  }

  void comparison(graph::NodeId id, ScalarFn fn, RowValue a, RowValue b) {
    if (a.coefficient == b.coefficient) return;
    if (a.coefficient == 0) {
      std::swap(a, b);
      fn = fn == ScalarFn::Lt   ? ScalarFn::Gt
           : fn == ScalarFn::Le ? ScalarFn::Ge
           : fn == ScalarFn::Gt ? ScalarFn::Lt
           : fn == ScalarFn::Ge ? ScalarFn::Le
                                : fn;
    }
    if (a.coefficient != 1) return;
    const bool shifted = fn == ScalarFn::Le || fn == ScalarFn::Gt;
    const RowValue at = reaches(shifted ? plus_one(b) : b, a);
    if (fn == ScalarFn::Eq || fn == ScalarFn::Ne) {
      facts[id] = {Fact::Kind::Outcome, fn == ScalarFn::Ne, 0, 0};
      return avoid(at);
    }
    const bool true_below = fn == ScalarFn::Lt || fn == ScalarFn::Le;
    const bool above = small(at.size);
    if (above) {
      raise(at.base);
    } else {
      thin = thin && near_end(at);
      cut(at.base);
    }
    facts[id] = {Fact::Kind::Outcome, above != true_below, 0, 0};
  }

  // The interior does not hold the one place `at`.
  void avoid(const RowValue& at) {
    Value next = b_.CreateAdd(at.base, b_.getInt64(1));
    if (small(at.size)) return raise(next);
    if (near_end(at)) return cut(at.base);
    thin = false;
    // The larger side, of what the tile holds.
    Value nearer_start =
        b_.CreateICmpSLT(b_.CreateSub(at.base, low_), b_.CreateSub(high_, at.base));
    Value inside = b_.CreateAnd(b_.CreateICmpSGE(at.base, low_), b_.CreateICmpSLT(at.base, high_));
    Value new_low = b_.CreateSelect(b_.CreateAnd(inside, nearer_start), next, low_);
    high_ = b_.CreateSelect(b_.CreateAnd(inside, b_.CreateNot(nearer_start)), at.base, high_);
    low_ = new_low;
  }

  void visit_read(graph::NodeId id, const graph::Node& n) {
    const graph::Type& array = function_.values[n.operands[0]].type;
    Fact fact{Fact::Kind::ReadDims, false, 0, 0};
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      const auto index = find(n.operands[d + 1]);
      if (!index || index->coefficient != 1) continue;
      const auto extent = of_size(array.shape[d]);
      if (!extent) continue;
      at_least(RowValue{b_.getInt64(0), 0, Size(0)}, *index);
      below(*extent, *index);
      fact.dims |= 1U << d;
    }
    if (fact.dims != 0) facts[id] = fact;
  }

  llvm::IRBuilder<>& b_;
  const graph::Function& function_;
  const std::vector<Cell>& cells_;
  const Size& extent_;
  Value low_, high_;
  Value sane_ = nullptr;
  std::map<graph::ValueId, RowValue> known_;
};

}  // namespace

std::optional<Emitter::Interior> Emitter::find_interior(const Space& space) {
  RowAnalysis analysis(b_, function_, cells_, space.params.back(), space.sizes.back(),
                       space.low.back(), space.high.back());
  for (graph::RegionId id : space.regions) analysis.visit(id);
  if (analysis.facts.empty()) return std::nullopt;
  Interior interior;
  interior.facts = std::move(analysis.facts);
  interior.thin = analysis.thin;
  // Clamped to the tile, and never reversed.
  Value low = smin(analysis.low(), space.high.back());
  interior.low = low;
  interior.high = smax(smin(analysis.high(), space.high.back()), low);
  return interior;
}

}  // namespace dvm::llvm_backend
