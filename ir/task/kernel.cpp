// Names of kernel phases.
#include "ir/task/kernel.hpp"

namespace dvm::kernel {

namespace {

constexpr std::string_view names[phase_count] = {
    "map",          "reduce_whole", "reduce_blocks", "reduce_combine", "scan_whole", "scan_totals",
    "scan_offsets", "scan_apply",   "key_blocks",    "key_combine",    "scatter",    "filter_count",
    "filter_write", "sort"};

}  // namespace

std::string_view name(Phase phase) { return names[static_cast<int>(phase)]; }

std::optional<Phase> phase_from_name(std::string_view name) {
  for (int k = 0; k < phase_count; ++k)
    if (names[k] == name) return static_cast<Phase>(k);
  return std::nullopt;
}

}  // namespace dvm::kernel
