// pagerank: links shared out equally; ranks are divided by their out-degree in the same walk that
// makes them.
#include "sparse_rows.hpp"
#include "team.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto start = program.array<int64_t>("start");
  const auto source = program.array<int32_t>("source"), outdeg = program.array<int32_t>("outdeg");
  const auto damping = program.scalar<double>("damping");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = outdeg.size(), e = source.size();
  bench::Array<double> rank({n}), share({n}), arriving({n});
  program.result("rank", rank);
  bench::TeamSum team(1);
  std::vector<bench::SharedRow> shared(2 * static_cast<size_t>(omp_get_max_threads()));
  return program.serve([&] {
#pragma omp parallel
    {
      const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
      const bench::Range rows = bench::part_of(n, thread, threads),
                         links = bench::part_of(e, thread, threads);
      const auto pages = static_cast<double>(n);
      double lost = 0;
      int turn = 0;
      const auto share_out = [&] {
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t u = rows.begin; u < rows.end; ++u) {
          share[u] = rank[u] / std::max(1, outdeg[u]);
          part += outdeg[u] == 0 ? rank[u] : 0;
        }
        lost = part;
        team.sum(turn, &lost);
      };
      for (int64_t u = rows.begin; u < rows.end; ++u) rank[u] = 1 / pages;
      share_out();
      for (int64_t step = 0; step < steps; ++step) {
        bench::SharedRow* ends = shared.data() + 2 * thread;
        bench::sum_rows(
            start.data(), n, links, thread == threads - 1, ends[0], ends[1],
            [from = source.data(), weight = share.data()](int64_t q) { return weight[from[q]]; },
            [to = arriving.data()](int64_t row, double sum) { to[row] = sum; });
#pragma omp barrier
#pragma omp single
        {
          for (const auto& end : shared)
            if (end.row >= 0) arriving[end.row] = 0;
          for (const auto& end : shared)
            if (end.row >= 0) arriving[end.row] += end.sum;
        }
#pragma omp simd
        for (int64_t u = rows.begin; u < rows.end; ++u)
          rank[u] = (1 - damping) / pages + damping * (arriving[u] + lost / pages);
        share_out();
      }
    }
  });
}
