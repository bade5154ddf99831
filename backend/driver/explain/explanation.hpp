// What the graph passes made of a program, line by line: what `dvmc explain` shows.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/driver/compilation.hpp"
#include "backend/driver/explain/formula.hpp"
#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::driver {

// A line of a file of the user's; invalid for what stands in the standard library alone.
struct Place {
  FileId file;
  std::uint32_t line = 0;
  bool valid() const { return file.valid(); }
  auto operator<=>(const Place&) const = default;
};

// Sizes are over the names of the explanation.
struct Amounts {
  std::size_t arrays = 0;  // that lie in memory
  std::size_t rows = 0;    // that a cache holds: inside kernels, or one tile at a time
  Size stored;             // bytes of the arrays in memory
  Size passes;             // walks over memory, one for each run of an array operation
  Size read;               // bytes of the arrays that passes read, each once a pass
  Size row_bytes;
  Size operations;  // floating-point
};

enum class Fate : std::uint8_t {
  Kept,
  Tiled,   // exists one tile at a time
  Fused,   // computed where it is read
  Shared,  // equal to another
  Gone,    // no longer needed
};
std::string_view word_of(Fate fate);

// One array of the program as it was written, or a number that takes a pass over memory.
struct Story {
  std::size_t tag = 0;         // which it is, in the graph before
  std::string name;            // in the source; may be empty
  std::string type;            // f64[n, m]
  std::string_view operation;  // map, reduce, …
  bool is_row = false;         // stands inside a kernel
  bool own_pass = true;        // false: made in the pass of another one
  std::string within;          // the library function that makes it; may be empty
  std::vector<Place> callers;  // innermost first: where the functions around it are called
  Fate fate = Fate::Kept;
  std::string_view verdict;        // stable word for the reason
  std::string reason;              // may be empty
  Place other;                     // what the reason speaks of
  std::vector<std::string> notes;  // whole sentences without capital and period
};

struct LineStory {
  Place place;
  std::string text;  // of the line
  Amounts before, after;
  std::vector<Story> stories;
};

// What the plan puts into one pass although it has no common body (passes/plan/chains), by tag.
struct Chains {
  std::map<std::size_t, std::size_t> leader;  // of all members but the first
  std::set<std::size_t> tiles;                // arrays of which only the tile at hand exists
};

struct Explanation {
  std::string program, entry;
  Names names;
  std::vector<LineStory> lines;  // the program's own file first
  Amounts before, after;
  std::vector<passes::Remark> general;  // about no array
  Chains chains;
  graph::Module graph_before, graph_after;  // values of sweeps carry tags in their names
};

struct SizeChoice {
  std::string name;
  std::int64_t value;
};
// `before` is the elaborated graph with calls inlined, `after` what the other passes made of it.
std::optional<Explanation> explain_program(Compilation& compilation, const std::string& path,
                                           std::string text, const std::vector<SizeChoice>& sizes);

std::string explain_as_text(const Explanation& explanation, const SourceMap& sources);
std::string explain_as_json(const Explanation& explanation, const SourceMap& sources);

}  // namespace dvm::driver
