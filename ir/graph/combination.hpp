// The needed components of a reduce, scan, scatter or reduce_by_key: their terms and their
// operator.
#pragma once

#include "ir/graph/interpreter.hpp"
#include "ir/graph/law_test.hpp"

namespace dvm::graph {

class Combination {
 public:
  using Values = std::vector<std::uint64_t>;  // by component; those not needed are not touched

  // `first`: yields of the body before the terms. `operator_block`: null with `components`.
  Combination(Interpreter& machine, Frame& frame, const Step& step,
              const std::vector<Component>& components, std::size_t first,
              const Block* operator_block);

  // Reads the terms from the yields of the body; components whose term is missing are lost from now
  // on.
  void take_terms();
  // The accumulator after its first term, and after a further one.
  void start(Values& accumulator);
  void add(Values& accumulator);
  // left = left op right.
  void combine(Values& left, const Values& right);
  // right = left op right.
  void combine_before(const Values& left, Values& right);
  // The balanced tree over blocks: neighbours at distance 1, 2, 4, …; absent blocks (empty) are
  // skipped.
  Values tree(std::vector<Values> blocks);
  Values neutral() const;

  std::size_t size() const { return element_.size(); }
  bool needed(std::size_t component) const { return step_.results[component]; }
  bool lost(std::size_t component) const { return lost_[component]; }
  void lose(std::size_t component) { lost_[component] = true; }
  ElementType element(std::size_t component) const { return element_[component]; }
  const Values& terms() const { return term_; }
  // Writes a component into `into` at a flat index.
  void store(const Values& from, std::size_t component, Tensor& into, std::int64_t at) const;
  // Gives the node its results: `arrays` by component, or scalars where they have rank 0.
  void finish(std::vector<Tensor>& arrays, bool scalars);

 private:
  Values combined(const Values& left, const Values& right);
  // The terms just read as one value.
  Values whole_term() const;
  // Shows a term to the test of laws.
  void show(const Values& term);
  std::vector<Scalar> scalars(const Values& values) const;
  Values values(std::span<const Scalar> scalars) const;
  // The operator as a trial, which leaves no failure behind; nothing when it fails.
  std::optional<std::vector<Scalar>> tried(std::span<const Scalar> left,
                                           std::span<const Scalar> right);

  Interpreter& machine_;
  Frame& frame_;
  const Step& step_;
  const std::vector<Component>& components_;
  const Block* operator_block_;
  const Region& body_;
  std::vector<std::size_t> yield_;  // by component: its (first) yield
  std::vector<ElementType> element_;
  std::vector<bool> lost_;
  Values term_, factor_;        // factor: second part of a fused product
  LawTest* laws_ = nullptr;     // when it asks for this reduction
  std::vector<Values> recent_;  // the terms before, at most two, for the laws
};

}  // namespace dvm::graph
