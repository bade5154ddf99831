// Scalar functions: tables of corner cases.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ir/graph/evaluate_scalar.hpp"

using namespace dvm;
using namespace dvm::graph;

namespace {

Scalar value(ElementType type, const std::string& text) {
  const auto scalar = scalar_from_text(type, text);
  REQUIRE_MESSAGE(scalar.has_value(), text);
  return *scalar;
}

// `apply(fn, type, {"1", "2"})`: text of the result, or `fails`.
std::string apply(ScalarFn fn, ElementType type, const std::vector<std::string>& args,
                  ElementType result) {
  std::vector<Scalar> values;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool count = i == 1 && (fn == ScalarFn::Shl || fn == ScalarFn::Shr ||
                                  fn == ScalarFn::RotateL || fn == ScalarFn::RotateR);
    values.push_back(value(count ? ElementType::I64 : type, args[i]));
  }
  const auto scalar = evaluate_scalar(fn, values, result, VectorIsa::Avx2);
  return scalar ? to_text(*scalar) : "fails";
}
std::string apply(ScalarFn fn, ElementType type, const std::vector<std::string>& args) {
  return apply(fn, type, args, type);
}

constexpr ElementType i8 = ElementType::I8, i64 = ElementType::I64, u8 = ElementType::U8,
                      u64 = ElementType::U64, f32 = ElementType::F32, f64 = ElementType::F64,
                      i32 = ElementType::I32;

}  // namespace

TEST_CASE("integers wrap") {
  CHECK(apply(ScalarFn::Add, i8, {"127", "1"}) == "-128");
  CHECK(apply(ScalarFn::Sub, u8, {"0", "1"}) == "255");
  CHECK(apply(ScalarFn::Mul, i64, {"9223372036854775807", "2"}) == "-2");
  CHECK(apply(ScalarFn::Neg, i8, {"-128"}) == "-128");
  CHECK(apply(ScalarFn::Abs, i8, {"-128"}) == "-128");
  CHECK(apply(ScalarFn::Abs, u8, {"200"}) == "200");
  CHECK(apply(ScalarFn::Signum, i8, {"-7"}) == "-1");
  CHECK(apply(ScalarFn::Signum, u8, {"200"}) == "1");
  CHECK(apply(ScalarFn::Min, u8, {"200", "100"}) == "100");
  CHECK(apply(ScalarFn::Max, i8, {"-100", "100"}) == "100");
  CHECK(apply(ScalarFn::Not, u8, {"1"}) == "254");
  CHECK(apply(ScalarFn::Not, i8, {"1"}) == "-2");
  CHECK(apply(ScalarFn::Not, ElementType::Bool, {"true"}) == "false");
  CHECK(apply(ScalarFn::Xor, ElementType::Bool, {"true", "true"}) == "false");
}

TEST_CASE("division rounds as its name says") {
  struct Row {
    const char *x, *y, *div, *mod, *quot, *rem;
  };
  for (const Row& row :
       {Row{"7", "2", "3", "1", "3", "1"}, Row{"-7", "2", "-4", "1", "-3", "-1"},
        Row{"7", "-2", "-4", "-1", "-3", "1"}, Row{"-7", "-2", "3", "-1", "3", "-1"},
        Row{"6", "-2", "-3", "0", "-3", "0"}, Row{"-128", "-1", "-128", "0", "-128", "0"},
        Row{"1", "0", "fails", "fails", "fails", "fails"}}) {
    CHECK(apply(ScalarFn::IntDiv, i8, {row.x, row.y}) == row.div);
    CHECK(apply(ScalarFn::IntMod, i8, {row.x, row.y}) == row.mod);
    CHECK(apply(ScalarFn::IntQuot, i8, {row.x, row.y}) == row.quot);
    CHECK(apply(ScalarFn::IntRem, i8, {row.x, row.y}) == row.rem);
  }
  CHECK(apply(ScalarFn::IntDiv, i64, {"-9223372036854775808", "-1"}) == "-9223372036854775808");
  CHECK(apply(ScalarFn::IntMod, i64, {"-9223372036854775808", "-1"}) == "0");
  CHECK(apply(ScalarFn::IntDiv, u64, {"18446744073709551615", "2"}) == "9223372036854775807");
  CHECK(apply(ScalarFn::IntRem, u8, {"200", "7"}) == "4");
  CHECK(apply(ScalarFn::IntQuot, u8, {"200", "0"}) == "fails");
}

