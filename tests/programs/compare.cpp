// The comparison, in long double so that it adds no rounding of its own.
#include "tests/programs/compare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "backend/driver/npy_header.hpp"

namespace dvm::programs {

namespace {

bool same(double got, double want, bool signs) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  return got == want && (!signs || std::signbit(got) == std::signbit(want));
}

std::optional<std::string> float_difference(const Tensor& got, const Tensor& want,
                                            const Tolerance& tolerance) {
  long double largest = 0;
  for (std::int64_t i = 0; i < want.count(); ++i) {
    const double value = want.at(i).as_double();
    if (std::isfinite(value) && std::isfinite(got.at(i).as_double())) {
      largest = std::max(largest, std::abs(static_cast<long double>(value)));
    }
  }
  for (std::int64_t i = 0; i < want.count(); ++i) {
    const double g = got.at(i).as_double(), w = want.at(i).as_double();
    bool close = same(g, w, tolerance.exact);
    if (!tolerance.exact && std::isfinite(g) && std::isfinite(w)) {
      const long double error = std::abs(static_cast<long double>(g) - static_cast<long double>(w));
      close = error <=
              tolerance.relative * std::abs(static_cast<long double>(w)) + tolerance.norm * largest;
    }
    if (!close) return fmt::format("element {} is {}, expected {}", i, g, w);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Tolerance> tolerances_of(const std::string& program) {
  std::ifstream file(DVM_SOURCE_FOLDER "/tests/programs/tolerances.txt");
  std::vector<Tolerance> found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, first;
    Tolerance tolerance;
    if (!(words >> name >> tolerance.output >> first) || name != program) continue;
    tolerance.exact = first == "exact";
    if (!tolerance.exact) {
      tolerance.relative = std::stod(first);
      words >> tolerance.norm;
    }
    found.push_back(tolerance);
  }
  return found;
}

std::optional<std::string> difference(const Tensor& got, const Tensor& want,
                                      const Tolerance& tolerance) {
  if (got.element != want.element || got.shape != want.shape) {
    return fmt::format("it is {}, expected {}", driver::describe(got.element, got.shape),
                       driver::describe(want.element, want.shape));
  }
  if (is_float(want.element)) return float_difference(got, want, tolerance);
  for (std::int64_t i = 0; i < want.count(); ++i) {
    if (got.at(i) != want.at(i)) {
      return fmt::format("element {} is {}, expected {}", i, to_text(got.at(i)),
                         to_text(want.at(i)));
    }
  }
  return std::nullopt;
}

}  // namespace dvm::programs
