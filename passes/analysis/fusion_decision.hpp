// Why fuse-maps fuses an array or leaves it in memory: what the plan decided, and with which
// figures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/graph/graph.hpp"

namespace dvm::passes {

enum class FusionVerdict : std::uint8_t {
  Fused,
  // Its elements cannot be computed one by one.
  MadeAtOnce,  // by a sort, a reduction, …
  ArrayRows,   // a map whose body yields arrays
  // Somebody wants the array itself.
  Result,       // the program gives it
  Carried,      // a loop, a branch or a body yields it or takes it as a state
  WantsMemory,  // an operand of an operation that is no read
  // The same failure would not be found.
  CheckedRead,   // the check of an index stands on the stored array
  FailingIndex,  // an index may fail and the body does not always use it
  MayFail,       // an element may fail and is not read in any case
  // It can be done and does not pay.
  LongBody,
  DeepBody,
  HeavyRepeated,  // a loop or reduction for each element, done more than once
  HeavyReader,    // a loop or reduction for each element, into something else than a map
  StaysAnyway,    // another result of the map must be stored, and this one is not cheap
  Repeated,       // too many operations to be done more than once
  Traffic,        // computing it costs more than moving it
};

struct FusionDecision {
  FusionVerdict verdict = FusionVerdict::Fused;
  graph::ValueId array;
  graph::NodeId reader;     // of the use that decided; may be none
  double operations = 0;    // of one evaluation of the body, what is fused into it included
  double read_bytes = 0;    // that one evaluation reads
  double nodes = 0;         // of the body
  double stored_bytes = 0;  // of one element
  double evaluations = 0;   // per element, if it were fused
  double streams = 0;       // how often its readers go through it
  double cost_fused = 0, cost_stored = 0;  // per element, in simple operations
};

// `traffic`: one word, for programs.
std::string_view word_of(FusionVerdict verdict);
// One sentence without capital and period: `a sort wants it in memory`.
std::string reason_of(const graph::Function& function, const FusionDecision& decision);

}  // namespace dvm::passes
