// Kernels: what a task runs, and how an engine calls it. The definitions (phases, binary interface)
// lie in ir/task/kernel.hpp, where the planner and the engine see them without the code generator.
#pragma once

#include "ir/task/kernel.hpp"
