// Places and call paths stand in the table of checks.
#include "backend/driver/run_failure.hpp"

namespace dvm::driver {

RunFailure describe(const graph::RunError& error,
                    const IdVector<graph::CheckId, task::Check>& checks) {
  RunFailure failure{error.message, "", {}};
  if (error.check.valid() && checks.contains(error.check)) {
    failure.place = checks[error.check].place;
    failure.path = checks[error.check].path;
  }
  return failure;
}

}  // namespace dvm::driver
