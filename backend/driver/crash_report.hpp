// A crash of dvmc ends with status 70 and says what to send.
#pragma once

#include <cstddef>
#include <vector>

namespace dvm::driver {

// For `main` only: a library must leave the process's signals alone.
void install_crash_report();

// Gives the current thread, while the object lives, a second stack on which the report can be
// written after the first one overflowed.
class CrashStack {
 public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace dvm::driver
