// What a pass is.
#pragma once

#include <string_view>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

enum class PassRole {
  Meaning,    // part of elaboration: always runs
  Requested,  // chooses another rounding: part of elaboration when its option is given
  Optimise,   // may be left out
};

// A pass on the graph rewrites the module in place of itself. It never drops the failure of a
// needed value, and one that optimises never changes what a program computes, not by a bit.
struct GraphPass {
  std::string_view
      name;  // fuse-maps: file fuse_maps.cpp, function fuse_maps, tests/passes/fuse_maps/
  std::string_view doc;
  PassRole role;
  void (*run)(graph::Module&);
};

}  // namespace dvm::passes