TEST_CASE("shifts and rotations") {
  CHECK(apply(ScalarFn::Shl, i8, {"1", "7"}) == "-128");
  CHECK(apply(ScalarFn::Shl, i8, {"1", "8"}) == "0");
  CHECK(apply(ScalarFn::Shl, i64, {"1", "64"}) == "0");
  CHECK(apply(ScalarFn::Shl, i64, {"1", "-1"}) == "fails");
  CHECK(apply(ScalarFn::Shr, i8, {"-128", "3"}) == "-16");
  CHECK(apply(ScalarFn::Shr, i8, {"-1", "100"}) == "-1");
  CHECK(apply(ScalarFn::Shr, i8, {"1", "9223372036854775807"}) == "0");
  CHECK(apply(ScalarFn::Shr, u8, {"128", "7"}) == "1");
  CHECK(apply(ScalarFn::Shr, u64, {"18446744073709551615", "64"}) == "0");
  CHECK(apply(ScalarFn::RotateL, u8, {"129", "1"}) == "3");
  CHECK(apply(ScalarFn::RotateL, u8, {"129", "9"}) == "3");
  CHECK(apply(ScalarFn::RotateL, u8, {"129", "-1"}) == "192");
  CHECK(apply(ScalarFn::RotateR, u8, {"129", "1"}) == "192");
  CHECK(apply(ScalarFn::RotateR, u8, {"129", "-9223372036854775808"}) == "129");
  CHECK(apply(ScalarFn::RotateL, i8, {"-128", "1"}) == "1");
  CHECK(apply(ScalarFn::RotateL, u64, {"9223372036854775809", "0"}) == "9223372036854775809");
  CHECK(apply(ScalarFn::PopCount, i8, {"-1"}, i64) == "8");
  CHECK(apply(ScalarFn::CountLeadingZeros, i8, {"1"}, i64) == "7");
  CHECK(apply(ScalarFn::CountLeadingZeros, i8, {"-1"}, i64) == "0");
  CHECK(apply(ScalarFn::CountLeadingZeros, i64, {"0"}, i64) == "64");
  CHECK(apply(ScalarFn::CountTrailingZeros, u8, {"0"}, i64) == "8");
  CHECK(apply(ScalarFn::CountTrailingZeros, i8, {"-128"}, i64) == "7");
}

TEST_CASE("floats: minimum, maximum, signum, comparison, fma") {
  for (ElementType type : {f32, f64}) {
    CHECK(apply(ScalarFn::Min, type, {"0.0", "-0.0"}) == "-0.0");
    CHECK(apply(ScalarFn::Max, type, {"-0.0", "0.0"}) == "0.0");
    CHECK(apply(ScalarFn::Min, type, {"nan", "1.0"}) == "nan");
    CHECK(apply(ScalarFn::Max, type, {"1.0", "nan"}) == "nan");
    CHECK(apply(ScalarFn::Signum, type, {"-0.0"}) == "-0.0");
    CHECK(apply(ScalarFn::Signum, type, {"nan"}) == "nan");
    CHECK(apply(ScalarFn::Signum, type, {"-inf"}) == "-1.0");
    CHECK(apply(ScalarFn::Abs, type, {"-0.0"}) == "0.0");
    CHECK(apply(ScalarFn::Neg, type, {"0.0"}) == "-0.0");
    CHECK(apply(ScalarFn::Eq, type, {"nan", "nan"}, ElementType::Bool) == "false");
    CHECK(apply(ScalarFn::Ne, type, {"nan", "nan"}, ElementType::Bool) == "true");
    CHECK(apply(ScalarFn::Le, type, {"nan", "1.0"}, ElementType::Bool) == "false");
    CHECK(apply(ScalarFn::Eq, type, {"-0.0", "0.0"}, ElementType::Bool) == "true");
    CHECK(apply(ScalarFn::Sqrt, type, {"-1.0"}) == "nan");
    CHECK(apply(ScalarFn::Div, type, {"1.0", "-0.0"}) == "-inf");
    CHECK(apply(ScalarFn::IsNan, type, {"nan"}, ElementType::Bool) == "true");
    CHECK(apply(ScalarFn::IsInfinite, type, {"-inf"}, ElementType::Bool) == "true");
    CHECK(apply(ScalarFn::IsInfinite, type, {"nan"}, ElementType::Bool) == "false");
  }
  // (1 + 2^-52)^2 - (1 + 2^-51) = 2^-104: only one rounding keeps it.
  CHECK(apply(ScalarFn::Fma, f64,
              {"1.0000000000000002", "1.0000000000000002", "-1.0000000000000004"}) ==
        "4.930380657631324e-32");
  CHECK(apply(ScalarFn::Add, f32, {"16777216.0", "1.0"}) == "16777216.0");
  CHECK(apply(ScalarFn::Lt, ElementType::Bool, {"false", "true"}, ElementType::Bool) == "true");
  CHECK(apply(ScalarFn::Gt, u64, {"18446744073709551615", "1"}, ElementType::Bool) == "true");
  CHECK(apply(ScalarFn::Gt, i64, {"-1", "1"}, ElementType::Bool) == "false");
}

