// Runs one program of examples/ at the stored small size: with the local engine on 1, 2 and 7
// workers, from a package, and with the reference interpreter. All results must agree bit for bit,
// and with the oracle's values within its tolerances. Usage: program_test NAME
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "backend/driver/command_line.hpp"
#include "backend/driver/npy.hpp"
#include "passes/pass_table.hpp"
#include "tests/programs/compare.hpp"

namespace {

namespace fs = std::filesystem;
using dvm::programs::Tolerance;

const fs::path root = DVM_SOURCE_FOLDER;

struct Program {
  std::string name;
  std::vector<Tolerance> outputs;
  std::vector<std::string> inputs;  // name=file.npy
  fs::path results;                 // a folder of this run's own
};

std::vector<std::string> input_arguments(const fs::path& folder) {
  std::vector<std::string> arguments;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    if (stem.starts_with("in_")) arguments.push_back(stem.substr(3) + "=" + entry.path().string());
  }
  std::sort(arguments.begin(), arguments.end());
  return arguments;
}

// A command of dvmc; false with a message when it failed.
bool dvmc(const Program& program, const std::string& way,
          const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out, err;
  const int status = dvm::driver::dvmc_main(arguments, {in, out, err});
  if (status != 0) fmt::print("FAIL {} {}: status {}\n{}\n", program.name, way, status, err.str());
  return status == 0;
}

// Runs the program, or a package of it.
bool run(const Program& program, const std::string& way, const std::vector<std::string>& options,
         const fs::path& file) {
  std::vector<std::string> arguments = {"run", "--no-cache", file.string()};
  arguments.insert(arguments.end(), program.inputs.begin(), program.inputs.end());
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"-o", (program.results / way).string() + "/"});
  return dvmc(program, way, arguments);
}

// A record's field by name, a tuple's part by number, a single result as `result`.
fs::path result_file(const fs::path& folder, const Program& program, std::size_t index) {
  for (const std::string& name :
       {program.outputs[index].output, std::to_string(index), std::string("result")}) {
    if (fs::exists(folder / (name + ".npy"))) return folder / (name + ".npy");
  }
  return folder / (program.outputs[index].output + ".npy");
}

bool agree(const Program& program, const std::string& way, const std::string& first_way) {
  bool passed = true;
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const std::string& output = program.outputs[i].output;
    const auto got = dvm::driver::read_npy(result_file(program.results / way, program, i).string());
    const auto first =
        dvm::driver::read_npy(result_file(program.results / first_way, program, i).string());
    const auto want = dvm::driver::read_npy(
        (root / "tests/programs/data" / program.name / ("out_" + output + ".npy")).string());
    std::string wrong;
    if (!got || !first || !want) {
      wrong = !got ? got.error() : !first ? first.error() : want.error();
    } else if (!dvm::identical(*got, *first)) {
      wrong = fmt::format("its bits differ from those of {}", first_way);
    } else if (const auto different = dvm::programs::difference(*got, *want, program.outputs[i])) {
      wrong = *different;
    }
    if (!wrong.empty()) fmt::print("FAIL {} {} {}: {}\n", program.name, way, output, wrong);
    passed &= wrong.empty();
  }
  return passed;
}

// One set of ways that must agree bit for bit; the first one is what the others are compared with.
struct Group {
  std::vector<std::pair<std::string, std::vector<std::string>>> ways;
};

std::vector<Group> groups() {
  // For this machine: every number of workers, the interpreter, and the pipeline without any one
  // pass.
  Group here{{{"workers-1", {"--workers", "1"}},
              {"workers-2", {"--workers", "2"}},
              {"workers-7", {"--workers", "7"}},
              {"interpreter", {"--engine", "interpreter"}}}};
  for (const dvm::passes::GraphPass& pass : dvm::passes::pass_table()) {
    const std::string name(pass.name);
    if (pass.role == dvm::passes::PassRole::Optimise)
      here.ways.push_back({"without-" + name, {"--disable", name}});
  }
  // Another instruction set has other vector routines, so its bits are its own.
  const Group avx2{{{"avx2", {"--cpu", "x86-64-v3"}},
                    {"avx2-interpreter", {"--cpu", "x86-64-v3", "--engine", "interpreter"}}}};
  return {here, avx2};
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  Program program{words[1], dvm::programs::tolerances_of(words[1]), {}, {}};
  if (program.outputs.empty()) {
    fmt::print("no program `{}` in tests/programs/tolerances.txt\n", program.name);
    return 2;
  }
  program.inputs = input_arguments(root / "tests/programs/data" / program.name);
  std::string folder = (fs::temp_directory_path() / "dvm-program-XXXXXX").string();
  program.results = mkdtemp(folder.data());
  bool passed = true;
  const fs::path source = root / "examples" / (program.name + ".dvm");
  const std::vector<Group> all = groups();
  for (const Group& group : all) {
    for (const auto& [way, options] : group.ways) {
      passed =
          run(program, way, options, source) && agree(program, way, group.ways[0].first) && passed;
    }
  }
  const fs::path package = program.results / "program.dvmp";
  passed = dvmc(program, "build", {"build", source.string(), "-o", package.string()}) &&
           run(program, "package", {}, package) &&
           agree(program, "package", all[0].ways[0].first) && passed;
  fs::remove_all(program.results);
  fmt::print("{} {}\n", passed ? "pass" : "FAIL", program.name);
  return passed ? 0 : 1;
}
