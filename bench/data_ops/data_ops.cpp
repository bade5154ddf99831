// The data operations as C++ has them: std::sort, copy_if and inclusive_scan with the parallel
// policy (oneTBB), and private bins with OpenMP. data_ops OPERATION INPUT_FOLDER RESULT_FOLDER,
// then as a baseline.
#include <tbb/global_control.h>

#include <algorithm>
#include <execution>
#include <numeric>

#include "baseline.hpp"

namespace {

/// Ascending, NaN last.
bool before(double a, double b) { return a < b || (b != b && a == a); }

int sorted(bench::Baseline& program) {
  const auto xs = program.array<double>("xs");
  bench::Array<double> result({xs.size()});
  program.result("result", result);
  return program.serve([&] {
    std::copy(std::execution::par_unseq, xs.data(), xs.data() + xs.size(), result.data());
    std::sort(std::execution::par_unseq, result.data(), result.data() + xs.size(), before);
  });
}

int positive(bench::Baseline& program) {
  const auto xs = program.array<double>("xs");
  const int64_t kept =
      std::count_if(xs.data(), xs.data() + xs.size(), [](double x) { return x > 0; });
  bench::Array<double> result({xs.size()});
  program.result("result", {kept}, result.data());
  return program.serve([&] {
    std::copy_if(std::execution::par_unseq, xs.data(), xs.data() + xs.size(), result.data(),
                 [](double x) { return x > 0; });
  });
}

int sums(bench::Baseline& program) {
  const auto xs = program.array<double>("xs");
  bench::Array<double> result({xs.size()});
  program.result("result", result);
  return program.serve([&] {
    std::inclusive_scan(std::execution::par_unseq, xs.data(), xs.data() + xs.size(), result.data());
  });
}

int bins(bench::Baseline& program) {
  const auto keys = program.array<int32_t>("keys");
  const auto k = program.scalar<int64_t>("k");
  bench::Array<int64_t> result({k});
  program.result("result", result);
  constexpr int kCopies = 4;  // so that equal keys in a row do not wait for each other
  std::vector<bench::Array<int64_t>> own;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    own.emplace_back(bench::Array<int64_t>({kCopies, k + 1}));
  return program.serve([&] {
#pragma omp parallel
    {
      const bench::Range mine =
          bench::part_of(keys.size(), omp_get_thread_num(), omp_get_num_threads());
      int64_t* counts = own[static_cast<size_t>(omp_get_thread_num())].data();
      std::fill(counts, counts + kCopies * (k + 1), 0);
      for (int64_t i = mine.begin; i < mine.end; ++i) {
        const auto bin = static_cast<uint64_t>(static_cast<int64_t>(keys[i]));
        ++counts[i % kCopies * (k + 1) +
                 (bin < static_cast<uint64_t>(k) ? static_cast<int64_t>(bin) : k)];
      }
#pragma omp barrier
#pragma omp for schedule(static)
      for (int64_t bin = 0; bin < k; ++bin) {
        result[bin] = 0;
        for (const auto& part : own)
          for (int c = 0; c < kCopies; ++c) result[bin] += part[c * (k + 1) + bin];
      }
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    bench::fail("usage: data_ops sorted|positive|sums|bins INPUT_FOLDER RESULT_FOLDER");
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<size_t>(omp_get_max_threads()));
  bench::Baseline program(argc - 1, argv + 1);
  const std::string operation = argv[1];
  if (operation == "sorted") return sorted(program);
  if (operation == "positive") return positive(program);
  if (operation == "sums") return sums(program);
  if (operation == "bins") return bins(program);
  bench::fail("no operation " + operation);
}
