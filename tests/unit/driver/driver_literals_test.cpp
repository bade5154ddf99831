// Literals, printing, suggestions and the binding of inputs.
#include <doctest/doctest.h>

#include "backend/driver/inputs.hpp"
#include "backend/driver/literals.hpp"
#include "backend/driver/show.hpp"
#include "backend/driver/suggest.hpp"

using namespace dvm;
using namespace dvm::driver;

namespace {

std::string error_of(std::string_view text, ElementType element, std::size_t rank) {
  const auto tensor = parse_literal(text, element, rank);
  REQUIRE(!tensor.ok());
  return tensor.error();
}
Tensor value_of(std::string_view text, ElementType element, std::size_t rank) {
  auto tensor = parse_literal(text, element, rank);
  REQUIRE_MESSAGE(tensor.ok(), tensor.error());
  return *tensor;
}

}  // namespace

TEST_CASE("scalars of every type") {
  CHECK(value_of("3.5", ElementType::F64, 0).at(0).as_double() == 3.5);
  CHECK(value_of(" 1 ", ElementType::F64, 0).at(0).as_double() == 1);
  CHECK(value_of("-2e-3", ElementType::F32, 0).at(0).as_float() == -2e-3f);
  CHECK(value_of("nan", ElementType::F64, 0).at(0).as_double() !=
        value_of("nan", ElementType::F64, 0).at(0).as_double());
  CHECK(value_of("-inf", ElementType::F32, 0).at(0).as_float() < -1e38f);
  CHECK(value_of("True", ElementType::Bool, 0).at(0).as_bool());
  CHECK(value_of("-128", ElementType::I8, 0).at(0).as_i64() == -128);
  CHECK(value_of("0xff", ElementType::U8, 0).at(0).as_u64() == 255);
  CHECK(value_of("1_000", ElementType::I64, 0).at(0).as_i64() == 1000);
  CHECK(value_of("-9223372036854775808", ElementType::I64, 0).at(0).as_i64() == INT64_MIN);
  CHECK(value_of("18446744073709551615", ElementType::U64, 0).at(0).as_u64() == UINT64_MAX);
  CHECK(value_of("1e-400", ElementType::F64, 0).at(0).as_double() == 0);
  // Rounded once: through a double this decimal would round to the neighbour.
  CHECK(value_of("1.00000017881393432617187500001", ElementType::F32, 0).at(0).as_float() ==
        0x1.000004p0f);
}

TEST_CASE("scalars out of range or of another type") {
  CHECK(error_of("300", ElementType::U8, 0) == "`300` is out of range for Word8 (0 to 255)");
  CHECK(error_of("-129", ElementType::I8, 0) == "`-129` is out of range for Int8 (-128 to 127)");
  CHECK(error_of("-1", ElementType::U64, 0).find("out of range") != std::string::npos);
  CHECK(error_of("99999999999999999999", ElementType::I64, 0).find("out of range") !=
        std::string::npos);
  CHECK(error_of("1e400", ElementType::F64, 0) == "`1e400` is out of range for Double");
  CHECK(error_of("1e39", ElementType::F32, 0) == "`1e39` is out of range for Float");
  CHECK(error_of("1.5", ElementType::I64, 0) == "`1.5` is not a value of type Int");
  CHECK(error_of("true", ElementType::Bool, 0).find("write `True` or `False`") !=
        std::string::npos);
  for (const auto* text :
       {"", "-", "_1", "1_", "0x", "+1", "1-", "--1", "one", "infinity", "0x1p3", "1 2"}) {
    CHECK_FALSE(parse_literal(text, ElementType::F64, 0).ok());
    CHECK_FALSE(parse_literal(text, ElementType::I64, 0).ok());
  }
}

