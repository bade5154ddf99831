// What one compilation carries from stage to stage beside its result: sources, messages, times.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/driver/problem.hpp"
#include "frontend/parse/parse.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"

namespace dvm::driver {

struct Compilation {
  const CompileOptions& options;
  std::map<std::string, parse::GivenModule> given_modules = {};  // of `dvmc repl`
  SourceMap sources = {};
  Diagnostics diagnostics = {};           // of the program's text
  std::optional<Problem> problem = {};    // anything else that stopped it
  std::vector<std::string> reports = {};  // --time-passes and the like, for standard error
  std::vector<std::pair<std::string, double>> seconds = {};  // per stage, in order

  // Remembers the problem and gives nothing, so that a stage can `return stop(…)`.
  std::nullopt_t stop(Problem what) {
    problem = std::move(what);
    return std::nullopt;
  }
  // Runs a stage and notes its time.
  template <class Stage>
  auto timed(std::string name, Stage stage) {
    const Clock clock;
    auto result = stage();
    seconds.emplace_back(std::move(name), clock.seconds());
    return result;
  }
  double total_seconds() const;

  class Clock {
   public:
    Clock();
    double seconds() const;  // since it was made

   private:
    double begin_;
  };
};

// Prints problem, diagnostics and reports; gives the exit status.
int report(const Compilation& compilation, const Options& options, const Console& console);

}  // namespace dvm::driver
