// Places and call paths stand in the table of checks.
#include "backend/driver/run_failure.hpp"

#include <fmt/format.h>

#include "passes/plan/check_table.hpp"

namespace dvm::driver {

RunFailure describe(const graph::RunError& error,
                    const IdVector<graph::CheckId, task::Check>& checks) {
  RunFailure failure{.message = error.message, .place = "", .path = {}};
  if (error.check.valid() && checks.contains(error.check)) {
    failure.place = checks[error.check].place;
    failure.path = checks[error.check].path;
  }
  const bool known = error.first_call.valid() && checks.contains(error.first_call);
  if (!error.check.valid() && known) {  // too deep a recursion
    failure.place = checks[error.first_call].place;
    failure.path = checks[error.first_call].path;
  } else if (error.calls > 0) {
    std::string depth = fmt::format("{} call{} deep", error.calls, error.calls == 1 ? "" : "s");
    if (known && !checks[error.first_call].place.empty())
      depth += fmt::format(", the first at {}", checks[error.first_call].place);
    failure.path.push_back(std::move(depth));
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
