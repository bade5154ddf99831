// A task program together with the machine code of its kernels, ready to run.
#pragma once

#include <memory>
#include <vector>

#include "ir/task/program.hpp"

namespace dvm::package {

struct Loaded {
  task::Program program;
  std::vector<kernel::KernelFunction> functions;  // by KernelId
  std::shared_ptr<void> library;                  // keeps the code mapped
};

}  // namespace dvm::package
