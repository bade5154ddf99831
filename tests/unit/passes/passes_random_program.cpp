// A generator that keeps a pool of what is in scope and draws from it.
#include "passes_random_program.hpp"

#include <limits>

#include "ir/graph/builder.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

using E = ElementType;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), builder_(module_, function_) {}

  Module run() {
    function_.name = "main";
    function_.size_params = 2;
    n_ = builder_.add_param({E::I64, {}}, "n");
    m_ = builder_.add_param({E::I64, {}}, "m");
    scalars_ = {n_, m_};
    const std::vector<Size> vector{Size::symbol(n_.index)};
    const std::vector<Size> matrix{Size::symbol(n_.index), Size::symbol(m_.index)};
    for (E element : {E::F64, E::F64, E::I64})
      arrays_.push_back(builder_.add_param({element, vector}, "v"));
    arrays_.push_back(builder_.add_param({E::F64, matrix}, "a"));
    for (E element : {E::F64, E::F64, E::I64, E::Bool})
      scalars_.push_back(builder_.add_param({element, {}}, "s"));
    const int statements = 3 + draw(8);
    for (int k = 0; k < statements; ++k) statement(0);
    std::vector<ValueId> results;
    const int count = 1 + draw(3);
    for (int k = 0; k < count; ++k) {
      results.push_back(
          arrays_[arrays_.size() - 1 - draw(std::min<std::size_t>(arrays_.size(), 6))]);
      results.push_back(
          scalars_[scalars_.size() - 1 - draw(std::min<std::size_t>(scalars_.size(), 4))]);
    }
    builder_.close_region(std::move(results));
    module_.functions.push(std::move(function_));
    return std::move(module_);
  }

 private:
  struct Scope {
    std::size_t scalars, arrays;
  };

  std::size_t draw(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool chance(int percent) { return draw(100) < static_cast<std::size_t>(percent); }
  Scope open() const { return {scalars_.size(), arrays_.size()}; }
  void close(Scope scope) {
    scalars_.resize(scope.scalars);
    arrays_.resize(scope.arrays);
  }
  const Type& type(ValueId value) { return builder_.type(value); }
  CheckId check() {
    // Few ids, so that nodes share them now and then.
    return module_.checks.push({"check", {}});
  }
  Size n() const { return Size::symbol(n_.index); }
  Size m() const { return Size::symbol(m_.index); }

  // --- scalars

  ValueId keep(ValueId value) {
    scalars_.push_back(value);
    return value;
  }
  ValueId literal(E element) {
    constexpr double floats[] = {0.0, -0.0, 1.0,  -1.0,
                                 0.5, 2.0,  3.25, std::numeric_limits<double>::infinity()};
    if (element == E::F64) return builder_.constant(Scalar::of_float(E::F64, floats[draw(8)]));
    if (element == E::Bool) return builder_.constant(Scalar::of_bool(chance(50)));
    return builder_.constant_i64(static_cast<std::int64_t>(draw(6)) - 2);
  }
  ValueId pick(E element) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      // The latest are the most interesting.
      const std::size_t back =
          draw(chance(60) ? std::min<std::size_t>(scalars_.size(), 6) : scalars_.size());
      const ValueId value = scalars_[scalars_.size() - 1 - back];
      if (type(value).element == element) return value;
    }
    return literal(element);
  }

  ValueId scalar(E element, int depth) {
    const std::size_t kind = draw(depth > 3 ? 6 : 12);
    if (kind == 0) return literal(element);
    if (kind == 1 && element != E::Bool) return read(element);
    if (kind == 6 && depth < 3) return branch(element, depth);
    if (kind == 7 && depth < 3) return loop(element, depth);
    if (kind == 8 && depth < 3 && element != E::Bool) return nested_reduce(element, depth);
    if (kind == 10 && depth < 3 && chance(50)) return through_arrays(element, depth);
    if (kind == 9 && chance(40)) {
      const ValueId condition = pick(E::Bool);
      return keep(builder_.check(pick(element), condition, {pick(E::I64)}, check()));
    }
    return keep(operation(element));
  }

  ValueId operation(E element) {
    using enum ScalarFn;
    if (element == E::F64) {
      constexpr ScalarFn binary[] = {Add, Sub, Mul, Div, Min, Max, Add, Mul};
      constexpr ScalarFn unary[] = {Neg, Abs, Sqrt, Exp, Signum};
      const std::size_t kind = draw(10);
      if (kind < 6) return builder_.scalar(binary[draw(8)], {pick(element), pick(element)});
      if (kind < 8) return builder_.scalar(unary[draw(5)], {pick(element)});
      if (kind == 8) return builder_.scalar(Convert, {pick(E::I64)}, {}, E::F64);
      return builder_.scalar(Select, {pick(E::Bool), pick(element), pick(element)});
    }
    if (element == E::I64) {
      constexpr ScalarFn binary[] = {Add, Sub, Mul, Min, Max, And, Xor, Add, Sub};
      constexpr ScalarFn division[] = {IntDiv, IntMod, IntQuot, IntRem};
      const std::size_t kind = draw(10);
      if (kind < 6) return builder_.scalar(binary[draw(9)], {pick(element), pick(element)});
      if (kind == 6)
        return builder_.scalar(division[draw(4)], {pick(element), pick(element)}, check());
      if (kind == 7) return builder_.scalar(Floor, {pick(E::F64)}, {}, E::I64);
      if (kind == 8) return builder_.scalar(Shl, {pick(element), pick(element)}, check());
      return builder_.scalar(Select, {pick(E::Bool), pick(element), pick(element)});
    }
    constexpr ScalarFn compare[] = {Eq, Ne, Lt, Le, Gt, Ge};
    constexpr ScalarFn logic[] = {And, Or, Xor};
    const std::size_t kind = draw(6);
    const E side = chance(50) ? E::F64 : E::I64;
    if (kind < 4) return builder_.scalar(compare[draw(6)], {pick(side), pick(side)});
    if (kind == 4) return builder_.scalar(logic[draw(3)], {pick(E::Bool), pick(E::Bool)});
    return builder_.scalar(Not, {pick(E::Bool)});
  }

  // In range and unchecked where an index of the same extent is at hand, else checked or wrapped.
  ValueId read(E element) {
    std::vector<ValueId> fitting;
    for (ValueId array : arrays_)
      if (type(array).element == element) fitting.push_back(array);
    if (fitting.empty()) return literal(element);
    const std::size_t back =
        draw(chance(70) ? std::min<std::size_t>(fitting.size(), 3) : fitting.size());
    const ValueId array = fitting[fitting.size() - 1 - back];
    std::vector<ValueId> indices;
    bool safe = true;
    for (const Size& extent : std::vector<Size>(type(array).shape)) {
      ValueId exact{};
      for (const auto& [index, range] : indices_)
        if (range == extent) exact = index;
      if (exact.valid() && chance(75)) {
        indices.push_back(exact);
      } else {
        indices.push_back(pick(E::I64));
        safe = false;
      }
    }
    return keep(builder_.read(array, std::move(indices), safe && chance(70) ? CheckId{} : check()));
  }

  ValueId branch(E element, int depth) {
    const ValueId condition = pick(E::Bool);
    std::vector<RegionId> regions;
    for (int side = 0; side < 2; ++side) {
      regions.push_back(builder_.open_region());
      const Scope scope = open();
      const ValueId value = expression(element, depth + 1);
      builder_.close_region({value});
      close(scope);
    }
    const NodeId node = builder_.add(Branch{}, {condition}, regions, {{element, {}}});
    return keep(builder_.results(node)[0]);
  }

  ValueId loop(E element, int depth) {
    const ValueId count = builder_.constant_i64(static_cast<std::int64_t>(draw(4)));
    const std::vector<ValueId> operands{count, pick(element), pick(E::F64)};
    const RegionId region = builder_.open_region();
    const Scope scope = open();
    keep(builder_.add_param({E::I64, {}}, "t"));
    keep(builder_.add_param({element, {}}, "u"));
    keep(builder_.add_param({E::F64, {}}, "w"));
    const ValueId first = expression(element, depth + 1);
    const ValueId second = expression(E::F64, depth + 1);
    builder_.close_region({first, second});
    close(scope);
    const NodeId node = builder_.add(Loop{}, operands, {region}, {{element, {}}, {E::F64, {}}});
    keep(builder_.results(node)[1]);
    return keep(builder_.results(node)[0]);
  }

  ValueId expression(E element, int depth) {
    const int count = 1 + static_cast<int>(draw(depth < 2 ? 5 : 3));
    for (int k = 0; k < count; ++k) {
      constexpr E elements[] = {E::F64, E::F64, E::I64, E::Bool};
      scalar(elements[draw(4)], depth);
    }
    return scalar(element, depth);
  }

  // --- what no kernel holds: here bodies become templates

  ValueId through_arrays(E element, int depth) {
    switch (draw(7)) {
      case 0:
        sort();
        break;
      case 1:
        filter(depth);
        break;
      case 2:
        array_loop(depth);
        break;
      case 3:
        array_branch(depth);
        break;
      case 4:
        joined();
        break;
      case 5:
        scatter(depth);
        break;
      default:
        by_key(depth);
    }
    if (element != E::Bool) return read(element);
    read(E::F64);
    return keep(operation(element));
  }

  ValueId vector(E element) {
    std::vector<ValueId> fitting;
    for (ValueId array : arrays_)
      if (type(array) == Type{element, {n()}}) fitting.push_back(array);
    return fitting[fitting.size() - 1 - draw(std::min<std::size_t>(fitting.size(), 3))];
  }
  void sort() {
    const NodeId node = builder_.add(Sort{{chance(30), false}}, {vector(E::F64), vector(E::I64)},
                                     {}, {{E::I64, {n()}}});
    arrays_.push_back(builder_.results(node)[0]);
  }
  // The kept values, and their sum as a scalar; their number is a size.
  void filter(int depth) {
    const RegionId region = builder_.open_region();
    const Scope scope = open();
    const std::size_t indices = indices_.size();
    add_indices({n()});
    const ValueId condition = expression(E::Bool, depth + 1);
    builder_.close_region({condition, expression(E::F64, depth + 1)});
    close(scope);
    indices_.resize(indices);
    const ValueId count = keep(builder_.new_value({E::I64, {}}));
    const Size kept = Size::symbol(count.index);
    const ValueId values = builder_.new_value({E::F64, {kept}});
    builder_.add_with_results(Filter{n()}, {}, {region}, {count, values});
    auto [op, start] = reduction(E::F64, {}, kept);
    arrays_.push_back(values);
    keep(reduce(E::F64, op, start, depth + 1));
    if (chance(50)) arrays_.push_back(values);
  }
  void array_branch(int depth) {
    const ValueId condition = pick(E::Bool);
    std::vector<RegionId> regions;
    for (int side = 0; side < 2; ++side) {
      regions.push_back(builder_.open_region());
      const Scope scope = open();
      statement(depth + 1);
      builder_.close_region({vector(E::F64)});
      close(scope);
    }
    const NodeId node = builder_.add(Branch{}, {condition}, regions, {{E::F64, {n()}}});
    arrays_.push_back(builder_.results(node)[0]);
  }
  void joined() {
    const NodeId twice =
        builder_.add(Concat{}, {vector(E::F64), vector(E::F64)}, {}, {{E::F64, {n() + n()}}});
    const NodeId rows =
        builder_.add(Reshape{}, {builder_.results(twice)[0]}, {}, {{E::F64, {Size(2), n()}}});
    arrays_.push_back(builder_.results(rows)[0]);
  }
  void scatter(int depth) {
    Scatter op;
    op.extent = n();
    op.combines = chance(50);
    if (op.combines) op.components = {{ScalarFn::Add, false}};
    const ValueId into = vector(E::F64);
    arrays_.push_back(keyed(op, {into}, {n()}, depth));
  }
  void by_key(int depth) {
    ReduceByKey op;
    op.keys = Size(3);
    op.extent = n();
    op.components = {{ScalarFn::Add, false}};
    const ValueId start = builder_.constant(Scalar::of_float(E::F64, -0.0));
    arrays_.push_back(keyed(op, {start}, {Size(3)}, depth));
  }
  ValueId keyed(Op op, std::vector<ValueId> operands, std::vector<Size> shape, int depth) {
    const RegionId region = builder_.open_region();
    const Scope scope = open();
    const std::size_t indices = indices_.size();
    add_indices({n()});
    const ValueId key = expression(E::I64, depth + 1);
    builder_.close_region({key, expression(E::F64, depth + 1)});
    close(scope);
    indices_.resize(indices);
    const NodeId node =
        builder_.add(std::move(op), std::move(operands), {region}, {{E::F64, std::move(shape)}});
    return builder_.results(node)[0];
  }

  // --- arrays

  void add_indices(const std::vector<Size>& extents) {
    for (const Size& extent : extents) {
      const ValueId index = builder_.add_param({E::I64, {}}, "i");
      keep(index);
      indices_.emplace_back(index, extent);
    }
  }

  std::pair<Reduce, ValueId> reduction(E element, std::vector<Size> space, Size extent) {
    Reduce op;
    op.space = std::move(space);
    op.extent = std::move(extent);
    const ScalarFn fns[] = {ScalarFn::Add, ScalarFn::Add, ScalarFn::Mul, ScalarFn::Max};
    const std::size_t which = draw(4);
    op.components = {{fns[which], false}};
    const double neutral[] = {-0.0, -0.0, 1.0, -std::numeric_limits<double>::infinity()};
    const ValueId start = element == E::F64
                              ? builder_.constant(Scalar::of_float(E::F64, neutral[which]))
                              : builder_.constant_i64(which == 2 ? 1 : 0);
    return {op, start};
  }

  ValueId nested_reduce(E element, int depth) {
    auto [op, start] = reduction(element, {}, chance(50) ? n() : chance(50) ? m() : Size(3));
    return keep(reduce(element, op, start, depth));
  }

  ValueId reduce(E element, const Reduce& op, ValueId start, int depth) {
    const RegionId region = builder_.open_region();
    const Scope scope = open();
    const std::size_t indices = indices_.size();
    std::vector<Size> dims = op.space;
    dims.push_back(op.extent);
    add_indices(dims);
    const ValueId term = expression(element, depth + 1);
    builder_.close_region({term});
    close(scope);
    indices_.resize(indices);
    return builder_.results(builder_.add(op, {start}, {region}, {{element, op.space}}))[0];
  }

  std::vector<Size> some_space() {
    const std::size_t kind = draw(5);
    if (kind < 3) return {n()};
    return kind == 3 ? std::vector<Size>{n(), m()} : std::vector<Size>{m(), n()};
  }

  void map(int depth) {
    const std::vector<Size> space = some_space();
    const RegionId region = builder_.open_region();
    const Scope scope = open();
    const std::size_t indices = indices_.size();
    add_indices(space);
    std::vector<ValueId> yields;
    std::vector<Type> types;
    const std::size_t count = 1 + draw(2);
    for (std::size_t k = 0; k < count; ++k) {
      const E element = chance(75) ? E::F64 : E::I64;
      yields.push_back(expression(element, depth + 1));
      types.push_back({element, space});
    }
    builder_.close_region(std::move(yields));
    close(scope);
    indices_.resize(indices);
    const NodeId node = builder_.add(Map{space}, {}, {region}, std::move(types));
    for (ValueId result : builder_.results(node)) arrays_.push_back(result);
  }

  void scan() {
    Scan op;
    op.extent = n();
    op.exclusive = chance(30);
    op.components = {{ScalarFn::Add, false}};
    const ValueId start = builder_.constant(Scalar::of_float(E::F64, -0.0));
    const RegionId region = builder_.open_region();
    const Scope scope = open();
    const std::size_t indices = indices_.size();
    add_indices({n()});
    builder_.close_region({expression(E::F64, 1)});
    close(scope);
    indices_.resize(indices);
    const NodeId node = builder_.add(op, {start}, {region}, {{E::F64, {n()}}});
    arrays_.push_back(builder_.results(node)[0]);
  }

  void array_loop(int depth) {
    const ValueId count = builder_.constant_i64(static_cast<std::int64_t>(draw(4)));
    const std::vector<ValueId> operands{count, arrays_[0], pick(E::F64)};
    const RegionId region = builder_.open_region();
    const Scope scope = open();
    keep(builder_.add_param({E::I64, {}}, "t"));
    arrays_.push_back(builder_.add_param(type(arrays_[0]), "state"));
    keep(builder_.add_param({E::F64, {}}, "u"));
    statement(depth + 1);
    map(depth + 1);
    ValueId next = arrays_[0];
    for (ValueId array : arrays_)
      if (type(array) == type(arrays_[0])) next = array;
    const ValueId second = expression(E::F64, depth + 1);
    builder_.close_region({next, second});
    close(scope);
    const NodeId node = builder_.add(Loop{}, operands, {region}, {type(arrays_[0]), {E::F64, {}}});
    arrays_.push_back(builder_.results(node)[0]);
    keep(builder_.results(node)[1]);
  }

  void statement(int depth) {
    const std::size_t kind = draw(10);
    if (kind < 4) return map(depth);
    if (kind < 6) {
      const E element = chance(75) ? E::F64 : E::I64;
      auto [op, start] =
          reduction(element, chance(50) ? std::vector<Size>{} : std::vector<Size>{n()},
                    chance(50) ? n() : m());
      const bool whole = op.space.empty();
      const ValueId result = reduce(element, op, start, depth);
      (whole ? scalars_ : arrays_).push_back(result);
      return;
    }
    if (kind == 6) return scan();
    if (kind == 7 && depth < 2) return array_loop(depth);
    if (kind == 8 && depth < 2) {
      through_arrays(E::F64, depth);
      return;
    }
    constexpr E elements[] = {E::F64, E::I64, E::Bool};
    scalar(elements[draw(3)], depth);
  }

  std::mt19937_64 random_;
  Module module_;
  Function function_;
  Builder builder_;
  ValueId n_, m_;
  std::vector<ValueId> scalars_, arrays_;
  std::vector<std::pair<ValueId, Size>> indices_;
};

