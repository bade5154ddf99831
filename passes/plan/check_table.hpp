// The checks of a module as the task IR carries them: with places and call paths as text.
#pragma once

#include <string>
#include <vector>

#include "ir/task/program.hpp"

namespace dvm::passes {

struct PlaceText {
  std::string place;              // file:line:column; empty when it is not known
  std::vector<std::string> path;  // the calls that led there, innermost first
};
PlaceText place_text(const graph::Module& module, graph::LocId loc, const SourceMap* sources);

IdVector<graph::CheckId, task::Check> check_table(const graph::Module& module,
                                                  const SourceMap* sources);

}  // namespace dvm::passes
