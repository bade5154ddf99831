// What a pass is.
#pragma once

#include <string_view>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// A pass on the graph rewrites the module in place of itself. It never changes what a program
// computes, not by a bit, and never drops the failure of a needed value.
struct GraphPass {
  std::string_view
      name;  // fuse-maps: file fuse_maps.cpp, function fuse_maps, tests/passes/fuse_maps/
  std::string_view doc;
  bool mandatory;  // part of elaboration: cannot be disabled
  void (*run)(graph::Module&);
};

}  // namespace dvm::passes
