// The plan of a contraction that goes through packed panels, shared by the files that emit it.
//
// Note [Contractions]. A tile of a product reads each element of a row for every column, strided or
// made by arithmetic as it may be. So for a piece of the result and a chunk of the terms, what
// belongs to one side alone (ir/graph/contraction) is first made once and laid into panels, in the
// order in which register tiles want it: for a group of rows (or of columns) as many as a register
// tile has, term after term. The register tiles then run over the panels. Between chunks the
// accumulators wait in memory, unrounded, since they have the type of the result; what a map does
// to a sum happens when its last chunk is through. Every point sees its terms in order.
//
// Blocks of 4096 terms that have to be joined wait in memory, as many for a point as a counter of
// blocks has digits.
//
// A reduction in 32 lanes goes by pairs of lanes: the terms of a lane lie together in the panels,
// all points of a register tile see them in order, lane l joins l + 16 in registers, and these join
// as a counter carries, in the order 0, 8, 4, 12, 2, …: l with l + 8, then + 4, + 2, + 1. Nothing
// is shuffled.
#pragma once

#include "backend/llvm/emitter.hpp"
#include "ir/graph/contraction.hpp"

namespace dvm::llvm_backend {

// Element (i, t) of a side, t counted in the chunk, lies at
// (i / group * chunk + place) * group + i % group; place is t, or in lanes, of columns,
// t % 32 * (chunk / 32) + t / 32.
struct Emitter::Panel {
  graph::ValueId value;
  bool of_rows = false;
  bool along_terms = false;  // its reads walk along the reduced index: made so, then transposed
  ArrayCell memory;
};

struct Emitter::ContractionPlan {
  graph::Contraction what;
  const graph::Node* main = nullptr;
  const graph::Node* reduce = nullptr;
  bool in_lanes = false;
  unsigned width = 1, rows = 1, vectors = 1;  // of a register tile
  std::int64_t chunk = 0;                     // terms
  // Of a piece: when the accumulators have to wait, and when one chunk holds all terms.
  std::int64_t most_rows = 0, most_columns = 0, all_rows = 0, all_columns = 0;
  std::vector<Panel> panels;
  std::vector<ArrayCell> waiting;  // by component
  std::vector<ArrayCell> stacks;   // of blocks, by component, if several are joined
  static constexpr std::int64_t stack_levels = 20;  // 2^20 blocks never run to an end
  std::vector<std::shared_ptr<ArrayCell>> results;  // of the main node
  Space space;
  Value extent = nullptr;
  bool apart = false;  // blocks are results of their own
  Value first_block = nullptr, end_block = nullptr;

  bool mapped() const { return main != reduce; }
  std::int64_t columns() const { return static_cast<std::int64_t>(vectors) * width; }
  std::int64_t group(bool of_rows) const { return of_rows ? rows : columns(); }
  std::int64_t plane() const { return most_rows * most_columns; }  // accumulators of one lane
  // Which vector of a plane is the first of a register tile; the others follow it.
  Value first_vector(llvm::IRBuilder<>& b, Value row_group, Value column_vector) const {
    Value in_row =
        b.CreateMul(row_group, b.getInt64(static_cast<std::uint64_t>(most_columns / width)));
    return b.CreateMul(b.CreateAdd(in_row, column_vector), b.getInt64(rows));
  }
};

struct Emitter::Chunk {
  Value row, row_end, column, column_end;  // the piece
  Value term, terms;                       // the first, and how many
  Value is_first, is_last;                 // of its block
  Value block;
};

struct Emitter::MicroTile {
  Value row_group, column_vector;  // in the piece
  unsigned vectors;
  Value mask;  // of the last vector
};

struct Emitter::Stream {
  const std::vector<Slot>* slots;
  Value first, first_term;  // its place in panels of columns, and which it is
};

}  // namespace dvm::llvm_backend
