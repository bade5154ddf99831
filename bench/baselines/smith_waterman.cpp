// smith_waterman: bands of 64 rows in vectors (edit_table.hpp).
#include "edit_table.hpp"

namespace {

struct Largest {
  bench::Cells best[bench::kVectorsInBand] = {};
  void operator()(const bench::Cells (&cells)[bench::kVectorsInBand], int64_t, int64_t) {
    for (int v = 0; v < bench::kVectorsInBand; ++v) best[v] = bench::most(best[v], cells[v]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto a = program.array<int32_t>("a"), b = program.array<int32_t>("b");
  const auto match = program.scalar<int32_t>("match"),
             mismatch = program.scalar<int32_t>("mismatch");
  const auto gap = program.scalar<int32_t>("gap");
  auto best = bench::single<int32_t>();
  program.result("best", best);
  const auto first = [](int32_t) { return 0; };
  const auto cell = [=](bench::Cells diagonal, bench::Cells above, bench::Cells left,
                        bench::Cells same) {
    const bench::Cells score = bench::all(mismatch) + (same & bench::all(match - mismatch));
    return bench::most(bench::Cells{},
                       bench::most(diagonal + score, bench::most(above, left) - gap));
  };
  bench::EditTable<decltype(first), decltype(cell), Largest> table(a, b, first, cell);
  return program.serve([&] {
    int32_t found = 0;
#pragma omp parallel reduction(max : found)
    {
      Largest largest;
      table.fill(largest);
      for (const auto& cells : largest.best)
        for (int lane = 0; lane < 16; ++lane) found = std::max(found, cells[lane]);
    }
    best[0] = found;
  });
}
