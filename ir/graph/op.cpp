// Facts of operations, and the formulas their attributes obey.
#include "ir/graph/op.hpp"

#include <algorithm>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

const OpFacts& facts(const Op& op) {
  return std::visit(
      [](const auto& one) -> const OpFacts& { return std::remove_cvref_t<decltype(one)>::facts; },
      op);
}

std::int64_t key_block(std::int64_t keys) {
  // ceil(32 * keys / 4096) = ceil(keys / 128), written so that it cannot overflow.
  constexpr std::int64_t keys_per_block = reduction_block / reduction_lanes;
  const std::int64_t blocks = keys <= 0 ? 0 : (keys - 1) / keys_per_block + 1;
  std::int64_t length = 0;
  if (__builtin_mul_overflow(reduction_block, std::max<std::int64_t>(1, blocks), &length))
    return INT64_MAX;
  return length;
}

std::optional<FunctionId> Module::find(std::string_view name) const {
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[FunctionId{i}].name == name) return FunctionId{i};
  }
  return std::nullopt;
}

}  // namespace dvm::graph