Scalar random_scalar(std::mt19937_64& random, E element) {
  const std::uint64_t word = random();
  if (is_float(element)) {
    constexpr double special[] = {0.0, -0.0, 1.0, std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
    if (word % 16 < 5) return Scalar::of_float(element, special[word % 16]);
    return Scalar::of_float(element,
                            static_cast<double>(static_cast<std::int64_t>(word)) / 9e18 * 3);
  }
  if (element == E::Bool) return Scalar::of_bool(word % 2 == 0);
  return Scalar::of_integer(element, static_cast<std::int64_t>(word % 9) - 2);
}

}  // namespace

Module random_program(std::uint64_t seed) { return Generator(seed).run(); }

std::vector<Tensor> random_arguments(const Module& module, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Function& function = module.functions[FunctionId{0}];
  std::unordered_map<Size::Symbol, std::int64_t> sizes;
  std::vector<Tensor> arguments;
  std::size_t position = 0;
  for (ValueId param : function.params()) {
    const Type& type = function.values[param].type;
    if (position++ < function.size_params) {
      const std::int64_t size = random() % 8 == 0 ? 0 : static_cast<std::int64_t>(random() % 7) + 1;
      sizes[param.index] = size;
      arguments.push_back(Tensor::of_scalar(Scalar::of_i64(size)));
      continue;
    }
    std::vector<std::int64_t> shape;
    for (const Size& dim : type.shape)
      shape.push_back(dim.evaluate([&](Size::Symbol symbol) -> std::optional<std::int64_t> {
                           auto found = sizes.find(symbol);
                           return found == sizes.end() ? std::nullopt
                                                       : std::optional(found->second);
                         })
                          .value_or(0));
    Tensor tensor = *Tensor::make(type.element, shape);
    for (std::int64_t k = 0; k < tensor.count(); ++k)
      tensor.set(k, random_scalar(random, type.element));
    if (type.is_scalar() && type.element == E::I64) sizes[param.index] = tensor.at(0).as_i64();
    arguments.push_back(std::move(tensor));
  }
  return arguments;
}

}  // namespace dvm::passes
