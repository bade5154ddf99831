// Which terms are tested, what counts as the same, and that a broken law is told once.
#include <doctest/doctest.h>

#include <limits>

#include "ir/graph/law_test.hpp"

namespace dvm::graph {

namespace {

const LocId here{0}, there{1};
constexpr auto f64 = ElementType::F64;

LawTest test_here() {
  const std::array<LocId, 1> places = {here};
  return LawTest(places);
}

LawTest::Values real(double value) { return {Scalar::of_float(f64, value)}; }

LawTest::Operator on_reals(double (*op)(double, double)) {
  return [op](std::span<const Scalar> left, std::span<const Scalar> right) {
    return std::optional(real(op(left[0].as_double(), right[0].as_double())));
  };
}

bool neutral(double value, double term, double (*op)(double, double)) {
  LawTest laws = test_here();
  laws.test_neutral(here, real(value), real(term), on_reals(op));
  return laws.broken().empty();
}

double plus(double a, double b) { return a + b; }
double larger(double a, double b) { return a < b ? b : a; }

}  // namespace

TEST_CASE("only the places that a program states something about are tested") {
  const LawTest laws = test_here();
  CHECK(laws.asks_for(here));
  CHECK(!laws.asks_for(there));
}

TEST_CASE("all of the first 64 terms are tested, then 32 between powers of two") {
  LawTest laws = test_here();
  int first = 0, second = 0, last = 0;
  for (int term = 0; term < 1 << 20; ++term) {
    const bool tested = laws.samples_next(here);
    (term < 64 ? first : term < 128 ? second : last) += tested ? 1 : 0;
  }
  CHECK(first == 64);
  CHECK(second == 32);
  CHECK(last == 32 * 13);
}

TEST_CASE("floats are the same up to half of their digits, zeros and NaNs whatever their bits") {
  CHECK(neutral(0.0, -0.0, plus));
  CHECK(neutral(0.0, std::numeric_limits<double>::quiet_NaN(), plus));
  CHECK(neutral(1e-9, 1.0, plus));
  CHECK(!neutral(1e-7, 1.0, plus));
  CHECK(neutral(-1e300, 5.0, larger));
  CHECK(!neutral(0.0, -1e-9, larger));
  CHECK(!neutral(1e300, 5.0, larger));
  CHECK(neutral(-1.0, std::numeric_limits<double>::infinity(), larger));
}

TEST_CASE("rounding is not taken for a broken law, subtraction is") {
  LawTest laws = test_here();
  laws.test_associative(here, {real(1e10), real(-1e10), real(0.1)}, on_reals(plus));
  CHECK(laws.broken().empty());
  const auto minus = on_reals([](double a, double b) { return a - b; });
  laws.test_associative(here, {real(1), real(2), real(3)}, minus);
  laws.test_associative(here, {real(4), real(5), real(6)}, minus);
  REQUIRE(laws.broken().size() == 1);
  CHECK(laws.broken()[0].law == BrokenLaw::Law::Associative);
  CHECK(laws.broken()[0].message ==
        "the operator is not associative: for 1.0, 2.0 and 3.0 it gives -4.0 when the first two "
        "are combined first, and gives 2.0 when the last two are");
}

TEST_CASE("an operator that fails breaks the law") {
  LawTest laws = test_here();
  laws.test_neutral(here, real(0), real(1),
                    [](auto, auto) { return std::optional<LawTest::Values>(); });
  REQUIRE(laws.broken().size() == 1);
  CHECK(laws.broken()[0].message == "0.0 is not neutral: for 0.0 and 1.0 the operator fails");
}

}  // namespace dvm::graph
