// Places and call paths as text.
#include "backend/driver/run_failure.hpp"

#include <fmt/core.h>

namespace dvm::driver {

namespace {

std::string place_text(Span span, const SourceMap& sources) {
  if (!span.valid()) return "";
  const LineColumn at = sources.place(span.file, span.begin);
  return fmt::format("{}:{}:{}", sources.file(span.file).path, at.line, at.column);
}

}  // namespace

RunFailure describe(const graph::RunError& error, const graph::Module& module,
                    const SourceMap& sources) {
  RunFailure failure{error.message, "", {}};
  if (!error.check.valid() || !module.checks.contains(error.check)) return failure;
  graph::LocId loc = module.checks[error.check].loc;
  if (!loc.valid()) return failure;
  failure.place = place_text(module.locs[loc].span, sources);
  while (loc.valid()) {
    const graph::Loc& callee = module.locs[loc];
    if (callee.caller.valid()) {
      failure.path.push_back(fmt::format("`{}` is called at {}", callee.function,
                                         place_text(module.locs[callee.caller].span, sources)));
    }
    loc = callee.caller;
  }
  return failure;
}

RunFailure describe(const graph::RunError& error, const task::Program& program) {
  RunFailure failure{error.message, "", {}};
  if (!error.check.valid() || !program.checks.contains(error.check)) return failure;
  failure.place = program.checks[error.check].place;
  failure.path = program.checks[error.check].path;
  return failure;
}

}  // namespace dvm::driver
