// levenshtein: bands of 64 rows in vectors (edit_table.hpp).
#include "edit_table.hpp"

namespace {

/// Keeps the cell in the last row and column.
struct Corner {
  int64_t n, m;
  int64_t* to;
  void operator()(const bench::Cells (&cells)[bench::kVectorsInBand], int64_t row,
                  int64_t column) const {
    const int64_t lane = n - row;
    if (column - lane == m && lane >= 0 && lane < bench::kBand) *to = cells[lane / 16][lane % 16];
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto a = program.array<int32_t>("a"), b = program.array<int32_t>("b");
  auto distance = bench::single<int64_t>();
  program.result("distance", distance);
  const auto first = [](int32_t i) { return i; };
  const auto cell = [](bench::Cells diagonal, bench::Cells above, bench::Cells left,
                       bench::Cells same) {
    return bench::least(diagonal + 1 + same, bench::least(above, left) + 1);
  };
  bench::EditTable<decltype(first), decltype(cell), Corner> table(a, b, first, cell);
  return program.serve([&] {
    if (a.size() == 0) distance[0] = b.size();
    if (b.size() == 0) distance[0] = a.size();
#pragma omp parallel
    {
      Corner corner{a.size(), b.size(), distance.data()};
      table.fill(corner);
    }
  });
}
