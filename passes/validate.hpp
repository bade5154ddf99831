// Holds rewritten graphs to the interpreter: the same bits and the same failures as before, on
// random arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/graph/graph.hpp"
#include "ir/graph/interpret.hpp"
#include "ir/type/tensor.hpp"

namespace dvm::passes {

struct ValidateOptions {
  int trials = 24;
  std::uint64_t seed = 1;
  std::int64_t most_elements = 3000;     // of an argument
  std::uint64_t most_steps = 3'000'000;  // of the interpreter, for each run
  VectorIsa isa = host_vector_isa();
};

using Outcome = Result<std::vector<Tensor>, graph::RunError>;

// Limits (memory, steps, depth) are no part of a program's meaning: a pass may make it cheaper.
inline bool is_limit(const Outcome& outcome) {
  return !outcome.ok() && !outcome.error().check.valid();
}

// What differs first, in words (`result 0 at [2]: 1.0 before, 2.0 after`), or nullopt when both
// give the same bits or fail with the same check. Limits differ from nothing.
std::optional<std::string> first_difference(const graph::Module& module, const Outcome& before,
                                            const Outcome& after);

// `n = 2, xs = [1.0, nan]`: the arguments of the module's first function; long arrays are cut.
std::string render_arguments(const graph::Function& function, std::span<const Tensor> args,
                             std::size_t most_elements = 64);

// What a rewrite changed.
struct Difference {
  std::size_t trial = 0;
  std::vector<Tensor> args;
  std::string text;  // of first_difference
};

struct Trial {
  std::vector<Tensor> args;
  Outcome outcome;
};

// Runs the first function of an elaborated module on random arguments, once; rewritten modules are
// then compared with that.
class Validation {
 public:
  Validation(const graph::Module& elaborated, const ValidateOptions& options);

  std::optional<Difference> compare(const graph::Module& after);

  const std::vector<Trial>& trials() const { return trials_; }
  std::size_t failing() const;                        // trials that fail
  std::size_t compared() const { return compared_; }  // runs
  std::size_t limits() const { return limits_; }      // runs that a limit stopped
  // `3 graphs compared on 24 inputs (2 of them fail)`
  std::string summary() const;

 private:
  Outcome run(const graph::Module& module, std::span<const Tensor> args) const;

  ValidateOptions options_;
  std::vector<Trial> trials_;
  std::size_t graphs_ = 0, compared_ = 0, limits_ = 0;
};

}  // namespace dvm::passes
