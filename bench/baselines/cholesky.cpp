// cholesky: tiles of 96 by 96 as tasks; a finished tile is packed for both sides of the products
// that read it.
#include <cmath>

#include "gemm.hpp"

namespace {

using Kernel = bench::Tile<double>;
using bench::Vector;
constexpr int64_t kTile = 96;
static_assert(kTile % Kernel::kRows == 0 && kTile % Kernel::kColumns == 0);

/// A finished tile of the factor: column by column; its negative in panels of 8 rows; itself in
/// panels of 24 rows.
struct Finished {
  double* columns;
  double* left;
  double* right;
};

void pack(const Finished& tile) {
  for (int64_t q = 0; q < kTile; ++q)
    for (int64_t i = 0; i < kTile; ++i) {
      const double x = tile.columns[q * kTile + i];
      tile.left[i / Kernel::kRows * kTile * Kernel::kRows + q * Kernel::kRows + i % Kernel::kRows] =
          -x;
      tile.right[i / Kernel::kColumns * kTile * Kernel::kColumns + q * Kernel::kColumns +
                 i % Kernel::kColumns] = x;
    }
}

void transpose(const double* from, double* to) {
  for (int64_t i = 0; i < kTile; ++i)
    for (int64_t j = 0; j < kTile; ++j) to[j * kTile + i] = from[i * kTile + j];
}

/// The factor of a diagonal tile, column by column in `l`; zeros above the diagonal.
void factor(const double* a, double* __restrict__ l) {
  transpose(a, l);
  for (int64_t j = 0; j < kTile; ++j) {
    double* column = l + j * kTile;
    const double root = std::sqrt(column[j]);
    std::fill(column, column + j, 0);
    for (int64_t i = j; i < kTile; ++i) column[i] /= root;
    for (int64_t k = j + 1; k < kTile; ++k) {
      double* __restrict__ other = l + k * kTile;
      const double scale = column[k];
#pragma omp simd
      for (int64_t i = k & ~int64_t{7}; i < kTile; ++i) other[i] -= scale * column[i];
    }
  }
}

/// x with x l^T = a for a tile below the diagonal tile l, column by column; four vectors of rows at
/// a time.
void solve(const double* a, const double* l, double* x) {
  transpose(a, x);
  constexpr int kVectors = 4;
  for (int64_t i = 0; i < kTile; i += 8 * kVectors)
    for (int64_t j = 0; j < kTile; ++j) {
      Vector<double> sums[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[v] = bench::load(x + j * kTile + i + v * 8);
      for (int64_t q = 0; q < j; ++q) {
        const Vector<double> scale = bench::all(-l[q * kTile + j]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v)
          sums[v] = bench::fma(scale, bench::load(x + q * kTile + i + v * 8), sums[v]);
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        bench::store(x + j * kTile + i + v * 8, sums[v] / l[j * kTile + j]);
    }
}

/// c -= left right^T
void subtract_product(const Finished& left, const Finished& right, double* c) {
  for (int64_t j = 0; j < kTile; j += Kernel::kColumns)
    for (int64_t i = 0; i < kTile; i += Kernel::kRows)
      Kernel::add_product(kTile, left.left + i * kTile, right.right + j * kTile, c + i * kTile + j,
                          kTile);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto a = program.array<double>("a");
  const int64_t n = a.shape[0], tiles = (n + kTile - 1) / kTile;
  bench::Array<double> l({n, n}), open({tiles, tiles, kTile * kTile}),
      finished({tiles, tiles, 3 * kTile * kTile});
  program.result("l", l);
  const auto rest = [&](int64_t i, int64_t j) {
    return open.data() + (i * tiles + j) * kTile * kTile;
  };
  const auto done = [&](int64_t i, int64_t j) {
    double* at = finished.data() + (i * tiles + j) * 3 * kTile * kTile;
    return Finished{at, at + kTile * kTile, at + 2 * kTile * kTile};
  };
  // The matrix goes on below and to the right as the unit matrix.
  const auto fetch = [&](int64_t i, int64_t j) {
    double* to = rest(i, j);
    for (int64_t r = 0; r < kTile; ++r)
      for (int64_t c = 0; c < kTile; ++c) {
        const int64_t row = i * kTile + r, column = j * kTile + c;
        to[r * kTile + c] = row < n && column < n ? a[row * n + column] : row == column;
      }
  };
  const auto deliver = [&](int64_t i, int64_t j) {
    const double* columns = done(i, j).columns;
    for (int64_t r = 0; r < std::min(kTile, n - i * kTile); ++r)
      for (int64_t c = 0; c < std::min(kTile, n - j * kTile); ++c)
        l[(i * kTile + r) * n + j * kTile + c] = j > i ? 0 : columns[c * kTile + r];
  };
  return program.serve([&] {
#pragma omp parallel
#pragma omp single
    for (int64_t k = 0; k < tiles; ++k) {
      // `depend` names the first number of a tile.
      [[maybe_unused]] double *diagonal = rest(k, k), *ready = done(k, k).columns;
#pragma omp task depend(inout : diagonal[0]) depend(out : ready[0]) priority(2)
      {
        if (k == 0) fetch(0, 0);
        factor(rest(k, k), done(k, k).columns);
        deliver(k, k);
      }
      for (int64_t i = k + 1; i < tiles; ++i) {
        [[maybe_unused]] double *below = rest(i, k), *made = done(i, k).columns;
#pragma omp task depend(inout : below[0]) depend(in : ready[0]) depend(out : made[0]) priority(1)
        {
          if (k == 0) fetch(i, 0);
          solve(rest(i, k), done(k, k).columns, done(i, k).columns);
          pack(done(i, k));
          deliver(i, k);
          deliver(k, i);
        }
      }
      for (int64_t j = k + 1; j < tiles; ++j)
        for (int64_t i = j; i < tiles; ++i) {
          [[maybe_unused]] double *changed = rest(i, j), *one = done(i, k).columns,
                                  *other = done(j, k).columns;
#pragma omp task depend(inout : changed[0]) depend(in : one[0], other[0]) \
    priority(i == k + 1 ? 1 : 0)
          {
            if (k == 0) fetch(i, j);
            subtract_product(done(i, k), done(j, k), rest(i, j));
          }
        }
    }
  });
}
