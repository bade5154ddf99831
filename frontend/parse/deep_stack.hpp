// Runs work that recurses as deep as the nesting limit allows.
#pragma once

#include <functional>

namespace dvm {

// Calls `work` in a thread of its own with a stack of up to 1 GiB (address space, not memory) and
// waits. Exceptions pass through. If no such thread can be had, smaller ones are tried, at last the
// caller's.
void with_deep_stack(const std::function<void()>& work);

}  // namespace dvm
