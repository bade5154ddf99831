// Terms, operators and trees of reductions.
#include "ir/graph/combination.hpp"

#include <array>

#include "ir/graph/evaluate_scalar.hpp"

namespace dvm::graph {

Combination::Combination(Interpreter& machine, Frame& frame, const Step& step,
                         const std::vector<Component>& components, std::size_t first,
                         const Block* operator_block)
    : machine_(machine),
      frame_(frame),
      step_(step),
      components_(components),
      operator_block_(operator_block),
      body_(*step.blocks[0]->region) {
  const std::size_t count = step.node->operands.size();
  std::size_t next = first;
  for (std::size_t k = 0; k < count; ++k) {
    yield_.push_back(next);
    next += !components.empty() && components[k].fused_product ? 2 : 1;
    element_.push_back(machine.type(frame, step.node->operands[k]).element);
  }
  if (machine.options_.laws != nullptr && machine.options_.laws->asks_for(step.node->loc))
    laws_ = machine.options_.laws;
  lost_.assign(count, false);
  term_.assign(count, 0);
  factor_.assign(count, 0);
}

void Combination::take_terms() {
  for (std::size_t k = 0; k < size(); ++k) {
    if (!needed(k)) continue;
    const bool fused = !components_.empty() && components_[k].fused_product;
    const ValueId yield = body_.yields[yield_[k]];
    if (machine_.is_poisoned(frame_, yield)) lost_[k] = true;
    term_[k] = machine_.bits(frame_, yield);
    if (!fused) continue;
    const ValueId factor = body_.yields[yield_[k] + 1];
    if (machine_.is_poisoned(frame_, factor)) lost_[k] = true;
    factor_[k] = machine_.bits(frame_, factor);
  }
}

Combination::Values Combination::whole_term() const {
  Values whole = term_;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!needed(k) || components_.empty() || !components_[k].fused_product) continue;
    const std::array<Scalar, 2> args = {Scalar{element_[k], term_[k]},
                                        Scalar{element_[k], factor_[k]}};
    whole[k] = evaluate_scalar(ScalarFn::Mul, args, element_[k], machine_.options_.isa)->bits;
  }
  return whole;
}

void Combination::start(Values& accumulator) {
  accumulator = whole_term();
  if (laws_ != nullptr) show(accumulator);
}

void Combination::add(Values& accumulator) {
  if (laws_ != nullptr) show(whole_term());
  if (components_.empty()) return combine(accumulator, term_);
  for (std::size_t k = 0; k < size(); ++k) {
    if (!needed(k) || lost_[k]) continue;
    const Scalar sum{element_[k], accumulator[k]}, term{element_[k], term_[k]},
        factor{element_[k], factor_[k]};
    const std::array<Scalar, 3> fused = {term, factor, sum};
    const std::array<Scalar, 2> plain = {sum, term};
    accumulator[k] =
        components_[k].fused_product
            ? evaluate_scalar(ScalarFn::Fma, fused, element_[k], machine_.options_.isa)->bits
            : evaluate_scalar(components_[k].combiner, plain, element_[k], machine_.options_.isa)
                  ->bits;
  }
}

void Combination::combine(Values& left, const Values& right) { left = combined(left, right); }
void Combination::combine_before(const Values& left, Values& right) {
  right = combined(left, right);
}

