// Contractions: products of matrices and whatever has their shape (distances, min-plus products,
// …), found by what the parts of a body depend on, never by operations' names.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

// A reduction over two or more dimensions, or a map over as many whose body is one reduction at the
// point and scalars around it, in which every read that changes with the reduced index belongs to
// the rows (the last but one dimension) or to the columns (the last), never to both. An element of
// one side can then be made once for a whole tile of results instead of once for each result.
struct Contraction {
  NodeId reduce;
  ValueId row, column, term;  // the two innermost indices of the space, and the reduced index
  // The largest parts of the terms that belong to one side, in program order. Neither is empty.
  std::vector<ValueId> of_rows, of_columns;
  // Nodes of the body of the reduction that are left when those are given: they run once for each
  // term of each result.
  int rest = 0;
};

// nullopt when the node is no contraction, or when something in its body may fail (other than
// behind the reduction).
std::optional<Contraction> contraction_of(const Function& function, NodeId node);

// On tiles of about this many rows and columns an element of one side is made once for each tile of
// the other side's dimension: extent / contraction_tile times instead of extent times.
inline constexpr double contraction_tile = 128;

}  // namespace dvm::graph
