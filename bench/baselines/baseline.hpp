// What every baseline is: named inputs and outputs as .npy files, one function to be timed, and the
// harness's protocol on standard input (docs/performance.md): PROGRAM INPUT_FOLDER RESULT_FOLDER.
#pragma once

#include <omp.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "npy.hpp"

namespace bench {

class Baseline {
 public:
  Baseline(int argc, char** argv) {
    if (argc != 3) fail(std::string("usage: ") + argv[0] + " INPUT_FOLDER RESULT_FOLDER");
    inputs_ = argv[1];
    results_ = argv[2];
  }

  template <class T>
  Array<T> array(const std::string& name) const {
    return read_npy<T>(inputs_ + "/in_" + name + ".npy");
  }
  template <class T>
  T scalar(const std::string& name) const {
    return array<T>(name)[0];
  }
  /// A result: what stands at `data` after the first run is written to NAME.npy.
  template <class T>
  void result(const std::string& name, std::vector<int64_t> shape, const T* data) {
    writers_.push_back([path = results_ + "/" + name + ".npy", shape = std::move(shape), data] {
      write_npy(path, shape, data);
    });
  }
  template <class T>
  void result(const std::string& name, const Array<T>& array) {
    result(name, array.shape, array.data());
  }

  /// Runs once to warm up, writes the results and says so; then, for each number N on standard
  /// input, runs N times and prints the seconds of each.
  int serve(const std::function<void()>& run) const {
    const double first = seconds(run);
    for (const auto& write : writers_) write();
    std::cout << "{\"first\": " << first << "}" << std::endl;
    int count = 0;
    while (std::cin >> count) {
      std::cout << "{\"seconds\": [";
      for (int i = 0; i < count; ++i) std::cout << (i > 0 ? ", " : "") << seconds(run);
      std::cout << "]}" << std::endl;
    }
    return 0;
  }

 private:
  static double seconds(const std::function<void()>& run) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  std::string inputs_, results_;
  std::vector<std::function<void()>> writers_;
};

/// Part `part` of `parts` of 0 … count-1, as equal as they can be.
struct Range {
  int64_t begin, end;
};
inline Range part_of(int64_t count, int part, int parts) {
  return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace bench
