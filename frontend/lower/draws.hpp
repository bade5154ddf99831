// What one branch of a comprehension draws: how often, and what each draw binds.
#pragma once

#include <functional>
#include <vector>

#include "frontend/lower/value.hpp"

namespace dvm::lower {

// A frame with the names of one draw. `element` is what the last generator gave, of a pattern that
// may fail: then nothing of it is bound yet.
struct Drawn {
  Env* frame = nullptr;
  Lazy* element = nullptr;
};

struct Draws {
  Size extent;
  std::vector<Requirement> requirements;
  // Binds the names of draw k (inside 0 .. extent - 1) in a new frame below the given one.
  std::function<Drawn(Lowerer&, ValueId k, Env* outer)> bind;
};

}  // namespace dvm::lower
