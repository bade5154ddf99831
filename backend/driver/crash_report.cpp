// Signal handlers that only call what may be called there.
#include "backend/driver/crash_report.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "backend/driver/console.hpp"

namespace dvm::driver {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;  // the sanitizer's own report says more
#else
constexpr bool sanitized = false;
#endif

void on_crash(int signal) {
  const char* what = signal == SIGSEGV   ? "invalid memory access"
                     : signal == SIGABRT ? "abort"
                     : signal == SIGFPE  ? "arithmetic error"
                     : signal == SIGBUS  ? "bus error"
                                         : "invalid instruction";
  const char* parts[] = {
      "dvmc: internal error: ", what,
      "\nThis is a bug in dvmc. Please send the program, the command line and `dvmc --version`.\n"};
  for (const char* part : parts) {
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  _exit(status::internal);
}

}  // namespace

CrashStack::CrashStack() : bytes_(std::size_t{1} << 16) {
  stack_t stack = {};
  stack.ss_sp = bytes_.data();
  stack.ss_size = bytes_.size();
  sigaltstack(&stack, nullptr);
}

CrashStack::~CrashStack() {
  stack_t stack = {};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
}

void install_crash_report() {
  if (sanitized) return;
  struct sigaction action = {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

}  // namespace dvm::driver
