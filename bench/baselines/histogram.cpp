// histogram: private bins for each thread, several of them in turn so that equal keys do not wait
// for each other.
#include "baseline.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto bins = program.scalar<int64_t>("bins");
  const auto key = program.array<int32_t>("key");
  const auto weight = program.array<double>("weight");
  const int64_t n = key.size();
  bench::Array<int64_t> counts({bins});
  bench::Array<double> sums({bins});
  program.result("counts", counts);
  program.result("sums", sums);
  struct Bin {
    int64_t count;
    double sum;
  };
  // A slot before the first bin takes the keys that are not counted; four copies while they fit the
  // L2 cache.
  const int copies = (bins + 1) * 4 * static_cast<int64_t>(sizeof(Bin)) <= (512 << 10) ? 4 : 1;
  const int64_t slots = bins + 1;
  const int threads = omp_get_max_threads();
  std::vector<bench::Array<double>> memory;
  for (int t = 0; t < threads; ++t) memory.emplace_back(bench::Array<double>({copies * slots * 2}));
  return program.serve([&] {
#pragma omp parallel
    {
      const int thread = omp_get_thread_num();
      const bench::Range mine = bench::part_of(n, thread, omp_get_num_threads());
      Bin* own = reinterpret_cast<Bin*>(memory[static_cast<size_t>(thread)].data());
      std::fill(own, own + copies * slots, Bin{0, 0});
      const int32_t* k = key.data();
      const double* w = weight.data();
      const auto limit = static_cast<uint64_t>(bins);
      const auto add = [&](int64_t i, Bin* to) {
        const auto bin = static_cast<uint64_t>(static_cast<int64_t>(k[i]));
        Bin& slot = to[bin < limit ? bin + 1 : 0];
        ++slot.count;
        slot.sum += w[i];
      };
      Bin* copy[4] = {own, own + (copies > 1 ? slots : 0), own + (copies > 1 ? 2 * slots : 0),
                      own + (copies > 1 ? 3 * slots : 0)};
      int64_t i = mine.begin;
      for (; i + 4 <= mine.end; i += 4)
        for (int c = 0; c < 4; ++c) add(i + c, copy[c]);
      for (; i < mine.end; ++i) add(i, own);
#pragma omp barrier
#pragma omp for schedule(static)
      for (int64_t bin = 0; bin < bins; ++bin) {
        Bin total{0, 0};
        for (int t = 0; t < omp_get_num_threads(); ++t)
          for (int c = 0; c < copies; ++c) {
            const Bin& part = reinterpret_cast<const Bin*>(
                memory[static_cast<size_t>(t)].data())[c * slots + bin + 1];
            total.count += part.count;
            total.sum += part.sum;
          }
        counts[bin] = total.count;
        sums[bin] = total.sum;
      }
    }
  });
}
