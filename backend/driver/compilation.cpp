// Times, and what is printed at the end of a compilation.
#include "backend/driver/compilation.hpp"

#include <chrono>
#include <ostream>

namespace dvm::driver {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Compilation::Clock::Clock() : begin_(now()) {}
double Compilation::Clock::seconds() const { return now() - begin_; }

double Compilation::total_seconds() const {
  double sum = 0;
  for (const auto& [stage, time] : seconds) sum += time;
  return sum;
}

int report(const Compilation& compilation, const Options& options, const Console& console) {
  for (const std::string& text : compilation.reports) console.err << text;
  const int status = report(compilation.diagnostics, compilation.sources, options, console);
  return compilation.problem ? report(*compilation.problem, options, console) : status;
}

}  // namespace dvm::driver
