// What one kernel can hold.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

// The code generator can run everything in the regions of this operation (map, reduce, scan,
// scatter, reduce_by_key or filter) inside a kernel: scalars, control on scalars, and inner maps,
// reductions and scans whose arrays have sizes known before the kernel starts. Else its points are
// instances of a template. The opposite of what backend/llvm refuses.
bool fits_kernel(const graph::Function& function, graph::NodeId node);
// The same of one region of the node.
bool fits_kernel(const graph::Function& function, graph::RegionId region);

}  // namespace dvm::passes
