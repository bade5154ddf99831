// What went wrong outside of a program's text: usage, inputs, files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/driver/console.hpp"
#include "backend/driver/options.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::driver {

struct Problem {
  int status = status::usage;
  std::string code;  // stable, kebab case: `unknown-input`
  std::string message;
  std::vector<std::string> notes = {};
};

// A failure of the running program, with places as text (a package has no source).
struct RunFailure {
  std::string message;
  std::string place;              // file:line:column, may be empty
  std::vector<std::string> path;  // the calls that led there, innermost first
  std::string code = "run-time-error";
};

// These print to `err` in the form that --diagnostics asks for and give the exit status.
int report(const Problem& problem, const Options& options, const Console& console);
int report(const RunFailure& failure, const Options& options, const Console& console);
int report(std::span<const RunFailure> failures, const Options& options, const Console& console);
// Errors and warnings of compiling; status 1 when there are errors, or warnings under -Werror.
int report(const Diagnostics& diagnostics, const SourceMap& sources, const Options& options,
           const Console& console);

}  // namespace dvm::driver
