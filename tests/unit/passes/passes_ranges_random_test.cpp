// Checks that were proved away on random index arithmetic, with values at the ends of 64 bits.
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "ir/graph/builder.hpp"
#include "ir/graph/interpret.hpp"
#include "passes/graph/simplify.hpp"

namespace dvm::passes {
namespace {

using namespace graph;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

// map [n] { … read %xs[index] check 0 … } under a guard, all of random arithmetic on the index, n
// and loaded integers.
class IndexProgram {
 public:
  explicit IndexProgram(std::uint64_t seed) : random_(seed) {
    range_ = module_.checks.push({"range", {}});
    division_ = module_.checks.push({"division", {}});
    Function& function = module_.functions[module_.functions.push({})];
    function.name = "main";
    builder_.emplace(module_, FunctionId{0});
    n_ = builder_->add_param({ElementType::I64, {}}, "n");
    function.size_params = 1;
    const Size n = Size::symbol(n_.index);
    const ValueId xs = builder_->add_param({ElementType::F64, {n}}, "xs");
    const ValueId ks = builder_->add_param({ElementType::I64, {n}}, "ks");
    const ValueId scalar = builder_->add_param({ElementType::I64, {}}, "s");
    const RegionId body = builder_->open_region();
    const ValueId i = builder_->add_param({ElementType::I64, {}}, "i");
    pool_ = {n_,
             i,
             builder_->read(ks, {i}),
             scalar,
             builder_->constant_i64(0),
             builder_->constant_i64(1)};
    for (int k = pick(4); k >= 0; --k) pool_.push_back(arithmetic());
    // Some indices are compared, some are made afterwards.
    ValueId guard = comparison();
    for (int k = pick(3); k > 0; --k)
      guard = builder_->scalar(pick(4) == 0 ? ScalarFn::Or : ScalarFn::And, {guard, comparison()});
    const RegionId inside = builder_->open_region();
    for (int k = pick(3); k > 0; --k) pool_.push_back(arithmetic());
    builder_->close_region({builder_->read(xs, {pool_.back()}, range_)});
    const RegionId outside = builder_->open_region();
    builder_->close_region({builder_->constant(Scalar::of_float(ElementType::F64, 0))});
    const NodeId choice =
        builder_->add(Branch{}, {guard}, {inside, outside}, {{ElementType::F64, {}}});
    builder_->close_region({builder_->results(choice)[0]});
    const NodeId map = builder_->add(Map{{n}}, {}, {body}, {{ElementType::F64, {n}}});
    Function& made = builder_->function();
    made.regions[made.body].yields = {builder_->results(map)[0]};
  }

  Module& module() { return module_; }

  std::vector<Tensor> args() {
    const std::int64_t n = 1 + pick(5);
    Tensor xs = *Tensor::make(ElementType::F64, {n});
    Tensor ks = *Tensor::make(ElementType::I64, {n});
    for (std::int64_t k = 0; k < n; ++k) {
      xs.set(k, Scalar::of_float(ElementType::F64, static_cast<double>(k + 1)));
      ks.set(k, Scalar::of_i64(any_value(n)));
    }
    return {Tensor::of_scalar(Scalar::of_i64(n)), xs, ks,
            Tensor::of_scalar(Scalar::of_i64(any_value(n)))};
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  ValueId any() { return pool_[static_cast<std::size_t>(pick(static_cast<int>(pool_.size())))]; }
  std::int64_t any_value(std::int64_t n) {
    switch (pick(6)) {
      case 0:
        return greatest - pick(3);
      case 1:
        return least + pick(3);
      case 2:
        return greatest / 2 + pick(3);
      default:
        return pick(static_cast<int>(n) + 3) - 1;
    }
  }
  ValueId number() {
    static constexpr std::int64_t numbers[] = {-1, 1, 2, 3, 4, 255, std::int64_t{1} << 31};
    return builder_->constant_i64(numbers[pick(7)]);
  }
  ValueId comparison() {
    static constexpr ScalarFn fns[] = {ScalarFn::Eq, ScalarFn::Ne, ScalarFn::Lt,
                                       ScalarFn::Le, ScalarFn::Gt, ScalarFn::Ge};
    return builder_->scalar(fns[pick(6)], {any(), any()});
  }
  ValueId arithmetic() {
    switch (pick(10)) {
      case 0:
        return builder_->scalar(ScalarFn::Mul, {any(), number()});
      case 1:
        return builder_->scalar(ScalarFn::IntDiv, {any(), number()}, division_);
      case 2:
        return builder_->scalar(ScalarFn::IntMod, {any(), pick(2) == 0 ? n_ : number()}, division_);
      case 3:
        return builder_->scalar(ScalarFn::And, {any(), number()});
      case 4:
        return builder_->scalar(ScalarFn::Select, {comparison(), any(), any()});
      case 5:
        return builder_->scalar(ScalarFn::Min, {any(), any()});
      case 6:
        return builder_->scalar(ScalarFn::Max, {any(), any()});
      case 7:
        return builder_->scalar(ScalarFn::Add, {any(), any()});
      default:
        return builder_->scalar(ScalarFn::Sub, {any(), any()});
    }
  }

  std::mt19937_64 random_;
  Module module_;
  std::optional<Builder> builder_;
  CheckId range_, division_;
  ValueId n_;
  std::vector<ValueId> pool_;
};

bool checks_reads(const Module& module) {
  for (const Node& node : module.functions[FunctionId{0}].nodes)
    if (std::holds_alternative<Read>(node.op) && node.check.valid()) return true;
  return false;
}

TEST_CASE("random index arithmetic fails after simplify where it failed before") {
  int proved = 0;
  constexpr std::uint64_t seeds = 4000;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    IndexProgram program(seed);
    const Module before = program.module();
    simplify(program.module());
    const Module& after = program.module();
    proved += checks_reads(before) && !checks_reads(after) ? 1 : 0;
    for (int run = 0; run < 6; ++run) {
      const std::vector<Tensor> args = program.args();
      const auto expected = interpret(before, FunctionId{0}, args, {});
      const auto found = interpret(after, FunctionId{0}, args, {});
      CAPTURE(seed);
      REQUIRE(expected.ok() == found.ok());
      if (expected)
        REQUIRE(identical((*expected)[0], (*found)[0]));
      else
        REQUIRE(expected.error().check == found.error().check);
    }
  }
  CHECK(proved > 400);
}

}  // namespace
}  // namespace dvm::passes
