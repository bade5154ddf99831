// Random arguments.
#include "tests/runner/random_input.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace dvm::test {
namespace {

template <std::size_t count>
double pick(const std::array<double, count>& from, std::mt19937_64& random) {
  return from[random() % count];
}

Scalar random_float(ElementType type, std::mt19937_64& random) {
  static const std::array<double, 12> special = {
      NAN, INFINITY, -INFINITY, -0.0, 0.0, 1.0, -1.0, 0.5, 1e300, 5e-324, -1e-310, 3.4e38};
  if (random() % 4 == 0) return Scalar::of_float(type, pick(special, random));
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  return Scalar::of_float(type,
                          (unit - 0.3) * pick(std::array<double, 4>{1, 10, 1000, 1e-3}, random));
}

Scalar random_integer(ElementType type, std::mt19937_64& random) {
  // Mostly what can be an index or a count; sometimes the ends of the type.
  if (random() % 16 == 0)
    return Scalar::of_integer(type, random() % 2 == 0 ? INT64_MIN : INT64_MAX);
  if (random() % 16 == 0) return Scalar::of_integer(type, static_cast<std::int64_t>(random()));
  return Scalar::of_integer(type, static_cast<std::int64_t>(random() % 11) - 2);
}

Scalar random_scalar(ElementType type, std::mt19937_64& random) {
  if (type == ElementType::Bool) return Scalar::of_bool(random() % 2 == 0);
  return is_float(type) ? random_float(type, random) : random_integer(type, random);
}

}  // namespace

std::optional<std::vector<Tensor>> random_args(const graph::Function& function,
                                               std::mt19937_64& random,
                                               std::int64_t most_elements) {
  static const std::array<std::int64_t, 6> sizes = {0, 1, 2, 3, 7, 40};
  std::vector<Tensor> args;
  std::map<Size::Symbol, std::int64_t> known;
  for (std::size_t i = 0; i < function.params().size(); ++i) {
    const graph::ValueId param = function.params()[i];
    const graph::Type& type = function.values[param].type;
    if (type.is_scalar()) {
      Scalar value = random_scalar(type.element, random);
      if (i < function.size_params) value = Scalar::of_i64(sizes[random() % sizes.size()]);
      if (type.element == ElementType::I64) known[param.index] = value.as_i64();
      args.push_back(Tensor::of_scalar(value));
      continue;
    }
    std::vector<std::int64_t> shape;
    double count = 1;
    for (const Size& size : type.shape) {
      const auto extent = size.evaluate([&](Size::Symbol symbol) -> std::optional<std::int64_t> {
        const auto found = known.find(symbol);
        if (found == known.end()) return std::nullopt;
        return found->second;
      });
      if (!extent || *extent < 0) return std::nullopt;
      shape.push_back(*extent);
      count *= static_cast<double>(*extent);
    }
    if (count > static_cast<double>(most_elements)) return std::nullopt;
    Tensor tensor = *Tensor::make(type.element, shape);
    // Sometimes all ordinary, so that programs that fail on specials also succeed.
    const bool tame = random() % 2 == 0;
    for (std::int64_t k = 0; k < tensor.count(); ++k) {
      Scalar value = random_scalar(type.element, random);
      if (tame && is_float(type.element) && !std::isfinite(value.as_double()))
        value = Scalar::of_float(type.element, 2.0);
      if (tame && is_integer(type.element))
        value = Scalar::of_integer(type.element, static_cast<std::int64_t>(random() % 4));
      tensor.set(k, value);
    }
    args.push_back(std::move(tensor));
  }
  return args;
}

}  // namespace dvm::test
