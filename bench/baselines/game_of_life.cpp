// game_of_life: bytes in vectors, sums of columns shared by three cells, eight generations in one
// walk.
#include "time_skewing.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto cells = program.array<uint8_t>("cells");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = cells.shape[0], m = cells.shape[1];
  bench::Array<uint8_t> after({n, m}), spare({n, m});
  program.result("after", after);
  const auto row = [&](uint8_t* __restrict__ out, const uint8_t* above, const uint8_t* here,
                       const uint8_t* below, int64_t, int) {
    static thread_local std::vector<uint8_t> sums;
    sums.resize(static_cast<size_t>(m) + 2);
    uint8_t* __restrict__ column =
        sums.data() + 1;  // of three cells; with a copy of the other edge on both sides
#pragma omp simd
    for (int64_t j = 0; j < m; ++j) column[j] = static_cast<uint8_t>(above[j] + here[j] + below[j]);
    column[-1] = column[m - 1];
    column[m] = column[0];
#pragma omp simd
    for (int64_t j = 0; j < m; ++j) {
      const auto block =
          static_cast<uint8_t>(column[j - 1] + column[j] + column[j + 1]);  // the cell itself too
      out[j] = static_cast<uint8_t>((block == 3) | ((block == 4) & here[j]));
    }
  };
  constexpr int levels = 8;
  const bench::Grid grid{n, m, bench::Edge::kWrap};
  auto rings = bench::rings<uint8_t>(grid, levels);
  return program.serve([&] {
    bench::sweep_all(cells.data(), after.data(), spare.data(), grid, steps, levels, rings, row);
  });
}
