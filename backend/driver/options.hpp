// What the command line asks for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dvm::driver {

struct CompileOptions {
  std::string entry;                         // empty: `main`
  std::vector<std::string> include_folders;  // -I
  std::string cpu = "native";
  std::string machine;  // name or file; empty: the default machine
  bool no_cache = false;
  bool contract = false;  // products into sums, another rounding
  // Of the passes:
  std::vector<std::string> disabled;
  std::optional<std::size_t> bisect;
  bool verify_each = false;
  bool validate = false;  // each pass against the interpreter
  std::string time_passes;  // empty, text or json
  std::string dump_folder;

  // A cached package answers none of these.
  bool wants_to_see_passes() const {
    return bisect || verify_each || validate || !time_passes.empty() || !dump_folder.empty();
  }
};

struct Options {
  std::string command;  // check, build, run, …
  std::string file;     // the program, package or graph
  CompileOptions compile;
  std::string diagnostics = "text";  // or json, or lines of json
  bool warnings_are_errors = false;

  // run
  std::vector<std::string> inputs;  // name=value
  std::string engine = "local";     // or interpreter
  int workers = 0;                  // 0: one per core
  int repeat = 1;
  std::string time;  // empty, text or json
  bool show = false;
  bool check_laws = false;  // --check: neutral elements and operators, in the interpreter
  std::string output;       // of build too

  std::vector<std::string> sizes;   // explain: name=number
  std::string html;                 // explain: the page to write
  bool json = false;                // explain
  bool fix = false;                 // check
  std::string error_code;           // explain-error; empty: all
  std::string after;                // dump
  std::vector<std::string> passes;  // opt
  bool tasks = false;               // opt: go on to tasks
  std::vector<std::string> files;   // fmt, doc
  bool check_only = false;          // fmt
  bool test_examples = false;       // doc
  bool complete = false;            // doc
  std::string format = "html";      // doc: or markdown
  std::string shell;                // completion
};

}  // namespace dvm::driver
