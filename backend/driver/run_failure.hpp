// Failures of a running program as messages with places.
#pragma once

#include "backend/driver/problem.hpp"
#include "ir/graph/interpret.hpp"
#include "ir/task/program.hpp"

namespace dvm::driver {

// Of the interpreter, whose places lie in the sources.
RunFailure describe(const graph::RunError& error, const graph::Module& module,
                    const SourceMap& sources);
// Of an engine, whose program carries its places as text.
RunFailure describe(const graph::RunError& error, const task::Program& program);

}  // namespace dvm::driver
