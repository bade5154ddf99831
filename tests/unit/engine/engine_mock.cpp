// Programs from .dvt text with kernels written here.
#include "engine_mock.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "ir/task/text.hpp"
#include "ir/task/verify.hpp"

namespace dvm::test {

package::Loaded mock(const std::string& text,
                     const std::map<std::string, kernel::KernelFunction>& kernels) {
  auto program = task::parse(text);
  if (!program) FAIL(program.error());
  for (const std::string& problem : task::verify(*program)) FAIL(problem);
  package::Loaded loaded;
  loaded.program = std::move(*program);
  for (const task::Kernel& kernel : loaded.program.kernels) {
    REQUIRE(kernels.contains(kernel.symbol));
    loaded.functions.push_back(kernels.at(kernel.symbol));
  }
  return loaded;
}

Tensor vector_of(const std::vector<double>& values) {
  Tensor tensor = *Tensor::make(ElementType::F64, {static_cast<std::int64_t>(values.size())});
  if (!values.empty()) std::memcpy(tensor.data.get(), values.data(), tensor.bytes());
  return tensor;
}

Tensor vector_of(const std::vector<std::int64_t>& values) {
  Tensor tensor = *Tensor::make(ElementType::I64, {static_cast<std::int64_t>(values.size())});
  if (!values.empty()) std::memcpy(tensor.data.get(), values.data(), tensor.bytes());
  return tensor;
}

std::vector<double> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = std::uniform_real_distribution<double>(-1, 1)(random);
  return values;
}

Outcome run_everywhere(const package::Loaded& program, const std::vector<Tensor>& args) {
  Outcome first;
  bool is_first = true;
  for (const int workers : {1, 2, 7})
    for (const bool recompute : {false, true}) {
      engine::Engine engine({workers, 0});
      for (int times = 0; times < 2; ++times) {
        Outcome outcome;
        engine::RunOptions options;
        options.recompute = recompute;
        options.trace = &outcome.trace;
        auto result = engine.run(program, args, options);
        if (result) {
          outcome.results = std::move(*result);
        } else {
          outcome.error = result.error().message;
          outcome.error_index = result.error().index;
        }
        if (is_first) {
          first = outcome;
          is_first = false;
          continue;
        }
        CAPTURE(workers);
        CAPTURE(recompute);
        CHECK(outcome.error == first.error);
        CHECK(outcome.error_index == first.error_index);
        CHECK(outcome.trace == first.trace);
        REQUIRE(outcome.results.size() == first.results.size());
        for (std::size_t k = 0; k < first.results.size(); ++k)
          CHECK(identical(outcome.results[k], first.results[k]));
      }
    }
  return first;
}

}  // namespace dvm::test
