// Values that must not have failed, though nothing looks at them.
#include "passes/plan/needed_together.hpp"

namespace dvm::passes {

using namespace graph;

ValueId needed_together(Builder& b, const std::vector<ValueId>& values) {
  const ValueId truth = b.constant(Scalar::of_bool(true));
  ValueId all = truth;
  for (ValueId value : values) {
    ValueId one;
    if (b.type(value).is_scalar()) {
      one = b.scalar(ScalarFn::Or, {b.scalar(ScalarFn::Eq, {value, value}), truth});
    } else {
      // No element of it, which needs the array as a whole.
      const RegionId body = b.open_region();
      const ValueId index = b.add_param({ElementType::I64, {}}, "i");
      const ValueId element =
          b.read(value, std::vector<ValueId>(b.type(value).shape.size(), index));
      b.close_region({b.scalar(ScalarFn::Eq, {element, element})});
      Reduce none;
      none.tree = Tree::Ordered;
      none.components = {{ScalarFn::And, false}};
      one = b.results(b.add(none, {truth}, {body}, {{ElementType::Bool, {}}}))[0];
    }
    all = b.scalar(ScalarFn::And, {all, one});
  }
  return all;
}

}  // namespace dvm::passes
