// Builder, size forms, rewriting.
#include <doctest/doctest.h>

#include "ir/graph/rewrite.hpp"
#include "ir/graph/verify.hpp"
#include "ir/graph/walk.hpp"
#include "tests/unit/ir/graph_text.hpp"

using namespace dvm;
using namespace dvm::graph;

TEST_CASE("copying keeps the text of what is needed") {
  Module module = test::parse_ok(test::every_operation());
  const std::string before = print(module);
  Module copy = module;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    copy.functions[FunctionId{i}] = without_unneeded(module, module.functions[FunctionId{i}]);
  }
  CHECK(verify(copy, true).empty());
  // %q, %t, %back of @main and %r, %f of @other are needed by nobody.
  CHECK(print(copy).find("%back") == std::string::npos);
  CHECK(print(copy).find("%kept") != std::string::npos);
  Module again = copy;
  for (std::uint32_t i = 0; i < copy.functions.size(); ++i) {
    again.functions[FunctionId{i}] = without_unneeded(copy, copy.functions[FunctionId{i}]);
  }
  CHECK(print(again) == print(copy));
}

TEST_CASE("replacing takes over names and sizes, and what became unneeded goes") {
  Module module = test::parse_ok(R"(graph @f(%n: i64, %xs: f64[n]) -> (f64[k]) sizes 1 {
  %two: i64 = constant 2
  %k: i64 = mul %n, %two
  %a: f64[k] = map [k] { (%i: i64)
    %h: i64 = mul %i, %two
    %x: f64 = read %xs[%h]
    yield %x
  }
  return %a
})");
  // x * 2 becomes x + x.
  const Rewriter::Replace doubling = [](Rewriter& rewriter, NodeId id) {
    const Node& node = rewriter.from().nodes[id];
    const auto* scalar = std::get_if<ScalarOp>(&node.op);
    if (scalar == nullptr || scalar->fn != ScalarFn::Mul) return false;
    const ValueId x = rewriter.mapped(node.operands[0]);
    rewriter.map(node.results[0], rewriter.builder().scalar(ScalarFn::Add, {x, x}));
    return true;
  };
  Rewriter rewriter(module, module.functions[FunctionId{0}], doubling);
  module.functions[FunctionId{0}] = rewriter.run();
  CHECK(verify(module, true).empty());
  CHECK(print(module) == R"(graph @f(%n: i64, %xs: f64[n]) -> (f64[2 * n]) sizes 1 {
  %a: f64[2 * n] = map [2 * n] { (%i: i64)
    %h: i64 = add %i, %i
    %x: f64 = read %xs[%h]
    yield %x
  }
  return %a
}
)");
}

TEST_CASE("regions can be inlined into another place") {
  Module module = test::parse_ok(R"(graph @f(%n: i64, %x: f64) -> (f64) {
  %one: i64 = constant 1
  %r: f64 = loop %one (%x) { (%t: i64, %s: f64)
    %c: f64 = convert %s
    %d: f64 = add %c, %s
    yield %d
  }
  return %r
})");
  Rewriter rewriter(module, module.functions[FunctionId{0}], [](Rewriter& to, NodeId id) {
    const Node& node = to.from().nodes[id];
    if (!std::holds_alternative<Loop>(node.op)) return false;
    const ValueId zero = to.builder().constant_i64(0);
    const auto yields = to.inline_region(node.regions[0], {zero, to.mapped(node.operands[1])});
    to.map(node.results[0], yields[0]);
    return true;
  });
  module.functions[FunctionId{0}] = rewriter.run();
  CHECK(print(module) == R"(graph @f(%n: i64, %x: f64) -> (f64) {
  %c: f64 = convert %x
  %d: f64 = add %c, %x
  return %d
}
)");
}

TEST_CASE("i64 scalars as sizes") {
  Module module;
  module.functions.push({});
  Builder builder(module, FunctionId{0});
  const ValueId n = builder.add_param({ElementType::I64, {}}, "n");
  const ValueId b = builder.add_param({ElementType::Bool, {}}, "b");
  const Size size = builder.function().size_of(n);
  const ValueId two = builder.constant_i64(2);
  CHECK(builder.as_size(two) == Size(2));
  const ValueId sum = builder.scalar(ScalarFn::Add, {n, two});
  CHECK(builder.as_size(builder.scalar(ScalarFn::Mul, {sum, sum})) ==
        (size + Size(2)) * (size + Size(2)));
  CHECK(builder.as_size(builder.scalar(ScalarFn::IntDiv, {sum, two})) ==
        Size::quotient(size, 2) + Size(1));
  CHECK(builder.as_size(builder.scalar(ScalarFn::Neg, {sum})) == -size - Size(2));
  const ValueId checked = builder.check(sum, b, {}, CheckId{0});
  CHECK(builder.as_size(checked) == Size::symbol(checked.index));
  const ValueId chosen = builder.scalar(ScalarFn::Select, {b, sum, n});
  CHECK(builder.as_size(chosen) == Size::symbol(chosen.index));
  CHECK(builder.size(size) == n);
  CHECK(builder.as_size(builder.size(size * size)) == size * size);
  // Long chains neither recurse nor grow without bound.
  ValueId chain = n, twice = n;
  for (int i = 0; i < 100'000; ++i) chain = builder.scalar(ScalarFn::Add, {chain, two});
  CHECK(builder.as_size(chain) == size + Size(200'000));
  for (int i = 0; i < 200; ++i) twice = builder.scalar(ScalarFn::Add, {twice, twice});
  CHECK_FALSE(builder.as_size(twice).overflowed());
}

TEST_CASE("needed nodes") {
  const Module module = test::parse_ok(R"(graph @f(%n: i64) -> (f64[k]) {
  %k: i64 = add %n, %n
  %dead: i64 = add %k, %n
  %z: f64 = constant 0.0
  %a: f64[k] = map [n + k] { (%i: i64)
    %unused: i64 = add %i, %i
    yield %z
  }
  return %a
})");
  const Function& function = module.functions[FunctionId{0}];
  const auto needed = needed_nodes(function);
  for (std::uint32_t i = 0; i < function.nodes.size(); ++i) {
    const std::string& name = function.values[function.nodes[NodeId{i}].results[0]].name;
    CAPTURE(name);
    CHECK(needed[i] == (name != "dead" && name != "unused"));
  }
}

TEST_CASE("key blocks grow with the keys") {
  CHECK(key_block(0) == 4096);
  CHECK(key_block(1) == 4096);
  CHECK(key_block(128) == 4096);
  CHECK(key_block(129) == 8192);
  CHECK(key_block(1000) == 4096 * 8);
  CHECK(key_block(INT64_MAX) == INT64_MAX);
}
