// Places and call paths stand in the table of checks.
#include "backend/driver/run_failure.hpp"

#include "passes/plan/check_table.hpp"

namespace dvm::driver {

RunFailure describe(const graph::RunError& error,
                    const IdVector<graph::CheckId, task::Check>& checks) {
  RunFailure failure{.message = error.message, .place = "", .path = {}};
  if (error.check.valid() && checks.contains(error.check)) {
    failure.place = checks[error.check].place;
    failure.path = checks[error.check].path;
  }
  return failure;
}

RunFailure describe(const graph::BrokenLaw& broken, const graph::Module& module,
                    const SourceMap& sources) {
  const passes::PlaceText where = passes::place_text(module, broken.loc, &sources);
  RunFailure failure{.message = broken.message, .place = where.place, .path = where.path};
  const bool neutral = broken.law == graph::BrokenLaw::Law::Neutral;
  failure.code = neutral ? "not-neutral" : "not-associative";
  return failure;
}

}  // namespace dvm::driver
