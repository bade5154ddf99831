// What --time prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace dvm::driver
