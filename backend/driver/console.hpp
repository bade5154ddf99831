// Where dvmc reads and writes, and how it ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>

namespace dvm::driver {

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool terminal = false;  // somebody watches `err`: progress is worth a line
  const std::atomic<std::int32_t>* cancel = nullptr;  // becomes non-zero on Ctrl-C

  bool interactive = false;  // `in` is a terminal
  // For sessions: forgets an earlier Ctrl-C, and lets the next one only set `cancel`.
  void (*expect_interrupt)(bool for_computation) = nullptr;

  bool cancelled() const { return cancel != nullptr && cancel->load() != 0; }
};

// Exit statuses, see docs/language.md, "Running".
namespace status {
inline constexpr int ok = 0;
inline constexpr int program = 1;    // an error in the program, while compiling or running
inline constexpr int usage = 2;      // wrong usage or inputs
inline constexpr int internal = 70;  // a bug in dvmc
inline constexpr int cancelled = 130;
}  // namespace status

}  // namespace dvm::driver
