// When a choice between two values may be made by a select, which needs both.
#pragma once

#include <functional>

#include "ir/graph/graph.hpp"

namespace dvm::graph {

struct ChoiceFacts {
  // If it has failed, that is reported anyway. So it is with what cannot fail, and with all
  // parameters: a call needs its arguments, and a state that a body reads anywhere is needed at
  // every step, as are the terms of an operator (ir/graph/demand.hpp).
  std::function<bool(ValueId)> safe;
  std::function<bool(NodeId)> total;  // it cannot fail by itself
};

// Needing `yes` and `no` together with the condition reports no failure that the branch would not
// report: whatever may fail in one of them is needed by the condition too, or by the other as well.
// Looks at some dozens of nodes; false where it does not see.
bool may_select(const Function& function, ValueId condition, ValueId yes, ValueId no,
                const ChoiceFacts& facts);

}  // namespace dvm::graph
