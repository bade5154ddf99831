// Loops whose step makes each cell of the carried arrays from the cells around it.
//
// Where a step is a stencil, a tile of the arrays can go through several steps by itself, with a
// halo of cells around it that grows with the number of steps (temporal tiling). This says which
// loops are of that kind and how wide the halo is; it decides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// How far a cell looks along one dimension: at cells i - below … i + above, both not negative.
struct Reach {
  std::int64_t below = 0, above = 0;
  // Cells at the border look elsewhere: a branch leaves reads out, indices are moved back into the
  // array, or come in again at its other end.
  bool guarded = false, clamped = false, wrapped = false;

  // The halo of a tile that goes through so many steps by itself, in cells on its two sides.
  std::int64_t halo_below(std::int64_t steps) const { return below * steps; }
  std::int64_t halo_above(std::int64_t steps) const { return above * steps; }
  bool operator==(const Reach&) const = default;
};

// A carried array that each step makes anew, and how far one step looks into the last one.
struct StencilState {
  std::size_t state = 0;       // its position among the loop's states, from 0
  std::vector<Reach> reaches;  // by dimension
};

struct IteratedStencil {
  std::vector<StencilState> states;  // all of one shape
  std::vector<Reach> reaches;        // by dimension, of all states together
  std::vector<Size> shape;
  std::size_t maps = 0;  // and sums over windows, in a step: those that depend on carried arrays
};

enum class StencilObstacle : std::uint8_t {
  None,
  Whole,       // an operation takes or gives a carried array as a whole
  FarCells,    // a read at an index that is not near its own cell
  AllCells,    // a number that is computed from the carried arrays and used by all cells
  OtherSpace,  // carried arrays or the maps that make them differ in their spaces
};
std::string_view word_of(StencilObstacle obstacle);

struct LoopFinding {
  graph::NodeId loop;
  std::optional<IteratedStencil> stencil;
  StencilObstacle obstacle = StencilObstacle::None;
  graph::NodeId culprit;  // where it shows; may be none
};

// All counted loops that carry arrays and make some of them anew, in program order. Linear in the
// function, and again in what loops of a constant count stand inside of others.
std::vector<LoopFinding> iterated_stencils(const graph::Function& function);

// `a tile of k steps needs k more cells on each side in dimension 0`, with what happens at borders.
std::string describe(const IteratedStencil& stencil);

}  // namespace dvm::passes
