// The checks of a module as the task IR carries them: with places and call paths as text.
#pragma once

#include "ir/task/program.hpp"

namespace dvm::passes {

IdVector<graph::CheckId, task::Check> check_table(const graph::Module& module,
                                                  const SourceMap* sources);

}  // namespace dvm::passes