Combination::Values Combination::combined(const Values& left, const Values& right) {
  Values result = left;
  if (!components_.empty()) {
    for (std::size_t k = 0; k < size(); ++k) {
      if (!needed(k) || lost_[k]) continue;
      const std::array<Scalar, 2> args = {Scalar{element_[k], left[k]},
                                          Scalar{element_[k], right[k]}};
      result[k] =
          evaluate_scalar(components_[k].combiner, args, element_[k], machine_.options_.isa)->bits;
    }
    return result;
  }
  const Region& region = *operator_block_->region;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!needed(k)) continue;
    machine_.bits(frame_, region.params[k]) = left[k];
    machine_.bits(frame_, region.params[size() + k]) = right[k];
    machine_.set_poison(frame_, region.params[k], lost_[k]);
    machine_.set_poison(frame_, region.params[size() + k], lost_[k]);
  }
  machine_.enter(frame_, *operator_block_);
  for (std::size_t k = 0; k < size(); ++k) {
    if (!needed(k)) continue;
    if (machine_.is_poisoned(frame_, region.yields[k])) lost_[k] = true;
    result[k] = machine_.bits(frame_, region.yields[k]);
  }
  return result;
}

// ---------------------------------------------------------------- laws

std::vector<Scalar> Combination::scalars(const Values& values) const {
  std::vector<Scalar> result;
  for (std::size_t k = 0; k < size(); ++k)
    if (needed(k)) result.push_back({element_[k], values[k]});
  return result;
}

Combination::Values Combination::values(std::span<const Scalar> scalars) const {
  Values result(size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < size(); ++k)
    if (needed(k)) result[k] = scalars[next++].bits;
  return result;
}

std::optional<std::vector<Scalar>> Combination::tried(std::span<const Scalar> left,
                                                      std::span<const Scalar> right) {
  const auto error = machine_.error_, limit = machine_.limit_;
  const std::uint64_t failures = machine_.failures_;
  const std::vector<bool> lost = lost_;
  const Values result = combined(values(left), values(right));
  const bool failed = machine_.failures_ != failures || lost_ != lost;
  machine_.error_ = error;
  machine_.limit_ = limit;
  machine_.failures_ = failures;
  lost_ = lost;
  if (failed) return std::nullopt;
  return scalars(result);
}

void Combination::show(const Values& term) {
  for (std::size_t k = 0; k < size(); ++k)
    if (needed(k) && lost_[k]) return;
  const LawTest::Operator op = [this](std::span<const Scalar> left, std::span<const Scalar> right) {
    return tried(left, right);
  };
  const LocId loc = step_.node->loc;
  if (laws_->samples_next(loc)) {
    laws_->test_neutral(loc, scalars(neutral()), scalars(term), op);
    // Those that work on each component by themselves are associative by definition.
    if (components_.empty() && recent_.size() == 2)
      laws_->test_associative(loc, {scalars(recent_[0]), scalars(recent_[1]), scalars(term)}, op);
  }
  if (recent_.size() == 2) recent_.erase(recent_.begin());
  recent_.push_back(term);
}

Combination::Values Combination::tree(std::vector<Values> blocks) {
  for (std::size_t distance = 1; distance < blocks.size(); distance *= 2) {
    for (std::size_t i = 0; i + distance < blocks.size(); i += 2 * distance) {
      Values& left = blocks[i];
      const Values& right = blocks[i + distance];
      if (right.empty()) continue;
      left = left.empty() ? right : combined(left, right);
    }
  }
  return blocks.empty() ? Values() : std::move(blocks[0]);
}

Combination::Values Combination::neutral() const {
  Values values(size());
  for (std::size_t k = 0; k < size(); ++k) {
    if (needed(k)) values[k] = machine_.bits(frame_, step_.node->operands[k]);
  }
  return values;
}

void Combination::store(const Values& from, std::size_t component, Tensor& into,
                        std::int64_t at) const {
  into.set(at, Scalar{element_[component], from[component]});
}

void Combination::finish(std::vector<Tensor>& arrays, bool scalars) {
  for (std::size_t k = 0; k < size(); ++k) {
    if (!needed(k)) continue;
    const ValueId result = step_.node->results[k];
    if (scalars) {
      machine_.bits(frame_, result) = arrays[k].at(0).bits;
    } else {
      machine_.array(frame_, result) = std::move(arrays[k]);
    }
    machine_.set_poison(frame_, result, lost_[k]);
  }
}

}  // namespace dvm::graph