TEST_CASE("nested lists") {
  const Tensor matrix = value_of("[[1, 2, 3], [4, 5, 6]]", ElementType::I32, 2);
  CHECK(matrix.shape == std::vector<std::int64_t>{2, 3});
  CHECK(matrix.at(4).as_i64() == 5);
  CHECK(value_of("[]", ElementType::F64, 1).shape == std::vector<std::int64_t>{0});
  CHECK(value_of("[]", ElementType::F64, 2).shape == std::vector<std::int64_t>{0, 0});
  CHECK(value_of("[[],[]]", ElementType::F64, 2).shape == std::vector<std::int64_t>{2, 0});
  CHECK(value_of("[True,False]", ElementType::Bool, 1).count() == 2);
  CHECK(error_of("[[1, 2], [3]]", ElementType::F64, 2) ==
        "ragged: the list at character 10 has length 1, the ones before it have length 2");
  CHECK(error_of("[1, 2]", ElementType::F64, 0) == "a list where a single Double is expected");
  CHECK(error_of("[[1]]", ElementType::F64, 1) == "lists nested deeper than 1 at character 2");
  CHECK(error_of("[1]", ElementType::F64, 2).find("nested 2 deep") != std::string::npos);
  CHECK(error_of("7", ElementType::F64, 1).find("a list") != std::string::npos);
  CHECK(error_of("[1, 2", ElementType::F64, 1).find("it ends where") != std::string::npos);
  CHECK(error_of("[1, 2] x", ElementType::F64, 1).find("unexpected `x`") != std::string::npos);
  CHECK_FALSE(parse_literal("[1,,2]", ElementType::F64, 1).ok());
  CHECK_FALSE(parse_literal("[1,]", ElementType::F64, 1).ok());
  CHECK_FALSE(parse_literal(std::string(100'000, '['), ElementType::F64, 3).ok());
}

TEST_CASE("printing follows NumPy") {
  CHECK(show(value_of("0.1", ElementType::F64, 0)) == "0.1");
  CHECK(show(value_of("[1, 2.5, -3.125]", ElementType::F64, 1)) == "[ 1.     2.5   -3.125]");
  CHECK(show(value_of("[1, nan, inf]", ElementType::F64, 1)) == "[ 1. nan inf]");
  CHECK(show(value_of("[[1, 2], [30, 4]]", ElementType::I64, 2)) == "[[ 1  2]\n [30  4]]");
  CHECK(show(value_of("[True, False]", ElementType::Bool, 1)) == "[ True False]");
  CHECK(show(value_of("[1e10, 1]", ElementType::F64, 1)) == "[1.e+10 1.e+00]");
  CHECK(show(value_of("[]", ElementType::F64, 1)) == "[]");
  CHECK(show(*Tensor::make(ElementType::I64, {2000})) == "[0 0 0 ... 0 0 0]");
  CHECK(show_named("x", value_of("[1]", ElementType::I32, 1)) == "x :: Int32 [1]\n[1]");
  CHECK(show_named("x", value_of("1", ElementType::F64, 0)) == "x = 1.0");
}

TEST_CASE("long rows are broken like NumPy's") {
  Tensor tensor = *Tensor::make(ElementType::I64, {100});
  for (std::int64_t i = 0; i < 100; ++i) tensor.set(i, Scalar::of_i64(i));
  const std::string text = show(tensor);
  CHECK(text.starts_with("[ 0  1  2"));
  CHECK(text.find("\n 24 25") != std::string::npos);
}

TEST_CASE("the nearest name is proposed, a far one is not") {
  const std::string names[] = {"spot", "strike", "years"};
  CHECK(nearest("sopt", names) == "spot");
  CHECK(nearest("strikes", names) == "strike");
  CHECK(nearest("volatility", names) == std::nullopt);
}

TEST_CASE("binding inputs: each mistake has one message") {
  graph::EntrySignature entry;
  entry.function = "main";
  entry.size_names = {"n"};
  entry.inputs = {{"rate", ElementType::F64, {}, "Double"},
                  {"spot", ElementType::F64, {Size::symbol(0)}, "Vec n Double"}};
  const auto error = [&](std::vector<std::string> arguments) {
    const auto bound = bind_inputs(entry, arguments);
    REQUIRE(!bound.ok());
    return bound.error();
  };
  CHECK(error({"rate=1", "sopt=[1]"}) ==
        "unknown input `sopt`, did you mean `spot`?; `main` takes rate :: Double, spot :: Vec n "
        "Double");
  CHECK(error({"rate=1"}) == "missing input `spot` (Vec n Double)");
  CHECK(error({}) == "missing inputs `rate` (Double), `spot` (Vec n Double)");
  CHECK(error({"rate=1", "rate=2"}) == "input `rate` is given twice");
  CHECK(error({"rate"}) == "`rate` is not of the form name=value");
  CHECK(error({"rate=one", "spot=[1]"}) ==
        "input `rate` has type Double, but `one` is neither such a literal nor a .npy file: `one` "
        "is not a value of type Double");
  CHECK(error({"rate=1", "spot=@x.npz"}).find("is not of the form @file.npz:key") !=
        std::string::npos);
  CHECK(error({"rate=1", "spot=missing.npy"}).find("no such file") != std::string::npos);
  const std::vector<std::string> good = {"rate=1", "spot=[1, 2, 3]"};
  const auto bound = bind_inputs(entry, good);
  REQUIRE_MESSAGE(bound.ok(), bound.error());
  CHECK(bound->sizes == std::vector<std::int64_t>{3});
}
