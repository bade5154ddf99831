// Kernels with the same code are found and compiled once, under all their names.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/kernel/same_code.hpp"
#include "tests/unit/kernel/kernel_harness.hpp"

namespace dvm::kernel_test {
namespace {

using kernel::Phase;

const graph::Module& sums() {
  static const graph::Module module = parse_module(R"(
checks {
  0: "first"
  1: "second"
}
graph @norm(%n: i64, %x: f64[n], %y: f64[n]) -> (f64) sizes 1 {
  %z: f64 = constant 0.0
  %s: f64 = reduce [] [n] lanes add (%z) { (%i: i64)
    %a: f64 = read %x[%i] check 0
    yield %a
  }
  return %s
}
graph @same(%length: i64, %v: f64[length], %w: f64[length]) -> (f64) sizes 1 {
  %zero: f64 = constant 0.0
  %sum: f64 = reduce [] [length] lanes add (%zero) { (%at: i64)
    %term: f64 = read %v[%at] check 0
    yield %term
  }
  return %sum
}
graph @other_check(%n: i64, %x: f64[n], %y: f64[n]) -> (f64) sizes 1 {
  %z: f64 = constant 0.0
  %s: f64 = reduce [] [n] lanes add (%z) { (%i: i64)
    %a: f64 = read %x[%i] check 1
    yield %a
  }
  return %s
}
graph @other_array(%n: i64, %x: f64[n], %y: f64[n]) -> (f64) sizes 1 {
  %z: f64 = constant 0.0
  %s: f64 = reduce [] [n] lanes add (%z) { (%i: i64)
    %a: f64 = read %y[%i] check 0
    yield %a
  }
  return %s
}
)");
  return module;
}

std::vector<kernel::Kernel> kernels_of_all() {
  std::vector<kernel::Kernel> kernels;
  for (std::uint32_t f = 0; f < 4; ++f) {
    for (const Phase phase : {Phase::ReduceWhole, Phase::ReduceBlocks})
      kernels.push_back({"k" + std::to_string(kernels.size()), phase, graph::FunctionId{f}});
  }
  return kernels;
}

TEST_CASE("same code: names do not count; phases, checks and what is read do") {
  CHECK(kernel::first_with_same_code(sums(), kernels_of_all()) ==
        std::vector<std::size_t>{0, 1, 0, 1, 4, 5, 6, 7});
}

TEST_CASE("same code: one function has all the names") {
  const auto target = llvm_backend::make_target("native");
  REQUIRE(target.ok());
  Diagnostics problems;
  const auto object = llvm_backend::compile(sums(), kernels_of_all(), *target, problems);
  REQUIRE(object.has_value());
  CHECK(object->scratch_bytes.size() == 8);
  const int file = memfd_create("kernels", 0);
  REQUIRE(write(file, object->shared_object.data(), object->shared_object.size()) ==
          static_cast<ssize_t>(object->shared_object.size()));
  void* library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  REQUIRE(library != nullptr);
  const auto address = [&](const char* symbol) {
    void* found = dlsym(library, symbol);
    CHECK(found != nullptr);
    return found;
  };
  CHECK(address("k0") == address("k2"));
  CHECK(address("k1") == address("k3"));
  CHECK(address("k0") != address("k4"));
  CHECK(address("k0") != address("k6"));
  dlclose(library);
}

}  // namespace
}  // namespace dvm::kernel_test
