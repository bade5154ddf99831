// The sizes that an operation itself mentions (spaces and extents), and which values they need.
#pragma once

#include <functional>

#include "ir/graph/graph.hpp"

namespace dvm::kernel {

void for_each_size(const graph::Op& op, const std::function<void(const Size&)>& visit);
// Every value that the sizes of `op` mention.
void for_each_size_value(const graph::Op& op, const std::function<void(graph::ValueId)>& visit);

}  // namespace dvm::kernel
