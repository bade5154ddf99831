// A thread with a large stack, from pthreads because std::thread has no say in it.
#include "frontend/parse/deep_stack.hpp"

#include <pthread.h>

#include <cstddef>
#include <exception>

namespace dvm {
namespace {

struct Call {
  const std::function<void()>* work = nullptr;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  auto* call = static_cast<Call*>(argument);
  try {
    (*call->work)();
  } catch (...) {
    call->thrown = std::current_exception();
  }
  return nullptr;
}

// A thread that already has one need not start another.
thread_local bool deep = false;

bool run_in_thread(Call& call, std::size_t stack_bytes) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread{};
  const bool started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                       pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  return started;
}

}  // namespace

void with_deep_stack(const std::function<void()>& work) {
  if (deep) {
    work();
    return;
  }
  const std::function<void()> marked = [&work] {
    deep = true;
    work();
  };
  Call call{&marked, nullptr};
  bool done = false;
  for (std::size_t bytes = std::size_t{1} << 30; !done && bytes >= std::size_t{1} << 26;
       bytes /= 4) {
    done = run_in_thread(call, bytes);
  }
  if (!done) work();
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace dvm
