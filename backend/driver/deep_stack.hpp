// A stack large enough for the deepest nesting that programs may have.
#pragma once

#include <functional>

namespace dvm::driver {

// Calls `work` on a thread of its own with a large stack and waits for it. What it throws comes out
// here. (The limit on nesting is 5,000; the parser alone takes some 10 kB for a level.)
void on_deep_stack(const std::function<void()>& work);

}  // namespace dvm::driver
