// What a pass is.
#pragma once

#include <string_view>

#include "ir/graph/graph.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

enum class PassRole {
  Meaning,    // part of elaboration: always runs
  Requested,  // chooses another rounding: part of elaboration when its option is given
  Optimise,   // may be left out
};

// A pass as a function: one that says what it did (to a `Remarks` that may be null), or one that
// does not.
class PassFunction {
 public:
  constexpr PassFunction(void (*silent)(graph::Module&)) : silent_(silent) {}
  constexpr PassFunction(void (*telling)(graph::Module&, Remarks*)) : telling_(telling) {}

  void operator()(graph::Module& module, Remarks* remarks = nullptr) const {
    if (telling_ != nullptr)
      telling_(module, remarks);
    else
      silent_(module);
  }

 private:
  void (*silent_)(graph::Module&) = nullptr;
  void (*telling_)(graph::Module&, Remarks*) = nullptr;
};

// A pass on the graph rewrites the module in place of itself. It never drops the failure of a
// needed value, and one that optimises never changes what a program computes, not by a bit.
struct GraphPass {
  std::string_view
      name;  // fuse-maps: file fuse_maps.cpp, function fuse_maps, tests/passes/fuse_maps/
  std::string_view doc;
  PassRole role;
  PassFunction run;
};

}  // namespace dvm::passes
