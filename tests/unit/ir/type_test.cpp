// Elements, tensors, elementary functions.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/type/elementary.hpp"
#include "ir/type/tensor.hpp"

using namespace dvm;

TEST_CASE("scalars keep their type's bits") {
  CHECK(Scalar::of_integer(ElementType::I8, 200).as_i64() == -56);
  CHECK(Scalar::of_integer(ElementType::U8, -1).as_u64() == 255);
  CHECK(Scalar::of_integer(ElementType::U64, -1).as_u64() == ~std::uint64_t{0});
  CHECK(Scalar::of_float(ElementType::F32, 0.1).as_float() == 0.1f);
  CHECK(Scalar::of_float(ElementType::F64, -std::nan("5")) ==
        Scalar::of_float(ElementType::F64, NAN));
  const std::uint64_t odd_nan = 0xFFF8000000000123u;
  CHECK(Scalar::load(ElementType::F64, &odd_nan) == Scalar::of_float(ElementType::F64, NAN));
  const std::uint32_t odd_nan32 = 0xFFC00001u;
  CHECK(Scalar::load(ElementType::F32, &odd_nan32) == Scalar::of_float(ElementType::F32, NAN));
  const std::int16_t minus = -2;
  CHECK(Scalar::load(ElementType::I16, &minus).as_i64() == -2);
  CHECK(Scalar::load(ElementType::U16, &minus).as_i64() == 65534);
  for (int i = 0; i < element_type_count; ++i) {
    const auto type = static_cast<ElementType>(i);
    CHECK(element_from_name(facts(type).name) == type);
  }
}

TEST_CASE("text of scalars reads back to the same bits") {
  for (double value : std::initializer_list<double>{0.0, -0.0, 0.1, 1e300, 5e-324, -1.5, 1e20,
                                                    123456789.0, INFINITY, -INFINITY, double(NAN),
                                                    std::numeric_limits<double>::max()}) {
    for (ElementType type : {ElementType::F64, ElementType::F32}) {
      const Scalar scalar = Scalar::of_float(type, value);
      CHECK(scalar_from_text(type, to_text(scalar)) == scalar);
    }
  }
  CHECK(to_text(Scalar::of_float(ElementType::F64, 1)) == "1.0");
  CHECK(to_text(Scalar::of_float(ElementType::F64, 1e20)) == "1e+20");
  CHECK(to_text(Scalar::of_float(ElementType::F32, 0.1)) == "0.1");
  CHECK(to_text(Scalar::of_integer(ElementType::I8, -128)) == "-128");
  CHECK(to_text(Scalar::of_integer(ElementType::U64, -1)) == "18446744073709551615");
  CHECK(scalar_from_text(ElementType::U64, "18446744073709551615")->bits == ~std::uint64_t{0});
  for (const char* bad : {"", "-", "1e", "1.0x", "+1", "infinity", "-nan", ".5", "1e999", " 1"}) {
    CHECK_FALSE(scalar_from_text(ElementType::F64, bad));
  }
  for (const char* bad : {"", "128", "-129", "1.0", "x", "--1", "99999999999999999999"}) {
    CHECK_FALSE(scalar_from_text(ElementType::I8, bad));
  }
  CHECK_FALSE(scalar_from_text(ElementType::U8, "-1"));
  CHECK_FALSE(scalar_from_text(ElementType::Bool, "1"));
}

TEST_CASE("tensors are aligned, zero, and refuse what does not fit") {
  auto tensor = Tensor::make(ElementType::I32, {3, 5});
  REQUIRE(tensor);
  CHECK(reinterpret_cast<std::uintptr_t>(tensor->data.get()) % 64 == 0);
  CHECK(tensor->count() == 15);
  CHECK(tensor->bytes() == 60);
  for (int i = 0; i < 15; ++i) CHECK(tensor->at(i).as_i64() == 0);
  tensor->set(7, Scalar::of_integer(ElementType::I32, -9));
  CHECK(tensor->at(7).as_i64() == -9);
  CHECK_FALSE(Tensor::make(ElementType::F64, {-1}));
  CHECK_FALSE(Tensor::make(ElementType::F64, {INT64_MAX}));
  CHECK_FALSE(Tensor::make(ElementType::F64, {INT64_MAX, INT64_MAX}));
  CHECK_FALSE(Tensor::make(ElementType::U8, {std::int64_t{1} << 50}));
  const auto empty = Tensor::make(ElementType::F64, {INT64_MAX, 0, INT64_MAX});
  REQUIRE(empty);
  CHECK(empty->count() == 0);
  CHECK(Tensor::of_scalar(Scalar::of_i64(5)).count() == 1);
}

TEST_CASE("identical equates NaNs and tells zeros apart") {
  Tensor a = *Tensor::make(ElementType::F64, {2}), b = *Tensor::make(ElementType::F64, {2});
  const std::uint64_t nan1 = 0x7FF8000000000000u, nan2 = 0xFFF8000000000001u;
  std::memcpy(a.data.get(), &nan1, 8);
  std::memcpy(b.data.get(), &nan2, 8);
  CHECK(identical(a, b));
  b.set(1, Scalar::of_float(ElementType::F64, -0.0));
  CHECK_FALSE(identical(a, b));
  CHECK_FALSE(identical(a, *Tensor::make(ElementType::F64, {2, 1})));
  CHECK_FALSE(
      identical(*Tensor::make(ElementType::I64, {0}), *Tensor::make(ElementType::U64, {0})));
}

TEST_CASE("elementary functions are close to libm and exact where they must be") {
  for (const VectorIsa isa : {VectorIsa::Avx2, VectorIsa::Avx512}) {
    CHECK(evaluate(Elementary::Exp, 0.0, 0.0, isa) == 1.0);
    CHECK(evaluate(Elementary::Log, 1.0, 0.0, isa) == 0.0);
    CHECK(evaluate(Elementary::Pow, 2.0, 10.0, isa) == 1024.0);
    CHECK(evaluate(Elementary::Hypot, 3.0, 4.0, isa) == 5.0);
    CHECK(std::isnan(evaluate(Elementary::Log, -1.0, 0.0, isa)));
    CHECK(evaluate(Elementary::Exp, -double(INFINITY), 0.0, isa) == 0.0);
    for (double x : {0.01, 0.3, 0.7, 0.99}) {
      auto close = [&](Elementary fn, double expected) {
        CHECK(std::fabs(evaluate(fn, x, 0.5, isa) - expected) <=
              1e-15 * 4 * std::max(1.0, std::fabs(expected)));
        const auto single = evaluate(fn, static_cast<float>(x), 0.5f, isa);
        CHECK(std::fabs(static_cast<double>(single) - expected) <=
              1e-6 * std::max(1.0, std::fabs(expected)));
      };
      close(Elementary::Sin, std::sin(x));
      close(Elementary::Tanh, std::tanh(x));
      close(Elementary::Erf, std::erf(x));
      close(Elementary::Cbrt, std::cbrt(x));
      close(Elementary::Atanh, std::atanh(x));
      close(Elementary::Log1p, std::log1p(x));
      close(Elementary::Pow, std::pow(x, 0.5));
      close(Elementary::Atan2, std::atan2(x, 0.5));
    }
  }
}
