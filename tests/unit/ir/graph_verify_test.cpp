// What the verifier refuses, and what it says.
#include <doctest/doctest.h>

#include "ir/graph/verify.hpp"
#include "tests/unit/ir/graph_text.hpp"

using namespace dvm;
using namespace dvm::graph;

namespace {

// The first problem of a function `@f` with two i64 params, an array and a flag in front of `body`.
std::string problem(const std::string& body, bool elaborated = false,
                    const std::string& results = "") {
  const std::string text =
      "checks { 0: \"c\" }\ngraph @f(%n: i64, %m: i64, %xs: f64[n], %ys: f64[n, m], %is: i64[n], "
      "%b: bool, %x: f64) -> (" +
      results + ") sizes 2 {\n" + body + "\n}\n";
  const auto problems = verify(test::parse_ok(text), elaborated);
  return problems.empty() ? "well formed" : problems[0];
}

}  // namespace

TEST_CASE("scopes") {
  CHECK(problem("%a: f64[n] = map [n] { (%i: i64) yield %x }\n%c: i64 = add %i, %n\nreturn") ==
        "@f: %c = add: operand `%i` is not in scope");
  CHECK(problem("%k: i64, %v: f64[k] = filter [n] { (%i: i64) yield %b, %x }\nreturn") ==
        "well formed");
  CHECK(problem("%a: i64 = branch %b { %k: i64 = add %n, %n\nyield %k } else { yield %n }\n%c: i64 "
                "= size k\nreturn") == "@f: %c = size: size `%k` is not in scope");
  CHECK(problem("%a: f64[x] = map [n] { (%i: i64) yield %x }\nreturn") ==
        "@f: %a = map: size `%x` is not an i64 scalar");
  // A loop's own result inside of its body.
  CHECK(
      problem(
          "%a: i64 = loop %n (%n) { (%i: i64, %s: i64) %c: i64 = add %a, %s\nyield %c }\nreturn") ==
      "@f: %c = add: operand `%a` is not in scope");
}

TEST_CASE("scalar operations") {
  CHECK(problem("%a: i64 = add %n\nreturn") ==
        "@f: %a = add: it takes 2 operands and has one result");
  CHECK(problem("%a: i64 = add %n, %x\nreturn") ==
        "@f: %a = add: it does not take `i64`, `f64` to `i64`");
  CHECK(problem("%a: bool = add %b, %b\nreturn") ==
        "@f: %a = add: it does not take `bool`, `bool` to `bool`");
  CHECK(problem("%a: f64 = div %x, %x\nreturn") == "well formed");
  CHECK(problem("%a: i64 = div %n, %n\nreturn") != "well formed");
  CHECK(problem("%a: i64 = int_div %n, %n\nreturn") ==
        "@f: %a = int_div: it may fail and has no check id");
  CHECK(problem("%two: i64 = constant 2\n%a: i64 = int_div %n, %two\nreturn") == "well formed");
  CHECK(problem("%z: i64 = constant 0\n%a: i64 = int_div %n, %z\nreturn") != "well formed");
  CHECK(problem("%a: i64 = int_div %n, %n check 7\nreturn") ==
        "@f: %a = int_div: there is no check 7");
  CHECK(problem("%a: i64 = add %n, %n check 0\nreturn") ==
        "@f: %a = add: it can not fail and has a check id");
  CHECK(problem("%a: f64 = exp %xs\nreturn") == "@f: %a = exp: operand `%xs` is not a scalar");
  CHECK(problem("%a: i32 = convert %x\nreturn") ==
        "@f: %a = convert: it does not take `f64` to `i32`");
  CHECK(problem("%a: i32 = floor %x\nreturn") == "well formed");
  CHECK(problem("%a: f64 = select %b, %x, %x\nreturn") == "well formed");
  CHECK(problem("%a: f64 = read %xs[%n, %n]\nreturn") ==
        "@f: %a = read: it needs 1 index for `f64[n]`");
  CHECK(problem("%a: f64 = read %xs[%x]\nreturn") ==
        "@f: %a = read: index `%x` is not an i64 scalar");
  CHECK(problem("%a: f64 = check %x, %n check 0\nreturn") ==
        "@f: %a = check: condition `%n` is not a bool scalar");
  CHECK(problem("%a: i64 = add %n, %n { yield }\nreturn") == "well formed");
}

