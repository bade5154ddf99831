// Random arguments, with no other distribution than remainders, so that they are the same on all
// machines.
#include "passes/random_arguments.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "ir/graph/walk.hpp"

namespace dvm::passes {
namespace {

template <class T, std::size_t count>
T pick(const std::array<T, count>& from, std::mt19937_64& random) {
  return from[random() % count];
}

Scalar random_float(ElementType type, std::mt19937_64& random) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  static const std::array<double, 14> special = {std::nan(""), inf,    -inf,  -0.0,  0.0,
                                                 1.0,          -1.0,   0.5,   1e300, 5e-324,
                                                 -1e-310,      3.4e38, -1e19, 2.0};
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

void fill(Tensor& tensor, std::mt19937_64& random) {
  const ElementType type = tensor.element;
  // Sometimes all ordinary, so that programs that fail on specials also succeed.
  const bool tame = random() % 2 == 0;
  for (std::int64_t k = 0; k < tensor.count(); ++k) {
    Scalar value = random_scalar(type, random);
    if (tame && is_float(type) && !std::isfinite(value.as_double()))
      value = Scalar::of_float(type, 2.0);
    if (tame && is_integer(type))
      value = Scalar::of_integer(type, static_cast<std::int64_t>(random() % 4));
    tensor.set(k, value);
  }
}

// By symbol: whether a size anywhere in the function mentions it.
std::vector<bool> size_symbols(const graph::Function& function) {
  std::vector<bool> used(function.values.size(), false);
  auto note = [&](const Size& size) {
    size.symbols([&](Size::Symbol symbol) {
      if (symbol < used.size()) used[symbol] = true;
    });
  };
  for (const graph::Value& value : function.values)
    for (const Size& size : value.type.shape) note(size);
  for (const graph::Node& node : function.nodes) graph::for_each_size(node.op, note);
  return used;
}

}  // namespace

std::optional<std::vector<Tensor>> random_arguments(const graph::Function& function,
                                                    std::mt19937_64& random,
                                                    std::int64_t most_elements) {
  static const std::array<std::int64_t, 11> sizes = {0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 37};
  const std::int64_t common = pick(sizes, random);
  const bool all_equal = random() % 4 == 0;
  const std::vector<bool> is_size = size_symbols(function);
  std::vector<Tensor> args;
  std::map<Size::Symbol, std::int64_t> known;
  for (std::size_t i = 0; i < function.params().size(); ++i) {
    const graph::ValueId param = function.params()[i];
    const graph::Type& type = function.values[param].type;
    if (type.is_scalar()) {
      Scalar value = random_scalar(type.element, random);
      const bool integer = type.element == ElementType::I64;
      if (i < function.size_params || (integer && is_size[param.index] && random() % 8 != 0))
        value = Scalar::of_i64(all_equal ? common : pick(sizes, random));
      if (integer) known[param.index] = value.as_i64();
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
    fill(tensor, random);
    args.push_back(std::move(tensor));
  }
  return args;
}

}  // namespace dvm::passes
