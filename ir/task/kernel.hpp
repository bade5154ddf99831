// Kernels: what a task runs, and how an engine calls it. Planner, code generator and engine share
// this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph/graph.hpp"

namespace dvm::kernel {

// The part of an operation that one task computes. A kernel is a graph function whose body is one
// node (Map, Reduce, Scan, ReduceByKey, Scatter, Filter), whose params are everything the node
// reads: arrays, and i64 or other scalars as rank-0 operands. Operands of a call: params in order,
// then results.
enum class Phase : std::uint8_t {
  Map,            // tile dims: space.                     results: the node's results
  ReduceWhole,    // tile dims: space.                     results: the node's; all blocks and the
                  // tree inside
  ReduceBlocks,   // tile dims: space, then blocks.        results: one array [blocks] + space per
                  // component
  ReduceCombine,  // tile dims: space. operands: params, then the arrays of ReduceBlocks; results:
                  // the node's
  ScanWhole,      // tile dims: space.                     results: the node's
  ScanTotals,     // tile dims: space, then blocks.        results: one array space + [blocks] per
                  // component
  ScanOffsets,    // tile dims: space. operands: params, totals; results: space + [blocks], offset
                  // before each
                  //   block (the first is not used)
  ScanApply,      // tile dims: space, then blocks. operands: params, offsets; results: the node's
  KeyBlocks,   // tile dims: key blocks. results: per component [blocks, keys] + space, then seen:
               // bool [blocks, keys]
  KeyCombine,  // tile dims: keys. operands: params, KeyBlocks' results; results: the node's
  Scatter,  // tile dims: rows of the destinations. results: the node's, filled with these by the
            // kernel
  FilterCount,  // tile dims: points in chunks of 4096 (tile dim counts chunks). results: i64
                // [chunks] kept per chunk
  FilterWrite,  // as FilterCount. operands: params, i64 [chunks] offsets before each chunk;
                // results: value arrays
  Sort,  // tile dims: none; operands: key arrays; result: the permutation (written in C++, no code
         // generated)
};
inline constexpr int phase_count = 14;
// `map`, `reduce_whole`, …: as written in .dvt text (defined in ir/task/kernel.cpp).
std::string_view name(Phase phase);
std::optional<Phase> phase_from_name(std::string_view name);

struct Kernel {
  std::string symbol;  // of the generated function
  Phase phase = Phase::Map;
  graph::FunctionId function;
};

// --- The binary interface. Plain C layout; version: kernel_abi_version.
inline constexpr int kernel_abi_version = 2;
inline constexpr int max_rank = 8;

// A row-major array: element (i0, …, ir) is at data + (i0*strides[0] + … + ir*strides[r]) * element
// size; the last stride is 1. Data may be unaligned. Bool is one byte, 0 or 1.
struct View {
  void* data;
  std::int64_t strides[max_rank];
};

// The failure with the least (check, index); check = -1: none so far. The kernel compares before it
// writes.
struct ErrorRecord {
  std::int64_t check;
  std::int64_t index;      // row-major iteration index over the whole operation
  std::int64_t values[4];  // raw bits, in the order of the check node's message values
                           // (failing read: index value, extent; division: dividend)
};

struct KernelCall {
  const View* operands;
  const std::int64_t* low;  // tile bounds, one pair per tile dim: low <= i < high
  const std::int64_t* high;
  void* scratch;  // scratch_bytes(kernel) bytes, 64-byte aligned
  ErrorRecord* error;
  const std::int32_t* cancel;  // non-zero: return early
};
using KernelFunction = void (*)(const KernelCall*);

}  // namespace dvm::kernel
