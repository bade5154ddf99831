// fft: n = n1 n2 in two walks (Bailey 1990, "FFTs in external or hierarchical memory"): transforms
// of length n1 down the columns, eight columns in a vector, twiddled and transposed on their way
// out; then transforms of length n2, eight in a vector again. The pieces fit a core's cache and are
// transformed by Stockham's stages of radix four (and one of two).
#include <cmath>

#include "baseline.hpp"
#include "vector_math.hpp"

namespace {

using bench::Vector;
using Lanes = Vector<double>;

struct Complex {
  Lanes re, im;
};
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex by_minus_i(Complex a) { return {a.im, -a.re}; }

/// Roots of unity e^(-2 pi i k / n), k < n.
struct Roots {
  std::vector<double> re, im;
  explicit Roots(int64_t n) : re(static_cast<size_t>(n)), im(static_cast<size_t>(n)) {
    for (int64_t k = 0; k < n; ++k) {
      const double angle = -2 * M_PI * static_cast<double>(k) / static_cast<double>(n);
      re[static_cast<size_t>(k)] = std::cos(angle);
      im[static_cast<size_t>(k)] = std::sin(angle);
    }
  }
  Complex at(int64_t k) const {
    return {bench::all(re[static_cast<size_t>(k)]), bench::all(im[static_cast<size_t>(k)])};
  }
};

/// Transforms of length n of eight columns, from x or y (n complex vectors each) to the one that is
/// returned.
Complex* transform(int64_t n, const Roots& roots, Complex* x, Complex* y) {
  int64_t width =
      1;  // of the transforms that are ready; Stockham: n / width of them lie interleaved
  for (; n / width >= 4; width *= 4, std::swap(x, y)) {
    const int64_t rows = n / width / 4;
    for (int64_t k = 0; k < width; ++k) {
      const int64_t turn = k * rows;
      const Complex w1 = roots.at(turn), w2 = roots.at(2 * turn), w3 = roots.at(3 * turn);
      for (int64_t s = 0; s < rows; ++s) {
        const Complex a = x[s * width + k], b = x[(s + rows) * width + k] * w1,
                      c = x[(s + 2 * rows) * width + k] * w2,
                      d = x[(s + 3 * rows) * width + k] * w3;
        const Complex even = a + c, odd = a - c, sum = b + d, turned = by_minus_i(b - d);
        Complex* to = y + s * 4 * width + k;
        to[0] = even + sum;
        to[width] = odd + turned;
        to[2 * width] = even - sum;
        to[3 * width] = odd - turned;
      }
    }
  }
  if (n / width == 2) {
    for (int64_t k = 0; k < width; ++k) {
      const Complex a = x[k], b = x[width + k] * roots.at(k);
      y[k] = a + b;
      y[width + k] = a - b;
    }
    std::swap(x, y);
  }
  return x;
}

void transpose(Lanes (&rows)[8]) {
  using Index = Vector<int64_t>;
  const auto exchange = [&](int distance, Index low, Index high) {
    for (int i = 0; i < 8; ++i)
      if ((i & distance) == 0) {
        const Lanes a = rows[i], b = rows[i + distance];
        rows[i] = __builtin_shuffle(a, b, low);
        rows[i + distance] = __builtin_shuffle(a, b, high);
      }
  };
  exchange(4, Index{0, 1, 2, 3, 8, 9, 10, 11}, Index{4, 5, 6, 7, 12, 13, 14, 15});
  exchange(2, Index{0, 1, 8, 9, 4, 5, 12, 13}, Index{2, 3, 10, 11, 6, 7, 14, 15});
  exchange(1, Index{0, 8, 2, 10, 4, 12, 6, 14}, Index{1, 9, 3, 11, 5, 13, 7, 15});
}

/// Small transforms: Stockham's stages of radix two on plain arrays.
void small(int64_t n, const double* re, const double* im, double* out_re, double* out_im) {
  const Roots roots(n);
  std::vector<double> x(re, re + n), y(im, im + n), u(x), v(y);
  for (int64_t width = 1; width < n; width *= 2) {
    const int64_t half = n / width / 2;
    for (int64_t s = 0; s < half; ++s)
      for (int64_t k = 0; k < width; ++k) {
        const auto a = static_cast<size_t>(s * width + k),
                   b = static_cast<size_t>((s + half) * width + k);
        const auto w = static_cast<size_t>(k * half), to = static_cast<size_t>(s * 2 * width + k);
        const double p = x[b] * roots.re[w] - y[b] * roots.im[w],
                     q = x[b] * roots.im[w] + y[b] * roots.re[w];
        u[to] = x[a] + p;
        v[to] = y[a] + q;
        u[to + static_cast<size_t>(width)] = x[a] - p;
        v[to + static_cast<size_t>(width)] = y[a] - q;
      }
    x.swap(u);
    y.swap(v);
  }
  std::copy(x.begin(), x.end(), out_re);
  std::copy(y.begin(), y.end(), out_im);
}

class Plan {
 public:
  explicit Plan(int64_t n) : n_(n) {
    while (n1_ * n1_ < n) n1_ *= 2;
    n2_ = n / n1_;
    middle_re_ = bench::Array<double>({n});
    middle_im_ = bench::Array<double>({n});
    const int64_t longest = std::max(n1_, n2_);
    for (int t = 0; t < omp_get_max_threads(); ++t)
      work_.emplace_back(bench::Array<double>({2 * longest * 16}));
  }

