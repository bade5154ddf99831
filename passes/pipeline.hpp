// In which order passes run, and why.
#pragma once

#include <span>
#include <string_view>

namespace dvm::passes {

// What always runs: it makes the elaborated graph, which is the program's meaning.
inline constexpr std::string_view elaboration_pipeline[] = {"fix-rounding"};

inline constexpr std::string_view default_pipeline[] = {
    // First, and on the graph as it was lowered: what it sees decides the rounding.
    "fix-rounding",
    // Whole bodies in view before anything is matched.
    "inline-calls",
    // Proves checks away and makes equal things look equal; then they are found.
    "simplify",
    "share-values",
    // Before fusion, while readers of sorted values are still plain maps.
    "sort-values",
    // A body that cannot fail can be moved and fused.
    "hoist-checks",
    // Before fusion: what leaves a body now is not inlined into others again and again.
    "hoist-invariants",
    // What depends on some indices of a body; before fusion, which then knows what it would repeat.
    "lift-rows",
    // Frees arrays for fusion from checks on the whole.
    "sink-checks",
    // Makes the arrays that no one needs to store vanish. Bodies meet, so that new identities,
    // equal
    // reads and equal index arithmetic appear in them.
    "fuse-maps",
    "simplify",
    "share-values",
    // Rows have become single maps; as elements of one they can be computed where they are read.
    "collapse-maps",
    "fuse-maps",
    "simplify",
    "share-values",
    // Now that it is known which arrays remain; siblings are still to be joined.
    "flatten-maps",
    "simplify",
    "share-values",
    // After equal bodies were shared and producers moved into their readers: what is left side by
    // side
    // reads memory for itself. Reads of joined bodies are then shared.
    "fuse-siblings",
    "share-values",
    // Joining can make a producer's readers one, so that it fuses now.
    "fuse-maps",
    "simplify",
    "share-values",
    // Fusion made checks of arrays checks of indices.
    "hoist-checks",
    "hoist-invariants",
    // Last: it duplicates scalars on purpose, which share-values would undo.
    "sink-scalars",
};

}  // namespace dvm::passes
