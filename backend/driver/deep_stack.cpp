// A POSIX thread, because std::thread has no stack size. The pages are taken only when used.
#include "backend/driver/deep_stack.hpp"

#include <pthread.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <exception>
#include <vector>

namespace dvm::driver {

namespace {

struct Job {
  const std::function<void()>* work;
  std::exception_ptr thrown;
};

void* run_job(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  // Signal handlers that run after a stack overflow need another stack (see crash_report.cpp).
  std::vector<std::byte> signal_stack(std::size_t{1} << 16);
  stack_t stack = {};
  stack.ss_sp = signal_stack.data();
  stack.ss_size = signal_stack.size();
  sigaltstack(&stack, nullptr);
  try {
    (*job.work)();
  } catch (...) {
    job.thrown = std::current_exception();
  }
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  return nullptr;
}

}  // namespace

void on_deep_stack(const std::function<void()>& work) {
  Job job{&work, nullptr};
  bool started = false;
  // Less where address space is limited (ulimit -v); at the worst the caller's own stack.
  for (const std::size_t bytes :
       {std::size_t{1} << 30, std::size_t{1} << 28, std::size_t{1} << 26}) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_t thread;
    started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
              pthread_create(&thread, &attributes, run_job, &job) == 0;
    pthread_attr_destroy(&attributes);
    if (started) {
      pthread_join(thread, nullptr);
      break;
    }
  }
  if (!started) work();
  if (job.thrown) std::rethrow_exception(job.thrown);
}

}  // namespace dvm::driver
