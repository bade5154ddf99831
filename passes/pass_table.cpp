// The table of passes, and the proof that every pipeline names passes that exist.
#include "passes/pass_table.hpp"

#include "passes/graph/collapse_maps.hpp"
#include "passes/graph/contract.hpp"
#include "passes/graph/drop_unneeded.hpp"
#include "passes/graph/fix_rounding.hpp"
#include "passes/graph/flatten_maps.hpp"
#include "passes/graph/fuse_maps.hpp"
#include "passes/graph/fuse_siblings.hpp"
#include "passes/graph/hoist_checks.hpp"
#include "passes/graph/hoist_invariants.hpp"
#include "passes/graph/inline_calls.hpp"
#include "passes/graph/lift_rows.hpp"
#include "passes/graph/share_values.hpp"
#include "passes/graph/simplify.hpp"
#include "passes/graph/sink_checks.hpp"
#include "passes/graph/sink_scalars.hpp"
#include "passes/graph/sort_values.hpp"
#include "passes/pipeline.hpp"

namespace dvm::passes {

namespace {

constexpr GraphPass table[] = {
    {"fix-rounding", "decides the tree of every reduction and which products are fused into sums",
     PassRole::Meaning, fix_rounding},
    {"contract", "makes one operation of a product of floats and the sum it feeds (--contract)",
     PassRole::Requested, contract},
    {"inline-calls", "puts functions that do not call themselves in the place of their calls",
     PassRole::Optimise, inline_calls},
    {"simplify", "folds constants, identities, constant branches, short loops and proven checks",
     PassRole::Optimise, simplify},
    {"share-values", "computes equal values once", PassRole::Optimise, share_values},
    {"sort-values", "sorts values themselves where their order serves only to read them by it",
     PassRole::Optimise, sort_values},
    {"hoist-checks", "checks once, behind a body, what its points check alike", PassRole::Optimise,
     hoist_checks},
    {"hoist-invariants", "moves what does not depend on a body's indices or states out of it",
     PassRole::Optimise, hoist_invariants},
    {"lift-rows", "computes once for a row what is the same at all its points", PassRole::Optimise,
     lift_rows},
    {"sink-checks", "checks what is made of an array's elements instead of the array",
     PassRole::Optimise, sink_checks},
    {"fuse-maps", "computes elements of a map where they are read, when that moves less memory",
     PassRole::Optimise, fuse_maps},
    {"collapse-maps", "makes one map of a map that gives rows of maps", PassRole::Optimise,
     collapse_maps},
    {"flatten-maps", "walks in one dimension what treats every element alike and is read flat",
     PassRole::Optimise, flatten_maps},
    {"fuse-siblings", "joins maps or reductions over one space that read the same arrays",
     PassRole::Optimise, fuse_siblings},
    {"sink-scalars", "recomputes cheap scalars where they are used, so that they need no task",
     PassRole::Optimise, sink_scalars},
    {"drop-unneeded", "removes nodes, results and loop states that no result needs",
     PassRole::Optimise, drop_unneeded},
};

constexpr bool is_pass(std::string_view name) {
  for (const GraphPass& pass : table)
    if (pass.name == name) return true;
  return false;
}
constexpr bool all_exist(const auto& pipeline) {
  for (std::string_view name : pipeline)
    if (!is_pass(name)) return false;
  return true;
}
static_assert(all_exist(default_pipeline), "the default pipeline names a pass that does not exist");
static_assert(all_exist(elaboration_pipeline), "the elaboration names a pass that does not exist");

}  // namespace

std::span<const GraphPass> pass_table() { return table; }

const GraphPass* find_pass(std::string_view name) {
  for (const GraphPass& pass : table)
    if (pass.name == name) return &pass;
  return nullptr;
}

}  // namespace dvm::passes
