// Tests, on the terms of a run, what a program states by calling `reduce` and the like: that the
// neutral value is neutral and that the operator is associative.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

struct BrokenLaw {
  enum class Law { Neutral, Associative };
  Law law;
  LocId loc;
  std::string message;
};

// Given to the interpreter, which shows it terms in the order in which it meets them. Of each place
// the terms 0 to 63 are tested, then 32 between each power of two and the next.
//
// Integers and Booleans are the same when all bits are. Floats are when they are equal or both NaN,
// or when they differ by no more than half of their type's digits say (2^-26 for Double, 2^-12 for
// Float) of the greatest value in view: of the term and its result for a neutral value, of
// everything that was combined for associativity.
class LawTest {
 public:
  using Values = std::vector<Scalar>;  // by component
  // Nothing: the operator fails for these.
  using Operator = std::function<std::optional<Values>(std::span<const Scalar> left,
                                                       std::span<const Scalar> right)>;

  // Of all places of a module's reductions, those that a program states something about.
  explicit LawTest(std::span<const LocId> places);

  bool asks_for(LocId place) const { return sites_.contains(place); }
  bool samples_next(LocId place);  // counts the term
  void test_neutral(LocId place, const Values& neutral, const Values& term, const Operator& op);
  void test_associative(LocId place, const std::array<Values, 3>& terms, const Operator& op);

  // The first found of each law at each place, in the order in which they were found.
  std::span<const BrokenLaw> broken() const { return broken_; }

 private:
  struct Site {
    std::uint64_t seen = 0;
    bool neutral_broken = false, associative_broken = false;
  };

  std::map<LocId, Site> sites_;
  std::vector<BrokenLaw> broken_;
};

}  // namespace dvm::graph
