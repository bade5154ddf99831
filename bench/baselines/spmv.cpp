// spmv: elements shared out equally, each row in eight chains.
#include "sparse_rows.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto start = program.array<int64_t>("start");
  const auto col = program.array<int32_t>("col");
  const auto val = program.array<double>("val"), x = program.array<double>("x");
  const int64_t n = start.size() - 1, e = col.size();
  bench::Array<double> y({n});
  program.result("y", y);
  std::vector<bench::SharedRow> shared(2 * static_cast<size_t>(omp_get_max_threads()));
  return program.serve([&] {
#pragma omp parallel
    {
      const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
      bench::SharedRow* ends = shared.data() + 2 * thread;
      bench::sum_rows(
          start.data(), n, bench::part_of(e, thread, threads), thread == threads - 1, ends[0],
          ends[1],
          [v = val.data(), c = col.data(), xs = x.data()](int64_t q) { return v[q] * xs[c[q]]; },
          [to = y.data()](int64_t row, double sum) { to[row] = sum; });
    }
    for (const auto& end : shared)
      if (end.row >= 0) y[end.row] = 0;
    for (const auto& end : shared)
      if (end.row >= 0) y[end.row] += end.sum;
  });
}
