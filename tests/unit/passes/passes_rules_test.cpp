// Scalar identities, against the interpreter, over all special values.
#include <doctest/doctest.h>

#include <limits>

#include "ir/graph/builder.hpp"
#include "ir/graph/interpret.hpp"
#include "ir/graph/text.hpp"
#include "passes/graph/scalar_rules.hpp"
#include "passes/runner.hpp"

namespace dvm::passes {
namespace {

using namespace graph;
using E = ElementType;

std::vector<Scalar> specials(E element) {
  std::vector<Scalar> values;
  if (is_float(element)) {
    using L = std::numeric_limits<double>;
    for (double value : {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -4.0, 1e300, 5e-324, L::infinity(),
                         -L::infinity(), L::quiet_NaN()})
      values.push_back(Scalar::of_float(element, value));
  } else if (element == E::Bool) {
    values = {Scalar::of_bool(false), Scalar::of_bool(true)};
  } else {
    using L = std::numeric_limits<std::int64_t>;
    for (std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2},
                               std::int64_t{7}, L::min(), L::max()})
      values.push_back(Scalar::of_integer(element, value));
  }
  return values;
}

// fn of a parameter and a literal (or of the parameter twice), as written.
Module program(ScalarFn fn, E element, const std::optional<Scalar>& literal, bool literal_first) {
  Module module;
  Function function;
  function.name = "main";
  Builder builder(module, function);
  const ValueId x = builder.add_param({element, {}}, "x");
  const ValueId other = literal ? builder.constant(*literal) : x;
  CheckId check;
  if (facts(fn).fails) check = module.checks.push({"fails", {}});
  std::vector<ValueId> operands{x, other};
  if (literal_first) std::swap(operands[0], operands[1]);
  builder.close_region({builder.scalar(fn, operands, check)});
  module.functions.push(std::move(function));
  return module;
}

std::string outcome(const Module& module, Scalar x) {
  const Tensor arguments[] = {Tensor::of_scalar(x)};
  const auto result = interpret(module, FunctionId{0}, arguments, {});
  return result.ok() ? to_text(result.value()[0].at(0)) : "fails";
}

TEST_CASE(
    "binary identities hold for zeros of both signs, infinities, NaN and the ends of integers") {
  using enum ScalarFn;
  const std::vector<ScalarFn> numbers{Add, Sub, Mul, Min, Max, Eq, Ne, Lt, Le, Gt, Ge};
  const std::vector<ScalarFn> integers{IntDiv, IntMod, IntQuot, IntRem, And, Or, Xor};
  const std::vector<ScalarFn> shifts{Shl, Shr, RotateL, RotateR};
  int simplified = 0;
  auto try_all = [&](const std::vector<ScalarFn>& fns, E element) {
    std::vector<std::optional<Scalar>> literals{std::nullopt};
    for (Scalar value : specials(element)) literals.push_back(value);
    for (ScalarFn fn : fns)
      for (const auto& literal : literals)
        for (bool first : {false, true}) {
          const Module before = program(fn, element, literal, first);
          Module after = before;
          const auto result = run_pass("simplify", after);
          REQUIRE_MESSAGE(result.ok(), (result.ok() ? std::string() : result.error()));
          simplified += *result ? 1 : 0;
          for (Scalar x : specials(element)) {
            INFO(print(before), print(after), to_text(x));
            CHECK(outcome(before, x) == outcome(after, x));
          }
        }
  };
  for (E element : {E::F64, E::F32, E::I64, E::I8, E::U16}) try_all(numbers, element);
  for (E element : {E::F64, E::F32}) try_all({Div, Pow}, element);
  for (E element : {E::I64, E::I8, E::U16}) try_all(integers, element);
  try_all(shifts, E::I64);
  try_all({And, Or, Xor, Eq, Ne, Lt, Le, Gt, Ge}, E::Bool);
  CHECK(simplified > 100);
}

TEST_CASE("every rule has its equation") {
  for (std::string_view equation : scalar_rule_equations()) CHECK(equation.size() > 3);
}

}  // namespace
}  // namespace dvm::passes