TEST_CASE("conversions wrap, round once, or saturate") {
  CHECK(apply(ScalarFn::Convert, i64, {"300"}, u8) == "44");
  CHECK(apply(ScalarFn::Convert, i8, {"-1"}, u64) == "18446744073709551615");
  CHECK(apply(ScalarFn::Convert, u8, {"200"}, i8) == "-56");
  CHECK(apply(ScalarFn::Convert, u64, {"18446744073709551615"}, f64) == "18446744073709551616.0");
  // Through double this would round twice.
  CHECK(apply(ScalarFn::Convert, i64, {"9007199791611905"}, f32) == "9.0072e+15");
  CHECK(apply(ScalarFn::Convert, f64, {"1e300"}, f32) == "inf");
  CHECK(apply(ScalarFn::Convert, f32, {"0.1"}, f64) == "0.10000000149011612");
  CHECK(apply(ScalarFn::Convert, ElementType::Bool, {"true"}, i8) == "1");
  struct Row {
    const char *x, *truncate, *floor, *ceiling, *round;
  };
  for (const Row& row :
       {Row{"2.5", "2", "2", "3", "2"}, Row{"3.5", "3", "3", "4", "4"},
        Row{"-2.5", "-2", "-3", "-2", "-2"}, Row{"-0.5", "0", "-1", "0", "0"},
        Row{"nan", "0", "0", "0", "0"}, Row{"inf", "127", "127", "127", "127"},
        Row{"-inf", "-128", "-128", "-128", "-128"}, Row{"127.5", "127", "127", "127", "127"},
        Row{"-128.5", "-128", "-128", "-128", "-128"}}) {
    CHECK(apply(ScalarFn::Truncate, f64, {row.x}, i8) == row.truncate);
    CHECK(apply(ScalarFn::Floor, f64, {row.x}, i8) == row.floor);
    CHECK(apply(ScalarFn::Ceiling, f64, {row.x}, i8) == row.ceiling);
    CHECK(apply(ScalarFn::Round, f64, {row.x}, i8) == row.round);
    CHECK(apply(ScalarFn::Round, f32, {row.x}, i8) == row.round);
  }
  CHECK(apply(ScalarFn::Truncate, f64, {"9.3e18"}, i64) == "9223372036854775807");
  CHECK(apply(ScalarFn::Truncate, f64, {"-9.3e18"}, i64) == "-9223372036854775808");
  CHECK(apply(ScalarFn::Truncate, f64, {"-1.0"}, u64) == "0");
  CHECK(apply(ScalarFn::Truncate, f64, {"1.9e19"}, u64) == "18446744073709551615");
  CHECK(apply(ScalarFn::Truncate, f64, {"1.8e19"}, u64) == "18000000000000000000");
  CHECK(apply(ScalarFn::Truncate, f32, {"2147483648.0"}, i32) == "2147483647");
}

TEST_CASE("select takes what its condition says") {
  const std::vector<Scalar> args = {Scalar::of_bool(false), Scalar::of_i64(1), Scalar::of_i64(2)};
  CHECK(evaluate_scalar(ScalarFn::Select, args, i64, VectorIsa::Avx2) == Scalar::of_i64(2));
}
