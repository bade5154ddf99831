// Machine files and the cost model.
#include <doctest/doctest.h>

#include "ir/graph/builder.hpp"
#include "passes/cost/cost.hpp"
#include "passes/cost/machine.hpp"

namespace dvm::passes {
namespace {

using namespace graph;

TEST_CASE("a machine file reads back to the same machine") {
  Machine machine;
  machine.name = "cluster";
  machine.workers = 64;
  machine.flops_per_second = 1.25e10;
  const auto back = parse_machine(print_machine(machine));
  REQUIRE(back.ok());
  CHECK(*back == machine);
}

TEST_CASE("comments, blanks and missing figures are fine, anything else names its line") {
  const auto machine = parse_machine("# mine\n\n  workers = 4  # half\n");
  REQUIRE(machine.ok());
  CHECK(machine->workers == 4);
  CHECK(machine->flops_per_second == Machine{}.flops_per_second);
  CHECK(parse_machine("workers = 4\nspeed = 3\n").error() == "line 2: there is no figure `speed`");
  CHECK(parse_machine("workers = four").error() ==
        "line 1: `four` is not a number that fits `workers`");
  CHECK(!parse_machine("workers = 0").ok());
  CHECK(!parse_machine("workers = 2.5").ok());
  CHECK(!parse_machine("workers").ok());
  CHECK(!parse_machine("flops_per_second = -1").ok());
  CHECK(!parse_machine("flops_per_second = 0").ok());
  CHECK(load_machine("laptop").ok());
  CHECK(!load_machine("/no/such/machine").ok());
}

struct Sample {
  Module module;
  Function function;
  NodeId node;
  ValueId n;
};

// reduce [n] [n]: a row of a matrix product, or an exponential of each element.
void build(Sample& sample, bool costly) {
  Builder builder(sample.module, sample.function);
  sample.n = builder.add_param({ElementType::I64, {}}, "n");
  const Size n = Size::symbol(sample.n.index);
  const ValueId a = builder.add_param({ElementType::F64, {n}}, "a");
  const RegionId region = builder.open_region();
  const ValueId i = builder.add_param({ElementType::I64, {}}, "i");
  ValueId x = builder.read(a, {i});
  const RegionId inner = builder.open_region();
  const ValueId j = builder.add_param({ElementType::I64, {}}, "j");
  ValueId y = builder.read(a, {j});
  if (costly) y = builder.scalar(ScalarFn::Exp, {y});
  builder.close_region({builder.scalar(ScalarFn::Mul, {x, y})});
  Reduce reduce;
  reduce.extent = n;
  reduce.tree = Tree::Lanes;
  reduce.components = {{ScalarFn::Add, false}};
  const ValueId zero = builder.constant(Scalar::of_float(ElementType::F64, -0.0));
  const NodeId sum = builder.add(reduce, {zero}, {inner}, {{ElementType::F64, {}}});
  builder.close_region({builder.results(sum)[0]});
  sample.node = builder.add(Map{{n}}, {}, {region}, {{ElementType::F64, {n}}});
}

TEST_CASE("the cost of a point grows with inner extents and with what they compute") {
  Sample cheap, costly;
  build(cheap, false);
  build(costly, true);
  auto at = [](const Sample& sample, std::int64_t size) {
    const PointCost cost = point_cost(sample.function, sample.node, Machine{});
    const auto value = cost.nanoseconds([&](Size::Symbol) { return std::optional(size); });
    REQUIRE(value.has_value());
    return *value;
  };
  CHECK(at(cheap, 1000) > 5 * at(cheap, 100));
  CHECK(at(cheap, 1000) < 20 * at(cheap, 100));
  CHECK(at(costly, 1000) > 3 * at(cheap, 1000));
  const PointCost cost = point_cost(cheap.function, cheap.node, Machine{});
  CHECK(
      !cost.nanoseconds([](Size::Symbol) -> std::optional<std::int64_t> { return std::nullopt; }));
}

TEST_CASE("elementary functions cost more than division, division more than addition") {
  CHECK(operations(ScalarFn::Pow, ElementType::F64) > operations(ScalarFn::Exp, ElementType::F64));
  CHECK(operations(ScalarFn::Exp, ElementType::F64) > operations(ScalarFn::Div, ElementType::F64));
  CHECK(operations(ScalarFn::Div, ElementType::F64) > operations(ScalarFn::Add, ElementType::F64));
}

}  // namespace
}  // namespace dvm::passes