TEST_CASE("array operations") {
  CHECK(problem("%a: f64[m] = map [n] { (%i: i64) yield %x }\nreturn") ==
        "@f: %a = map: result `%a` has not the shape of the space and the yielded value");
  CHECK(problem("%a: f64[n] = map [n] { yield %x }\nreturn") ==
        "@f: %a = map: its body needs 1 i64 parameter");
  CHECK(problem("%a: f64 = reduce [] [n] unset add (%x) { (%i: i64) yield %x }\nreturn") ==
        "well formed");
  CHECK(problem("%a: f64 = reduce [] [n] unset add (%x) { (%i: i64) yield %x }\nreturn", true) ==
        "@f: %a = reduce: its tree is not set");
  CHECK(problem("%a: f64 = reduce [] [n] lanes (%x) { (%i: i64) yield %x } combine { (%l: f64, %r: "
                "f64) yield %l }\nreturn") ==
        "@f: %a = reduce: only components are reduced in lanes");
  CHECK(
      problem("%a: i64 = reduce [] [n] lanes add.fused (%n) { (%i: i64) yield %i, %i }\nreturn") ==
      "@f: %a = reduce: only sums of floats in a reduce have fused products");
  CHECK(problem("%a: f64 = reduce [] [n] lanes sub (%x) { (%i: i64) yield %x }\nreturn") ==
        "@f: %a = reduce: `sub` does not combine `f64`");
  CHECK(problem("%a: f64 = reduce [] [n] lanes add (%x) { (%i: i64) yield %x, %x }\nreturn") ==
        "@f: %a = reduce: its body yields too many values");
  CHECK(problem("%a: f64 = reduce [] [n] ordered (%x) { (%i: i64) yield %x } combine { (%l: f64) "
                "yield %l }\nreturn") ==
        "@f: %a = reduce: its operator must take two of each component's scalars and yield one of "
        "each");
  CHECK(problem("%a: f64[n] = scan [] [m] add (%x) { (%i: i64) yield %x }\nreturn") ==
        "@f: %a = scan: result `%a` has not the shape of the space and the extent");
  CHECK(problem("%a: f64[n] = scatter [n] [m] replace (%xs) { (%i: i64, %j: i64) yield %i, %x "
                "}\nreturn") == "@f: %a = scatter: its destination has too few dimensions");
  CHECK(problem("%a: f64[n, m] = scatter [n] [m] replace (%ys) { (%i: i64, %j: i64) yield %i, %x "
                "}\nreturn") == "well formed");
  CHECK(problem("%a: f64[m, n] = reduce_by_key [m] [n] [n] add (%x) { (%i: i64, %j: i64) %k: i64 = "
                "add %i, %j\nyield %k, %x }\nreturn") ==
        "@f: %a = reduce_by_key: its key depends on an index of the space");
  CHECK(problem("%a: f64[2 * n] = concat %xs, %xs\nreturn") == "well formed");
  CHECK(problem("%a: f64[n] = concat %xs, %xs\nreturn") ==
        "@f: %a = concat: its result is not `f64[2 * n]`");
  CHECK(problem("%a: f64[m * n] = reshape %ys\nreturn") == "well formed");
  CHECK(problem("%a: f64[m] = reshape %ys\nreturn") ==
        "@f: %a = reshape: the counts of elements may differ and it has no check id");
  CHECK(problem("%a: f64[m] = reshape %ys check 0\nreturn") == "well formed");
  CHECK(problem("%a: i64[n] = sort %ys\nreturn") == "@f: %a = sort: its keys must be vectors");
  CHECK(problem("%k: i64, %v: f64[n] = filter [n] { (%i: i64) yield %b, %x }\nreturn") ==
        "@f: %k = filter: result `%v` is not a vector of the count's length of the yielded scalar");
}

TEST_CASE("control: what holds between the parameters holds between values and results") {
  CHECK(problem("%a: f64[n] = loop %n (%xs) { (%i: i64, %s: f64[m]) yield %xs }\nreturn") ==
        "@f: %a = loop: initial state `%xs` has not the type of `%s`");
  const std::string shrink = R"(
  %k: i64, %v: f64[k] = while (%n, %xs) { (%c: i64, %w: f64[c])
    yield %b
  } do { (%d: i64, %u: f64[d])
    %one: i64 = constant 1
    %e: i64 = sub %d, %one
    %t: f64[e] = map [e] { (%i: i64)
      %y: f64 = read %u[%i] check 0
      yield %y
    }
    yield %e, %t
  }
  return %v)";
  CHECK(problem(shrink, true, "f64[k]") == "well formed");
  std::string wrong = shrink;
  wrong.replace(wrong.find("yield %e, %t"), 12, "yield %d, %t");
  CHECK(problem(wrong, true, "f64[k]") ==
        "@f: %k = while: yielded state `%t` has not the type of `%u`");
  CHECK(problem("%k: i64, %v: f64[k] = branch %b { yield %n, %xs } else { %z: i64 = constant "
                "3\n%t: f64[3] = map [3] { (%i: i64) yield %x }\nyield %z, %t }\nreturn") ==
        "well formed");
  CHECK(problem("%v: f64[n] = branch %b { yield %xs } else { %t: f64[3] = map [3] { (%i: i64) "
                "yield %x }\nyield %t }\nreturn") ==
        "@f: %v = branch: yielded value `%t` has not the type of result `%v`");
  CHECK(problem("%three: i64 = constant 3\n%v: i64, %s: f64[3, n] = loop %three (%n) stacked 1 { "
                "(%i: i64, %c: i64) yield %c, %xs }\nreturn") == "well formed");
}

