// What --time and --time-passes print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "passes/runner.hpp"

namespace dvm::driver {

struct RunTimes {
  double compile = 0;  // seconds from source to package, 0 when it was cached or given
  bool cached = false;
  std::vector<std::pair<std::string, double>> stages;  // of compiling
  double load = 0;                                     // seconds to load the package
  double inputs = 0;                                   // seconds to read the inputs
  std::vector<double> runs;                            // seconds of each repetition
  std::int64_t tasks = 0;                              // of one run
  int workers = 0;
  std::size_t peak_bytes = 0;
};

double median(std::vector<double> values);

// `form` is text or json; ends with a line break.
std::string render(const RunTimes& times, const std::string& form);

// What `--time-passes=json` prints: one line with an object for each execution of a pass. For text
// see passes::render_times.
std::string render_json(std::span<const passes::PassReport> reports);
// Seconds of the stages around the passes, as one line.
std::string render(std::span<const std::pair<std::string, double>> stages, const std::string& form);

}  // namespace dvm::driver
