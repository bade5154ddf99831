// Reductions and scans whose operator no kernel can hold, as loops over materialised terms.
#include "passes/plan/operator_loops.hpp"

#include "passes/plan/needed_together.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

using Values = std::vector<ValueId>;

class OperatorLoops {
 public:
  OperatorLoops(Rewriter& to, NodeId id) : to_(to), b_(to.builder()), node_(to.from().nodes[id]) {}

  void reduce(const Reduce& op) {
    space_ = mapped(op.space);
    extent_ = to_.mapped(op.extent);
    over_space([&](const Values& point) {
      const Values terms = terms_at(point);
      const Values blocks = combine_blocks(terms);
      return first_or_neutral(combine_pairs(blocks));
    });
  }

  void scan(const Scan& op) {
    space_ = mapped(op.space);
    extent_ = to_.mapped(op.extent);
    over_space([&](const Values& point) { return running(terms_at(point), op.exclusive); });
  }

 private:
  static constexpr std::int64_t block = reduction_block;

  std::vector<Size> mapped(const std::vector<Size>& sizes) {
    std::vector<Size> result;
    for (const Size& size : sizes) result.push_back(to_.mapped(size));
    return result;
  }
  ValueId number(std::int64_t value) { return b_.constant_i64(value); }
  ValueId add(ValueId a, ValueId b) { return b_.scalar(ScalarFn::Add, {a, b}); }
  ValueId sub(ValueId a, ValueId b) { return b_.scalar(ScalarFn::Sub, {a, b}); }
  ValueId mul(ValueId a, ValueId b) { return b_.scalar(ScalarFn::Mul, {a, b}); }
  ValueId is(ScalarFn fn, ValueId a, ValueId b) { return b_.scalar(fn, {a, b}); }
  Values read_all(const Values& arrays, ValueId at) {
    Values result;
    for (ValueId array : arrays) result.push_back(b_.read(array, {at}));
    return result;
  }
  Values combine(const Values& left, const Values& right) {
    Values args = left;
    args.insert(args.end(), right.begin(), right.end());
    return to_.inline_region(node_.regions[1], args);
  }
  Values add_scalar_params(const Values& like) {
    Values params;
    for (ValueId value : like) params.push_back(b_.add_param(b_.type(value), ""));
    return params;
  }
  ValueId index_param() { return b_.add_param({ElementType::I64, {}}, ""); }

  template <class Body>
  Values map(const std::vector<Size>& space, const Body& body) {
    b_.open_region();
    Values indices;
    for (std::size_t d = 0; d < space.size(); ++d) indices.push_back(index_param());
    Values yields = body(indices);
    std::vector<Type> types;
    for (ValueId yield : yields) {
      types.push_back({b_.type(yield).element, space});
      const std::vector<Size>& inner = b_.type(yield).shape;
      types.back().shape.insert(types.back().shape.end(), inner.begin(), inner.end());
    }
    const RegionId region = b_.current_region();
    b_.close_region(std::move(yields));
    return b_.results(b_.add(Map{space}, {}, {region}, std::move(types)));
  }
  template <class Then, class Else>
  Values branch(ValueId condition, const Then& then_side, const Else& else_side) {
    const RegionId taken = b_.open_region();
    const Values yields = then_side();
    std::vector<Type> types;
    for (ValueId yield : yields) types.push_back(b_.type(yield));
    b_.close_region(yields);
    const RegionId otherwise = b_.open_region();
    b_.close_region(else_side());
    return b_.results(b_.add(Branch{}, {condition}, {taken, otherwise}, std::move(types)));
  }

  // `body` at every point of the space becomes the results of the node.
  template <class Body>
  void over_space(const Body& body) {
    const Values results = space_.empty() ? body({}) : map(space_, body);
    for (std::size_t k = 0; k < results.size(); ++k) to_.map(node_.results[k], results[k]);
  }

  Values terms_at(const Values& point) {
    return map({extent_}, [&](const Values& t) {
      Values indices = point;
      indices.push_back(t[0]);
      return to_.inline_region(node_.regions[0], indices);
    });
  }

  // One value per block: in order from its first term on.
  Values combine_blocks(const Values& terms) {
    const Size blocks = Size::quotient(extent_ + Size(block - 1), block);
    return map({blocks}, [&](const Values& at) {
      const ValueId low = mul(at[0], number(block));
      const ValueId rest = sub(b_.size(extent_), low);
      const ValueId length = b_.scalar(ScalarFn::Min, {rest, number(block)});
      const Values first = read_all(terms, low);
      Values operands{sub(length, number(1))};
      operands.insert(operands.end(), first.begin(), first.end());
      const RegionId body = b_.open_region();
      const ValueId step = index_param();
      const Values states = add_scalar_params(first);
      b_.close_region(combine(states, read_all(terms, add(add(low, step), number(1)))));
      std::vector<Type> types;
      for (ValueId value : first) types.push_back(b_.type(value));
      return b_.results(b_.add(Loop{}, operands, {body}, types));
    });
  }

