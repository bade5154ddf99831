// Printing and parsing of the task IR (.dvt): parse(print(p)) == p. Grammar: docs in
// ir/task/text.cpp.
#pragma once

#include <string>
#include <string_view>

#include "ir/base/result.hpp"
#include "ir/task/program.hpp"

namespace dvm::task {

std::string print(const Program& program);
// The error says what was expected, with its line. Any input is safe; the program still wants
// `verify`.
Result<Program, std::string> parse(std::string_view text);

}  // namespace dvm::task
