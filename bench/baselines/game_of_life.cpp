// game_of_life: bytes in vectors, sums of columns shared by three cells, eight generations in one
// walk; rows are padded to whole cache lines.
#include "time_skewing.hpp"
#include "vector_math.hpp"

namespace {

using Bytes = bench::Vector<uint8_t>;
uint8_t lives(uint8_t block, uint8_t cell) {
  return static_cast<uint8_t>((block == 3) | ((block == 4) & cell));
}
/// `block` counts the cell too.
Bytes lives(Bytes block, Bytes cell) {
  return ((Bytes)(block == 3) & 1) | ((Bytes)(block == 4) & cell);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto cells = program.array<uint8_t>("cells");
  const auto steps = program.scalar<int64_t>("steps");
  const int64_t n = cells.shape[0], m = cells.shape[1], stride = (m + 63) / 64 * 64;
  bench::Array<uint8_t> after({n, m}), start({n, stride}), odd({n, stride}), even({n, stride});
  program.result("after", after);
  std::vector<bench::Array<uint8_t>> sums;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    sums.emplace_back(bench::Array<uint8_t>({stride + 128}));
  constexpr int levels = 8;
  const bench::Grid grid{n, stride, bench::Edge::kWrap};
  auto rings = bench::rings<uint8_t>(grid, levels);
  return program.serve([&] {
#pragma omp parallel
    {
      const auto thread = static_cast<size_t>(omp_get_thread_num());
      const bench::Range mine = bench::part_of(n, omp_get_thread_num(), omp_get_num_threads());
      uint8_t* column =
          sums[thread].data() + 64;  // of three cells; with a copy of the other edge on both sides
      const auto row = [&](uint8_t* __restrict__ out, const uint8_t* above, const uint8_t* here,
                           const uint8_t* below, int64_t, int) {
        bench::each_vector<uint8_t>(0, m, [&](auto access, int64_t j) {
          access.template put<uint8_t>(
              column + j, access.get(above + j) + access.get(here + j) + access.get(below + j));
        });
        column[-1] = column[m - 1];
        column[m] = column[0];
        bench::each_vector<uint8_t>(0, m, [&](auto access, int64_t j) {
          const decltype(access.get(here)) block =
              access.get(column + j - 1) + access.get(column + j) + access.get(column + j + 1);
          access.put(out + j, lives(block, access.get(here + j)));
        });
      };
      for (int64_t i = mine.begin; i < mine.end; ++i)
        std::copy(&cells[i * m], &cells[(i + 1) * m], &start[i * stride]);
#pragma omp barrier
      const uint8_t* last = bench::sweep_on_team(start.data(), odd.data(), even.data(), grid, steps,
                                                 levels, rings[thread].data(), row);
      for (int64_t i = mine.begin; i < mine.end; ++i)
        std::copy(last + i * stride, last + i * stride + m, &after[i * m]);
    }
  });
}
