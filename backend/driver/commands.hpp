// The commands of dvmc. Each prints to the console and gives the exit status.
#pragma once

#include "backend/driver/console.hpp"
#include "backend/driver/options.hpp"

namespace dvm::driver {

int check_command(const Options& options, const Console& console);
int build_command(const Options& options, const Console& console);
int run_command(const Options& options, const Console& console);
int dump_command(const Options& options, const Console& console);
int opt_command(const Options& options, const Console& console);
int passes_command(const Options& options, const Console& console);
int inspect_command(const Options& options, const Console& console);
int doc_command(const Options& options, const Console& console);
int explain_program_command(const Options& options, const Console& console);
int explain_command(const Options& options, const Console& console);
int format_command(const Options& options, const Console& console);
int repl_command(const Options& options, const Console& console);

}  // namespace dvm::driver
