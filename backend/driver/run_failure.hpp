// A failure of a running program as a message with its place.
#pragma once

#include "backend/driver/problem.hpp"
#include "ir/graph/interpret.hpp"
#include "ir/graph/law_test.hpp"
#include "ir/task/program.hpp"

namespace dvm::driver {

// `checks`: the program's, in a package or from `passes::check_table`.
RunFailure describe(const graph::RunError& error,
                    const IdVector<graph::CheckId, task::Check>& checks);

RunFailure describe(const graph::BrokenLaw& broken, const graph::Module& module,
                    const SourceMap& sources);

}  // namespace dvm::driver
