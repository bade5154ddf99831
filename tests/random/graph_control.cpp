// Control with arrays, calls, and whole functions.
#include "tests/random/graph_writer.hpp"
#include "tests/random/random_graph.hpp"

namespace dvm::test {

using namespace graph;

GraphWriter::GraphWriter(std::mt19937_64& random, Module& module,
                         const std::vector<Callee>& callees, int budget)
    : random_(random),
      module_(module),
      callees_(callees),
      budget_(budget),
      builder_(module, function_) {}

// How often a loop runs: seldom more than three times.
ValueId GraphWriter::count() {
  const std::size_t kind = draw(10);
  if (kind < 6) return builder_.constant_i64(static_cast<std::int64_t>(draw(4)));
  if (kind == 6) return chance(50) ? n_ : m_;
  const ValueId low =
      builder_.scalar(ScalarFn::Max, {pick(E::I64), builder_.constant_i64(chance(80) ? 0 : -1)});
  return builder_.scalar(ScalarFn::Min, {low, builder_.constant_i64(3)});
}

std::vector<Type> GraphWriter::states() {
  std::vector<Type> types;
  const std::size_t arrays = 1 + draw(2), scalars = draw(3);
  for (std::size_t k = 0; k < arrays; ++k) types.push_back(type(any_array()));
  for (std::size_t k = 0; k < scalars; ++k) types.push_back({element(), {}});
  return types;
}

std::vector<ValueId> GraphWriter::values_of(const std::vector<Type>& types, int depth) {
  std::vector<ValueId> values;
  for (const Type& type : types)
    values.push_back(type.is_scalar() ? pick(type.element) : array_of(type, depth));
  return values;
}

void GraphWriter::keep_params(const std::vector<Type>& types) {
  for (const Type& type : types) {
    const ValueId param = builder_.add_param(type, "s");
    (type.is_scalar() ? scalars_ : arrays_).push_back(param);
  }
}

void GraphWriter::array_loop(int depth) {
  const std::vector<Type> types = states();
  Loop op;
  op.stacked = chance(25) ? 1 : 0;
  const ValueId steps =
      op.stacked > 0 ? builder_.constant_i64(static_cast<std::int64_t>(draw(4))) : count();
  std::vector<ValueId> operands = values_of(types, depth);
  operands.insert(operands.begin(), steps);
  const RegionId region = builder_.open_region();
  const Scope scope = open();
  keep(builder_.add_param({E::I64, {}}, "t"));
  keep_params(types);
  const std::size_t count = 1 + draw(3);
  for (std::size_t k = 0; k < count && budget_ > 0; ++k) statement(depth + 1);
  std::vector<ValueId> yields = values_of(types, depth + 1);
  std::vector<Type> results = types;
  if (op.stacked > 0) {
    const E element = this->element();
    yields.push_back(expression(element, depth + 1));
    results.push_back({element, {Size::symbol(steps.index)}});
  }
  builder_.close_region(std::move(yields));
  close(scope);
  keep_results(builder_.add(op, std::move(operands), {region}, std::move(results)));
}

void GraphWriter::array_while(int depth) {
  std::vector<Type> types = states();
  std::vector<ValueId> operands = values_of(types, depth);
  types.insert(types.begin(), Type{E::I64, {}});
  operands.insert(operands.begin(), builder_.constant_i64(0));
  std::vector<RegionId> regions;
  for (int part = 0; part < 2; ++part) {
    regions.push_back(builder_.open_region());
    const Scope scope = open();
    keep_params(types);
    const ValueId step = function_.regions[builder_.current_region()].params[0];
    if (part == 0) {
      const ValueId limit = builder_.constant_i64(static_cast<std::int64_t>(draw(4)));
      const ValueId more = builder_.scalar(ScalarFn::Lt, {step, limit});
      const ValueId value = expression(E::Bool, depth + 1);
      builder_.close_region({chance(40) ? more : builder_.scalar(ScalarFn::And, {more, value})});
    } else {
      statement(depth + 1);
      std::vector<ValueId> yields = values_of(types, depth + 1);
      yields[0] = builder_.scalar(ScalarFn::Add, {step, builder_.constant_i64(1)});
      builder_.close_region(std::move(yields));
    }
    close(scope);
  }
  keep_results(builder_.add(While{}, std::move(operands), regions, std::move(types)));
}

void GraphWriter::array_branch(int depth) {
  const std::vector<Type> types = states();
  const ValueId condition = pick(E::Bool);
  std::vector<RegionId> regions;
  for (int side = 0; side < 2; ++side) {
    regions.push_back(builder_.open_region());
    const Scope scope = open();
    if (chance(70)) statement(depth + 1);
    builder_.close_region(values_of(types, depth + 1));
    close(scope);
  }
  keep_results(builder_.add(Branch{}, {condition}, regions, types));
}

// Sides of different sizes: the size is a result too.
void GraphWriter::sized_branch(int depth) {
  const E element = this->element();
  const ValueId condition = pick(E::Bool);
  std::vector<RegionId> regions;
  for (int side = 0; side < 2; ++side) {
    regions.push_back(builder_.open_region());
    const Scope scope = open();
    const Size length = extent();
    const ValueId array = array_of({element, {length}}, depth + 1);
    builder_.close_region({builder_.size(length), array});
    close(scope);
  }
  std::vector<ValueId> results{builder_.new_value({E::I64, {}})};
  const Size length = Size::symbol(results[0].index);
  results.push_back(builder_.new_value({element, {length}}));
  keep_results(builder_.add_with_results(Branch{}, {condition}, regions, results));
  extents_.push_back(length);
}

void GraphWriter::array_check() {
  const ValueId array = any_array();
  const std::vector<ValueId> values{pick(E::Bool), pick(E::I64)};
  arrays_.push_back(builder_.check(array, values[0], {values[1]}, check()));
}

void GraphWriter::call(int depth) {
  if (callees_.empty()) return map(depth);
  const Callee& callee = callees_[draw(callees_.size())];
  const ValueId size = chance(70) ? n_ : m_;
  const std::vector<Size> shape{Size::symbol(size.index)};
  const ValueId k = pick(E::I64);
  const ValueId x = pick(E::F64);
  const ValueId v = array_of({E::F64, shape}, depth);
  const ValueId w = array_of({E::I64, shape}, depth);
  keep_results(
      builder_.add(Call{callee.id}, {k, size, x, v, w}, {}, {{E::F64, {}}, {E::F64, shape}}));
}

Function GraphWriter::callee(FunctionId self, bool recursive) {
  function_.name = recursive ? "again" : "part";
  if (self.index > 1) function_.name += std::to_string(self.index);
  const ValueId k = keep(builder_.add_param({E::I64, {}}, "k"));
  n_ = m_ = keep(builder_.add_param({E::I64, {}}, "n"));
  const std::vector<Size> shape{Size::symbol(n_.index)};
  const Type vector{E::F64, shape}, indices{E::I64, shape};
  const ValueId x = keep(builder_.add_param({E::F64, {}}, "x"));
  const ValueId v = builder_.add_param(vector, "v");
  const ValueId w = builder_.add_param(indices, "w");
  arrays_ = {v, w};
  if (!recursive) {
    const std::size_t count = 1 + draw(3);
    for (std::size_t i = 0; i < count; ++i) statement(1);
    const ValueId first = expression(E::F64, 1);
    builder_.close_region({first, array_of(vector, 1)});
    return std::move(function_);
  }
  const ValueId most = builder_.scalar(ScalarFn::Min, {k, builder_.constant_i64(3)});
  const ValueId done = builder_.scalar(ScalarFn::Le, {k, builder_.constant_i64(0)});
  const RegionId end = builder_.open_region();
  builder_.close_region({x, v});
  const RegionId go_on = builder_.open_region();
  const Scope scope = open();
  const ValueId less = builder_.scalar(ScalarFn::Sub, {most, builder_.constant_i64(1)});
  statement(1);
  const ValueId next_x = expression(E::F64, 1);
  const ValueId next_v = array_of(vector, 1);
  const NodeId deeper =
      builder_.add(Call{self}, {less, n_, next_x, next_v, w}, {}, {{E::F64, {}}, vector});
  ValueId result = builder_.results(deeper)[0];
  if (chance(50)) result = builder_.scalar(ScalarFn::Add, {result, x});
  builder_.close_region({result, builder_.results(deeper)[1]});
  close(scope);
  const NodeId node = builder_.add(Branch{}, {done}, {end, go_on}, {{E::F64, {}}, vector});
  builder_.close_region(builder_.results(node));
  return std::move(function_);
}

Function GraphWriter::entry() {
  function_.name = "main";
  function_.size_params = 2;
  n_ = keep(builder_.add_param({E::I64, {}}, "n"));
  m_ = keep(builder_.add_param({E::I64, {}}, "m"));
  const Size n = Size::symbol(n_.index), m = Size::symbol(m_.index);
  const std::vector<Type> inputs{
      {E::F64, {n}},    {E::F64, {n}},       {E::I64, {n}},    {E::F64, {m}},
      {E::F64, {n, m}}, {E::I64, {Size(3)}}, {element(), {n}}, {element(), {m, extent()}}};
  for (const Type& type : inputs) arrays_.push_back(builder_.add_param(type, "v"));
  for (E element : {E::F64, E::F64, E::I64, E::I64, E::Bool, element()})
    keep(builder_.add_param({element, {}}, "s"));
  const std::size_t count = 3 + draw(8);
  for (std::size_t k = 0; k < count && budget_ > 0; ++k) statement(0);
  // The latest, of which much of the rest is made.
  std::vector<ValueId> results;
  const std::size_t wanted = 1 + draw(4);
  for (std::size_t k = 0; k < wanted; ++k)
    results.push_back(arrays_[arrays_.size() - 1 - draw(std::min<std::size_t>(arrays_.size(), 4))]);
  results.push_back(
      scalars_[scalars_.size() - 1 - draw(std::min<std::size_t>(scalars_.size(), 3))]);
  builder_.close_region(std::move(results));
  return std::move(function_);
}

Module random_graph(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Module module;
  // The entry comes first.
  module.functions.push({});
  std::vector<Callee> callees;
  const std::size_t count = random() % 3;
  for (std::size_t k = 0; k < count; ++k) {
    const FunctionId id = module.functions.push({});
    const bool recursive = random() % 2 == 0;
    Function callee = GraphWriter(random, module, callees, 25).callee(id, recursive);
    module.functions[id] = std::move(callee);
    callees.push_back({id});
  }
  Function entry = GraphWriter(random, module, callees, 130).entry();
  module.functions[FunctionId{0}] = std::move(entry);
  return module;
}

}  // namespace dvm::test
