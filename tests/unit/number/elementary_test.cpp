// Elementary functions: within 4 units in the last place of what the long double functions of the
// C library give, rounded; and the same bits from kernels, whatever the length, as from the
// interpreter.
#include "ir/type/elementary.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

#include "ir/graph/interpret.hpp"
#include "ir/graph/scalar_fn.hpp"
#include "tests/unit/kernel/kernel_harness.hpp"

namespace dvm::number_test {
namespace {

struct Function {
  graph::ScalarFn fn;
  long double (*exact)(long double x, long double y);
  double low, high;  // of the first argument; of the second, where there is one, 0.01 .. 20
};

#define EXACT(call)                                 \
  [](long double x, long double y) -> long double { \
    (void)y;                                        \
    return call;                                    \
  }
const Function functions[] = {
    {graph::ScalarFn::Exp, EXACT(std::exp(x)), -80, 80},
    {graph::ScalarFn::Expm1, EXACT(std::expm1(x)), -30, 30},
    {graph::ScalarFn::Log, EXACT(std::log(x)), 1e-30, 1e6},
    {graph::ScalarFn::Log1p, EXACT(std::log1p(x)), -0.999, 100},
    {graph::ScalarFn::Log2, EXACT(std::log2(x)), 1e-6, 1e6},
    {graph::ScalarFn::Log10, EXACT(std::log10(x)), 1e-6, 1e6},
    {graph::ScalarFn::Sin, EXACT(std::sin(x)), -100, 100},
    {graph::ScalarFn::Cos, EXACT(std::cos(x)), -100, 100},
    {graph::ScalarFn::Tan, EXACT(std::tan(x)), -100, 100},
    {graph::ScalarFn::Asin, EXACT(std::asin(x)), -1, 1},
    {graph::ScalarFn::Acos, EXACT(std::acos(x)), -1, 1},
    {graph::ScalarFn::Atan, EXACT(std::atan(x)), -50, 50},
    {graph::ScalarFn::Sinh, EXACT(std::sinh(x)), -30, 30},
    {graph::ScalarFn::Cosh, EXACT(std::cosh(x)), -30, 30},
    {graph::ScalarFn::Tanh, EXACT(std::tanh(x)), -10, 10},
    {graph::ScalarFn::Asinh, EXACT(std::asinh(x)), -1e3, 1e3},
    {graph::ScalarFn::Acosh, EXACT(std::acosh(x)), 1, 1e3},
    {graph::ScalarFn::Atanh, EXACT(std::atanh(x)), -0.999, 0.999},
    {graph::ScalarFn::Cbrt, EXACT(std::cbrt(x)), -1e6, 1e6},
    {graph::ScalarFn::Erf, EXACT(std::erf(x)), -4, 4},
    {graph::ScalarFn::Erfc, EXACT(std::erfc(x)), -4, 8},
    {graph::ScalarFn::Pow, EXACT(std::pow(x, y)), 0.05, 20},
    {graph::ScalarFn::Atan2, EXACT(std::atan2(x, y)), -20, 20},
    {graph::ScalarFn::Hypot, EXACT(std::hypot(x, y)), -20, 20},
};
#undef EXACT

// Units of the last place of the exact value's type between it and the value.
template <class Float>
long double distance(Float value, long double exact) {
  const auto rounded = static_cast<Float>(exact);
  if (value == rounded || (std::isnan(value) && std::isnan(rounded))) return 0;
  const Float unit =
      std::max(std::nextafter(std::fabs(rounded), std::numeric_limits<Float>::infinity()) -
                   std::fabs(rounded),
               std::numeric_limits<Float>::denorm_min());
  return std::fabs(static_cast<long double>(value) - exact) / unit;
}

template <class Float>
void check_accuracy(VectorIsa isa) {
  std::mt19937_64 random(7);
  for (const Function& function : functions) {
    const auto elementary = graph::facts(function.fn).elementary;
    REQUIRE(elementary.has_value());
    std::uniform_real_distribution<double> first(function.low, function.high), second(0.01, 20);
    long double worst = 0;
    Float worst_at = 0;
    for (int i = 0; i < 4000; ++i) {
      // Half of them small, where the functions that are accurate near 0 have to show it.
      const double scale = i % 2 == 0 || function.low > 0 ? 1 : std::pow(2.0, -(i % 40));
      const auto x = static_cast<Float>(first(random) * scale);
      const auto y = static_cast<Float>(second(random));
      const long double off = distance(evaluate(*elementary, x, y, isa), function.exact(x, y));
      if (off > worst) worst = off, worst_at = x;
    }
    CAPTURE(graph::facts(function.fn).mnemonic);
    CAPTURE(worst_at);
    CHECK(worst <= 4);
  }
}

std::string map_text(const Function& function, std::string_view type) {
  const bool two = graph::facts(function.fn).arity == 2;
  return fmt::format(
      "graph @main(%n: i64, %a: {0}[n], %b: {0}[n]) -> ({0}[n]) sizes 1 {{\n"
      "%r: {0}[n] = map [n] {{ (%i: i64)\n  %x: {0} = read %a[%i]\n  %y: {0} = read %b[%i]\n"
      "  %z: {0} = {1} %x{2}\n  yield %z\n}}\nreturn %r\n}}\n",
      type, graph::facts(function.fn).mnemonic, two ? ", %y" : "");
}

}  // namespace

// language 4: Elementary functions are within 4 ULP
TEST_CASE("elementary functions are within 4 units in the last place") {
  for (const VectorIsa isa : {VectorIsa::Avx2, host_vector_isa()}) {
    CAPTURE(name(isa));
    check_accuracy<double>(isa);
    check_accuracy<float>(isa);
  }
}

// language 4: interpreter, constant folder, scalar code, vector lanes and tails all evaluate them …
TEST_CASE("elementary functions have the same bits in vectors, tails and the interpreter") {
  for (const Function& function : functions) {
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
      CAPTURE(graph::facts(function.fn).mnemonic);
      const graph::Module module = kernel_test::parse_module(map_text(function, facts(type).name));
      kernel_test::Compiled compiled(module);
      graph::InterpretOptions options;
      options.isa = compiled.isa();
      for (const std::int64_t length : {1, 3, 7, 8, 16, 17, 33}) {
        std::vector<Tensor> args{kernel_test::scalar_i64(length)};
        for (const double low : {function.low, 0.01}) {
          const double high = low == function.low ? function.high : 20.0;
          Tensor tensor = *Tensor::make(type, {length});
          for (std::int64_t i = 0; i < length; ++i)
            tensor.set(i, Scalar::of_float(type, low + (high - low) * static_cast<double>(i) /
                                                           static_cast<double>(length)));
          args.push_back(tensor);
        }
        const auto interpreted = graph::interpret(module, graph::FunctionId{0}, args, options);
        REQUIRE(interpreted.ok());
        CHECK(identical(compiled.run(args).results[0], (*interpreted)[0]));
      }
    }
  }
}

}  // namespace dvm::number_test
