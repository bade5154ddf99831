// Processor time of the calling thread: what else the machine does meanwhile does not count.
#pragma once

#include <time.h>

#include <cstdint>

namespace dvm {

inline std::int64_t thread_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1000;
}

}  // namespace dvm
