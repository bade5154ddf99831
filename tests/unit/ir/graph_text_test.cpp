// Graph text: round trips of every operation, names, errors with places.
#include "tests/unit/ir/graph_text.hpp"

#include <doctest/doctest.h>

#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"

using namespace dvm;
using namespace dvm::graph;

TEST_CASE("canonical text of every operation reads and prints the same") {
  const std::string text = test::every_operation();
  const Module module = test::parse_ok(text);
  CHECK(print(module) == text);
  const auto problems = verify(module, true);
  for (const std::string& problem : problems) MESSAGE(problem);
  CHECK(problems.empty());
}

TEST_CASE("locations print and read back") {
  const std::string text = R"(checks {
  0: "index {0} is out of range for size {1}" at 1
}
locs {
  0: file 0 3-9 in "main"
  1: file 0 20-25 in "f \"x\"" from 0
  2: nowhere in ""
}

graph @main(%n: i64, %xs: f64[n]) -> (f64) sizes 1 {
  %i: i64 = constant 0 at 2
  %x: f64 = read %xs[%i] check 0 at 1
  return %x
}
)";
  const Module module = test::parse_ok(text);
  CHECK(print(module, {.locations = true}) == text);
  CHECK(verify(module, true).empty());
}

TEST_CASE("names are unique and stay when read back") {
  Module module;
  module.functions.push({});
  module.functions[FunctionId{0}].name = "main";
  {
    Builder builder(module, FunctionId{0});
    const ValueId x = builder.add_param({ElementType::I64, {}}, "x");
    std::vector<ValueId> yields;
    for (const char* name : {"x", "x", "x.1", "y'", "", "7", "a b", "2z", "x.1"}) {
      const ValueId value = builder.scalar(ScalarFn::Neg, {x});
      builder.function().values[value].name = name;
      yields.push_back(value);
    }
    builder.close_region(yields);
  }
  const std::string text = print(module);
  CHECK(text == R"(graph @main(%x: i64) -> (i64, i64, i64, i64, i64, i64, i64, i64, i64) {
  %x.1: i64 = neg %x
  %x.2: i64 = neg %x
  %x.3: i64 = neg %x
  %y': i64 = neg %x
  %0: i64 = neg %x
  %1: i64 = neg %x
  %a_b: i64 = neg %x
  %_2z: i64 = neg %x
  %x.4: i64 = neg %x
  return %x.1, %x.2, %x.3, %y', %0, %1, %a_b, %_2z, %x.4
}
)");
  CHECK(print(test::parse_ok(text)) == text);
}

TEST_CASE("results may be named, and their sizes may be values of the body") {
  const std::string text =
      R"(graph @main(%n: i64, %xs: f64[n]) -> (0: i64, p.x: f64[k], "a b": f64[%0]) sizes 1 {
  %k: i64, %ys: f64[k] = filter [n] { (%i: i64)
    %x: f64 = read %xs[%i]
    %z: f64 = constant -0.0
    %c: bool = lt %z, %x
    yield %c, %x
  }
  %0: i64, %1: f64[%0] = filter [n] { (%i.1: i64)
    %x.1: f64 = read %xs[%i.1]
    %c.1: bool = constant true
    yield %c.1, %x.1
  }
  return %k, %ys, %1
}
)";
  CHECK(print(test::parse_ok(text)) == text);
}

TEST_CASE("errors have a place and say what was expected") {
  CHECK(test::parse_error("graph @f() -> () {") ==
        "1:19: expected `%name: type = operation` or `return`, found the end of the text");
  CHECK(test::parse_error("graph @f(%x: f46) -> () { return }") ==
        "1:14: there is no element type `f46`");
  CHECK(test::parse_error("graph @f() -> () {\n  %a: i64 = neg %b\n  return\n}") ==
        "2:17: `%b` is not defined before this place");
  CHECK(test::parse_error("graph @f() -> () {\n  %a: i64 = frob\n  return\n}") ==
        "2:13: there is no operation `frob`");
  CHECK(test::parse_error("graph @f() -> () {\n  %a: u8 = constant 256\n  return\n}") ==
        "2:21: `256` is not a literal of type `u8`");
  CHECK(test::parse_error("graph @f(%x: f64) -> (f32) { return %x }") ==
        "1:23: the type of a result differs from the returned value's");
  CHECK(test::parse_error("graph @f(%x: f64, %x: f64) -> () { return }") ==
        "1:19: `%x` is defined twice in one function");
  CHECK(test::parse_error("graph @f() -> () { return } graph @f() -> () { return }") ==
        "1:35: there are two functions `@f`");
  CHECK(test::parse_error("graph @f() -> (i64) {\n %a: i64 = call @g()\n return %a }") ==
        "2:17: there is no function `@g`");
  CHECK(test::parse_error("checks { 1: \"x\" }") == "1:10: the next number is 0");
  CHECK(test::parse_error("graph @f(%x: f64[9223372036854775808]) -> () { return }") ==
        "1:18: a size needs more than 64 bits");
  CHECK(test::parse_error("graph @f(%n: i64, %x: f64[n / 0]) -> () { return }") ==
        "1:31: a size is divided by positive numbers only");
  CHECK(test::parse_error("\xff\xfe") == "1:1: expected `graph`, `checks` or `locs`, found `\xff`");
}

TEST_CASE("deep nesting is an error with a place") {
  std::string text = "graph @f(%c: bool) -> () {\n";
  for (int i = 0; i < 100000; ++i) text += "%a" + std::to_string(i) + ": bool = branch %c {\n";
  CHECK(test::parse_error(text).starts_with("1002:"));
  const std::string size = std::string(100000, '(');
  CHECK(test::parse_error("graph @f(%n: i64, %x: f64[" + size).starts_with("1:"));
  std::string deep = "graph @f(%c: bool) -> (bool) {\n";
  for (std::size_t i = 1; i < max_region_depth; ++i)
    deep += "%a" + std::to_string(i) + ": bool = branch %c {\n";
  deep += "yield %c }\n";
  for (std::size_t i = max_region_depth - 1; i > 0; --i) {
    deep += "else { yield %c }\n" + std::string(i > 1 ? "yield" : "return") + " %a" +
            std::to_string(i) + " }\n";
  }
  const Module module = test::parse_ok(deep);
  CHECK(verify(module, true).empty());
  CHECK(print(test::parse_ok(print(module))) == print(module));
}
