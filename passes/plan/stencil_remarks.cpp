// One remark for each loop that is an iterated stencil.
#include "passes/plan/stencil_remarks.hpp"

#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/iterated_stencil.hpp"

namespace dvm::passes {

void say_stencils(const graph::Module& module, Remarks& remarks) {
  for (const graph::Function& function : module.functions) {
    ArrayRemarks to(function, &remarks);
    for (const LoopFinding& finding : iterated_stencils(function)) {
      if (!finding.stencil) continue;
      const graph::Node& loop = function.nodes[finding.loop];
      const graph::Region& body = function.regions[loop.regions[0]];
      // States that only move on are made by no operation.
      graph::ValueId made;
      for (const StencilState& state : finding.stencil->states)
        if (const graph::ValueId next = body.yields[state.state];
            !made.valid() && function.values[next].node.valid())
          made = next;
      if (!made.valid()) continue;
      to.add(Remark::Kind::Done, "stencil", made,
             "its loop is an iterated stencil: " + describe(*finding.stencil));
    }
  }
}

}  // namespace dvm::passes