  void run(const double* re, const double* im, double* out_re, double* out_im) {
    if (n2_ < 8) return small(n_, re, im, out_re, out_im);
    const Roots first(n1_), second(n2_);
#pragma omp parallel
    {
      auto* x = reinterpret_cast<Complex*>(work_[static_cast<size_t>(omp_get_thread_num())].data());
      Complex* y = x + std::max(n1_, n2_);
#pragma omp for schedule(static)
      for (int64_t j = 0; j < n2_; j += 8) {
        for (int64_t i = 0; i < n1_; ++i)
          x[i] = {bench::load(re + i * n2_ + j), bench::load(im + i * n2_ + j)};
        twiddle(j, transform(n1_, first, x, y));
      }
#pragma omp for schedule(static)
      for (int64_t k = 0; k < n1_; k += 8) {
        for (int64_t j = 0; j < n2_; ++j)
          x[j] = {bench::load(middle_re_.data() + j * n1_ + k),
                  bench::load(middle_im_.data() + j * n1_ + k)};
        const Complex* done = transform(n2_, second, x, y);
        for (int64_t j = 0; j < n2_; ++j) {
          bench::store(out_re + j * n1_ + k, done[j].re);
          bench::store(out_im + j * n1_ + k, done[j].im);
        }
      }
    }
  }

 private:
  /// Multiplies element k of column j + lane by e^(-2 pi i k (j + lane) / n) and writes columns as
  /// rows. The factors are products of two, of k's upper and lower part, so that sines and cosines
  /// are few.
  void twiddle(int64_t j, const Complex* columns) {
    constexpr int64_t kLow = 32;
    Complex low[kLow];
    const auto factor = [&](int64_t k) {
      alignas(64) double angle[8], re[8], im[8];
      for (int64_t lane = 0; lane < 8; ++lane)
        angle[lane] =
            -2 * M_PI * static_cast<double>(k * (j + lane) % n_) / static_cast<double>(n_);
      // Two loops: of one GCC makes calls of sincos, which has no vectors.
#pragma omp simd
      for (int64_t lane = 0; lane < 8; ++lane) re[lane] = cos(angle[lane]);
#pragma omp simd
      for (int64_t lane = 0; lane < 8; ++lane) im[lane] = sin(angle[lane]);
      return Complex{bench::load(re), bench::load(im)};
    };
    for (int64_t k = 0; k < kLow; ++k) low[k] = factor(k);
    for (int64_t high = 0; high < n1_; high += kLow) {
      const Complex upper = factor(high);
      for (int64_t k = high; k < std::min(n1_, high + kLow); k += 8) {
        Lanes re[8], im[8];
#pragma GCC unroll 8
        for (int q = 0; q < 8; ++q) {
          const Complex turned = columns[k + q] * (upper * low[k + q - high]);
          re[q] = turned.re;
          im[q] = turned.im;
        }
        transpose(re);
        transpose(im);
#pragma GCC unroll 8
        for (int lane = 0; lane < 8; ++lane) {
          bench::store(middle_re_.data() + (j + lane) * n1_ + k, re[lane]);
          bench::store(middle_im_.data() + (j + lane) * n1_ + k, im[lane]);
        }
      }
    }
  }

  int64_t n_, n1_ = 1, n2_ = 1;
  bench::Array<double> middle_re_, middle_im_;
  std::vector<bench::Array<double>> work_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto re = program.array<double>("re"), im = program.array<double>("im");
  bench::Array<double> out_re({re.size()}), out_im({re.size()});
  program.result("outRe", out_re);
  program.result("outIm", out_im);
  Plan plan(re.size());
  return program.serve([&] { plan.run(re.data(), im.data(), out_re.data(), out_im.data()); });
}
