// dvmc: arguments and signals in, an exit status out. All else is in the library.
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "backend/driver/command_line.hpp"
#include "backend/driver/crash_report.hpp"

namespace {

std::atomic<std::int32_t> interrupted{0};

void on_interrupt(int) { interrupted = 1; }

}  // namespace

int main(int count, char** words) {
  dvm::driver::install_crash_report();
  // The first Ctrl-C asks the run to stop; the handler is gone after it, so a second one ends dvmc
  // at once.
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  const std::vector<std::string> arguments(words + 1, words + count);
  return dvm::driver::dvmc_main(
      arguments, {std::cin, std::cout, std::cerr, isatty(STDERR_FILENO) != 0, &interrupted});
}