TEST_CASE("calls") {
  const std::string callee = R"(
graph @g(%k: i64, %v: f64[k]) -> (i64, f64[r], f64[2 * k]) {
  %r: i64, %w: f64[r] = filter [k] { (%i: i64)
    %x: f64 = read %v[%i]
    %c: bool = constant true
    yield %c, %x
  }
  %d: f64[2 * k] = concat %v, %v
  return %r, %w, %d
}
)";
  auto check = [&](const std::string& call) {
    const auto problems = verify(test::parse_ok("graph @f(%n: i64, %xs: f64[n]) -> () {\n" + call +
                                                "\nreturn\n}\n" + callee),
                                 true);
    return problems.empty() ? std::string("well formed") : problems[0];
  };
  CHECK(check("%a: i64, %b: f64[a], %c: f64[2 * n] = call @g(%n, %xs)") == "well formed");
  CHECK(check("%a: i64, %b: f64[n], %c: f64[2 * n] = call @g(%n, %xs)") ==
        "@f: %a = call: result `%b` has not the type of the function's result");
  CHECK(check("%m: i64 = add %n, %n\n%a: i64, %b: f64[a], %c: f64[2 * m] = call @g(%m, %xs)") ==
        "@f: %a = call: argument `%xs` has not the type of the parameter");
  CHECK(check("%a: i64 = call @g(%n, %xs)") ==
        "@f: %a = call: `@g` has 2 parameters and 3 results");
}

TEST_CASE("sizes are the same when what they are computed from is") {
  CHECK(problem("%two: i64 = constant 2\n%k: i64 = mul %n, %two\n%a: f64[k] = map [2 * n] { (%i: "
                "i64) yield %x }\n%c: f64[k + 2 * n] = concat %a, %a\nreturn") == "well formed");
  CHECK(problem("%k: i64 = size (n + 1) / 2\n%two: i64 = constant 2\n%one: i64 = constant 1\n%p: "
                "i64 = add %n, %one\n%q: i64 = int_div %p, %two\n%a: f64[k] = map [q] { (%i: i64) "
                "yield %x }\nreturn") == "well formed");
}

TEST_CASE("modules built by hand may be wrong in any way") {
  auto verify_with = [](auto change) {
    Module module = test::parse_ok(test::every_operation());
    change(module);
    return !verify(module, true).empty();
  };
  Function empty;
  Module module;
  module.functions.push(empty);
  CHECK_FALSE(verify(module, true).empty());
  const FunctionId main{0};
  CHECK(verify_with([&](Module& m) { m.functions[main].name = "other"; }));
  CHECK(verify_with([&](Module& m) { m.functions[main].size_params = 100; }));
  CHECK(verify_with([&](Module& m) { m.functions[main].result_names = {"a"}; }));
  CHECK(verify_with([&](Module& m) { m.checks[CheckId{0}].loc = LocId{9}; }));
  CHECK(verify_with([&](Module& m) { m.locs.push({{}, LocId{0}, ""}); }));
  const std::size_t nodes =
      module.functions.size() > 0
          ? test::parse_ok(test::every_operation()).functions[main].nodes.size()
          : 0;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const NodeId id{i};
    CHECK(verify_with([&](Module& m) { m.functions[main].nodes[id].results.clear(); }));
    CHECK(verify_with(
        [&](Module& m) { m.functions[main].nodes[id].operands.push_back(ValueId{1'000'000}); }));
    CHECK(verify_with(
        [&](Module& m) { m.functions[main].nodes[id].regions.push_back(m.functions[main].body); }));
    CHECK(verify_with([&](Module& m) { m.functions[main].nodes[id].loc = LocId{77}; }));
    CHECK(verify_with([&](Module& m) {
      const ValueId result = m.functions[main].nodes[id].results[0];
      m.functions[main].values[result].node = NodeId{};
    }));
  }
}