  // Neighbours, until one value (or none) is left; what has no partner moves up. Gives how many
  // there are, then the arrays.
  Values combine_pairs(const Values& blocks) {
    Values initial{b_.size(Size::quotient(extent_ + Size(block - 1), block))};
    initial.insert(initial.end(), blocks.begin(), blocks.end());
    const auto add_states = [&] {
      Values params{index_param()};
      for (ValueId array : blocks)
        params.push_back(b_.add_param({b_.type(array).element, {b_.as_size(params[0])}}, ""));
      return params;
    };
    const RegionId condition = b_.open_region();
    const Values asked = add_states();
    b_.close_region({is(ScalarFn::Gt, asked[0], number(1))});
    const RegionId body = b_.open_region();
    const Values states = add_states();
    const Size half = Size::quotient(b_.as_size(states[0]) + Size(1), 2);
    const Values arrays(states.begin() + 1, states.end());
    Values next{b_.size(half)};
    for (ValueId pair : map({half}, [&](const Values& at) {
           const ValueId left = mul(at[0], number(2)), right = add(left, number(1));
           return branch(
               is(ScalarFn::Lt, right, states[0]),
               [&] { return combine(read_all(arrays, left), read_all(arrays, right)); },
               [&] { return read_all(arrays, left); });
         }))
      next.push_back(pair);
    b_.close_region(next);
    Values results{b_.new_value({ElementType::I64, {}})};
    for (ValueId array : blocks)
      results.push_back(b_.new_value({b_.type(array).element, {Size::symbol(results[0].index)}}));
    b_.add_with_results(While{}, initial, {condition, body}, results);
    return results;
  }

  Values neutral() {
    Values values;
    for (ValueId operand : node_.operands) values.push_back(to_.mapped(operand));
    return values;
  }

  Values first_or_neutral(const Values& counted) {
    const Values arrays(counted.begin() + 1, counted.end());
    const ValueId any = is(ScalarFn::Gt, counted[0], number(0));
    return branch(
        b_.scalar(ScalarFn::And, {any, needed_together(b_, neutral())}),
        [&] { return read_all(arrays, number(0)); }, [&] { return neutral(); });
  }

  // States: the value inside the block, the offset of the block. Stacked: offset op local.
  Values running(const Values& terms, bool exclusive) {
    const std::size_t count = terms.size();
    const Values start = neutral();
    const ValueId fine = needed_together(b_, start);
    Values operands{b_.size(extent_)};
    for (int twice = 0; twice < 2; ++twice)
      operands.insert(operands.end(), start.begin(), start.end());
    const RegionId body = b_.open_region();
    const ValueId t = index_param();
    const Values local = add_scalar_params(start), offset = add_scalar_params(start);
    const Size first = Size::quotient(b_.as_size(t), block) * Size(block);
    const ValueId starts = is(ScalarFn::Eq, t, b_.size(first));
    const ValueId later = is(ScalarFn::Gt, t, number(block));
    const Values offsets = branch(
        b_.scalar(ScalarFn::And, {starts, is(ScalarFn::Ge, t, number(block))}),
        [&] {
          return branch(later, [&] { return combine(offset, local); }, [&] { return local; });
        },
        [&] { return offset; });
    const Values locals = branch(
        starts, [&] { return read_all(terms, t); },
        [&] { return combine(local, read_all(terms, t)); });
    const Values totals = branch(
        b_.scalar(ScalarFn::And, {is(ScalarFn::Lt, t, number(block)), fine}),
        [&] { return locals; }, [&] { return combine(offsets, locals); });
    Values yields = locals;
    yields.insert(yields.end(), offsets.begin(), offsets.end());
    yields.insert(yields.end(), totals.begin(), totals.end());
    b_.close_region(yields);
    std::vector<Type> types;
    for (std::size_t k = 0; k < 2 * count; ++k) types.push_back(b_.type(start[k % count]));
    for (ValueId value : start) types.push_back({b_.type(value).element, {extent_}});
    const Values all =
        b_.results(b_.add(Loop{static_cast<std::uint32_t>(count)}, operands, {body}, types));
    const Values stacked(all.begin() + static_cast<std::ptrdiff_t>(2 * count), all.end());
    return exclusive ? shifted(stacked) : stacked;
  }

  Values shifted(const Values& inclusive) {
    return map({extent_}, [&](const Values& t) {
      return branch(
          is(ScalarFn::Gt, t[0], number(0)),
          [&] { return read_all(inclusive, sub(t[0], number(1))); }, [&] { return neutral(); });
    });
  }

  Rewriter& to_;
  Builder& b_;
  const Node& node_;
  std::vector<Size> space_;
  Size extent_;
};

}  // namespace

bool reduce_by_loops(Rewriter& to, NodeId id) {
  const auto* reduce = std::get_if<Reduce>(&to.from().nodes[id].op);
  if (reduce) OperatorLoops(to, id).reduce(*reduce);
  return reduce != nullptr;
}

bool scan_by_loop(Rewriter& to, NodeId id) {
  const auto* scan = std::get_if<Scan>(&to.from().nodes[id].op);
  if (scan) OperatorLoops(to, id).scan(*scan);
  return scan != nullptr;
}

}  // namespace dvm::passes
