// Integer values as affine expressions: constant + sum of coefficient * variable.
//
// Variables are i64 values made inside regions: indices of map, reduce, …, and whatever the
// analysis cannot look into (loop states, loaded integers, products of two variables). i64 values
// made at the top level of the function do not vary inside its regions; they are symbols of the
// sizes, so that in `i * m + j + k` the coefficient of i is m and the constant is k.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

struct Affine {
  struct Term {
    ValueId variable;
    Size coefficient;  // never the constant 0
    bool operator==(const Term&) const = default;
  };
  Size constant;
  std::vector<Term> terms;  // by variable, each once

  Affine() = default;
  Affine(Size value) : constant(std::move(value)) {}
  static Affine variable(ValueId value);

  bool is_size() const { return terms.empty(); }
  Size coefficient(ValueId variable) const;  // 0 when it does not occur
  // Exactly this variable, times one, plus nothing.
  std::optional<ValueId> as_variable() const;

  Affine operator+(const Affine& other) const;
  Affine operator-(const Affine& other) const;
  Affine operator*(const Size& factor) const;
  bool operator==(const Affine&) const = default;
};

// The affine forms of all i64 scalars of a function, found in one linear walk. Equal forms are
// equal values (arithmetic wraps on both sides alike).
class AffineForms {
 public:
  explicit AffineForms(const Function& function);

  const Affine& of(ValueId i64_scalar) const { return forms_.at(i64_scalar.index); }
  // A value at the top level of the function: the same for all points of all regions.
  bool is_top_level(ValueId value) const { return top_level_.at(value.index); }

 private:
  void visit_region(const Function& function, RegionId region, bool top_level);
  void visit_node(const Function& function, NodeId node, bool top_level);
  Affine form_of(const Function& function, const Node& node) const;
  Affine atom(ValueId value) const;

  std::vector<Affine> forms_;    // by value; only i64 scalars have one
  std::vector<bool> top_level_;  // by value
};

}  // namespace dvm::graph
