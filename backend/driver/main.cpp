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

// The first Ctrl-C asks the run to stop. What does not listen (a compilation, one long task) is
// ended after a second; files have no name until they are complete, so nothing is left behind then
// either.
void on_interrupt(int) {
  interrupted = 1;
  alarm(1);
}
void on_alarm(int) {
  const char text[] = "dvmc: cancelled\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof(text) - 1);
  _exit(dvm::driver::status::cancelled);
}

// In a session Ctrl-C ends what is being computed, or drops the line being edited. When a
// computation does not listen, a second one ends dvmc.
std::atomic<bool> computing{false};

void on_session_interrupt(int) {
  if (interrupted.exchange(1) != 0 && computing) on_alarm(0);
}
void expect_interrupt(bool for_computation) {
  computing = for_computation;
  interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = on_session_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

int main(int count, char** words) {
  dvm::driver::install_crash_report();
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND;  // a second Ctrl-C ends dvmc at once
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  const std::vector<std::string> arguments(words + 1, words + count);
  return dvm::driver::dvmc_main(
      arguments, {std::cin, std::cout, std::cerr, isatty(STDERR_FILENO) != 0, &interrupted,
                  isatty(STDIN_FILENO) != 0, expect_interrupt});
}
