// Waiting for another thread's counter: spinning while that is quick, giving the processor away
// when it is not.
#pragma once

#include <sched.h>

#include <atomic>

namespace bench {

template <class T>
void wait_until(const std::atomic<T>& counter, T least) {
  for (int spins = 0; counter.load(std::memory_order_acquire) < least; ++spins) {
    __builtin_ia32_pause();
    if (spins > 2000) sched_yield();
  }
}

}  // namespace bench
