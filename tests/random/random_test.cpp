// Random graphs and random programs, computed in all ways: the same bits or the same failure.
//
//   random_test graphs|programs [--first SEED] [--count N] [--engine EVERY] [--trials N]
//               [--seconds N] [--most FAULTS] [--out FOLDER] [--print]
//
// What disagrees is made small and written to the folder. Status 1 when anything did.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "backend/driver/front.hpp"
#include "backend/driver/options.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "ir/graph/text.hpp"
#include "ir/graph/verify.hpp"
#include "passes/pass_table.hpp"
#include "tests/random/random_graph.hpp"
#include "tests/random/random_program.hpp"
#include "tests/random/ways.hpp"

using namespace dvm;

namespace {

constexpr std::uint64_t batch = 25;  // programs in one module

struct Options {
  bool programs = false;
  std::uint64_t first = 1, count = 100, engine_every = 0, most_faults = 10;
  int trials = 3;
  double seconds = 0;  // 0: no limit
  std::string folder;  // empty: faults are printed only
  bool print_only = false;
};

char seed_text[64] = "no seed yet\n";

// A crash or a run without end says which seed it was.
void on_signal(int number) {
  std::signal(number, SIG_DFL);
  const char* name = number == SIGALRM ? "no end: " : "crash: ";
  (void)!write(STDERR_FILENO, name, std::char_traits<char>::length(name));
  (void)!write(STDERR_FILENO, seed_text, std::char_traits<char>::length(seed_text));
  _exit(70);
}

void announce(std::uint64_t seed) {
  const auto end = fmt::format_to_n(seed_text, sizeof seed_text - 1, "seed {}\n", seed);
  *end.out = '\0';
  alarm(300);
}

class Test {
 public:
  explicit Test(const Options& options) : options_(options), ways_(validate(options)) {}

  // False: enough.
  bool graph(std::uint64_t seed) {
    announce(seed);
    graph::Module module = test::random_graph(seed);
    if (const auto problems = graph::verify(module, false); !problems.empty()) {
      report(seed, module, {test::Fault::Kind::Malformed, {}, "as generated: " + problems[0], {}});
      return faults_ < options_.most_faults;
    }
    passes::find_pass("fix-rounding")->run(module);
    return check(seed, module);
  }

  // Programs seed, seed + 1, … in one module, since the Prelude costs more than each. False:
  // enough.
  bool programs(std::uint64_t seed, std::uint64_t count) {
    announce(seed);
    std::string text = "module Random where\n";
    for (std::uint64_t k = 0; k < count; ++k) text += "\n" + test::random_program(seed + k);
    if (options_.print_only) {
      fmt::print("{}", text);
      return true;
    }
    driver::CompileOptions options;
    driver::Compilation compilation{options};
    const auto syntax = driver::parse_program(compilation, "random.dvm", text);
    const auto typed = syntax ? driver::check_types(compilation, *syntax) : std::nullopt;
    if (!typed) {
      if (count == 1) return rejected(seed, compilation, text);
      for (std::uint64_t k = 0; k < count; ++k)
        if (!programs(seed + k, 1)) return false;
      return true;
    }
    for (std::uint64_t k = 0; k < count; ++k)
      if (!program(seed + k, compilation, *typed)) return false;
    return true;
  }

  bool program(std::uint64_t seed, driver::Compilation& compilation, const typed::Program& typed) {
    announce(seed);
    const std::string name = fmt::format("p{}", seed);
    for (const typed::BindingId entry : typed.entries) {
      if (typed.bindings[entry].name != name) continue;
      auto module = driver::lower_binding(compilation, typed, entry);
      if (!module) return rejected(seed, compilation, test::random_program(seed));
      passes::find_pass("fix-rounding")->run(*module);
      return check(seed, *module);
    }
    fmt::print("seed {}: {} is no entry\n", seed, name);
    ++faults_;
    return faults_ < options_.most_faults;
  }

  // What does not compile though it should.
  bool rejected(std::uint64_t seed, driver::Compilation& compilation, const std::string& text) {
    const std::string messages = render_text(compilation.diagnostics, compilation.sources);
    compilation.diagnostics = {};
    if (messages.find("not supported yet") != std::string::npos) {
      ++unsupported_;
      return true;
    }
    ++faults_;
    fmt::print("seed {} does not compile:\n{}\n{}\n", seed, messages, text);
    return faults_ < options_.most_faults;
  }

  // A graph that is not elaborated further; some have their products contracted first.
  bool check(std::uint64_t seed, graph::Module& module) {
    if (seed % 8 == 7) passes::find_pass("contract")->run(module);
    if (options_.print_only) {
      fmt::print("{}", graph::print(module));
      return true;
    }
    const bool engine = options_.engine_every != 0 && seed % options_.engine_every == 0;
    auto fault = ways_.check(module, seed, engine);
    if (!fault) return !late();
    const graph::Module smallest = ways_.shrunk(module, *fault);
    report(seed, smallest, *fault);
    return faults_ < options_.most_faults;
  }

  int finish(std::uint64_t done) const {
    const test::WaysCount& counts = ways_.counts();
    fmt::print(
        "{} {}, {} runs compared, {} inputs fail, {} limits, {} compiled ({} not supported, "
        "{} stated differences), {} disagreements, {:.1f} s\n",
        done, options_.programs ? "programs" : "graphs", counts.runs, counts.failing, counts.limits,
        counts.compiled, counts.unsupported + unsupported_, counts.stated, faults_, seconds());
    return faults_ == 0 ? 0 : 1;
  }

 private:
  static passes::ValidateOptions validate(const Options& options) {
    passes::ValidateOptions validate;
    validate.trials = options.trials;
    validate.most_elements = 400;
    validate.most_steps = 60'000;
    return validate;
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  bool late() const { return options_.seconds > 0 && seconds() > options_.seconds; }

  void report(std::uint64_t seed, const graph::Module& module, const test::Fault& fault) {
    ++faults_;
    std::string text = fmt::format("// seed {}: {}\n// {}\n", seed, to_text(fault.way), fault.text);
    if (!fault.args.empty())
      text += fmt::format(
          "// {}\n", passes::render_arguments(module.functions[graph::FunctionId{0}], fault.args));
    text += graph::print(module);
    fmt::print("{}\n", text);
    std::fflush(stdout);
    if (options_.folder.empty()) return;
    std::filesystem::create_directories(options_.folder);
    const char* kind = options_.programs ? "program" : "graph";
    std::ofstream(fmt::format("{}/{}-{}.dvg", options_.folder, kind, seed)) << text;
  }

  const Options& options_;
  test::Ways ways_;
  std::uint64_t faults_ = 0, unsupported_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::optional<Options> parse_options(const std::vector<std::string>& words) {
  Options options;
  if (words.empty() || (words[0] != "graphs" && words[0] != "programs")) return std::nullopt;
  options.programs = words[0] == "programs";
  for (std::size_t k = 1; k < words.size(); ++k) {
    if (words[k] == "--print") {
      options.print_only = true;
      continue;
    }
    if (k + 1 == words.size()) return std::nullopt;
    const std::string& name = words[k];
    const std::string& value = words[++k];
    const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "--first")
      options.first = number;
    else if (name == "--count")
      options.count = number;
    else if (name == "--engine")
      options.engine_every = number;
    else if (name == "--trials")
      options.trials = static_cast<int>(number);
    else if (name == "--seconds")
      options.seconds = static_cast<double>(number);
    else if (name == "--most")
      options.most_faults = number;
    else if (name == "--out")
      options.folder = value;
    else
      return std::nullopt;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse_options({argv + 1, argv + argc});
  if (!options) {
    fmt::print(stderr,
               "usage: random_test graphs|programs [--first SEED] [--count N] [--engine EVERY] "
               "[--trials N] [--seconds N] [--most FAULTS] [--out FOLDER] [--print]\n");
    return 2;
  }
  for (int number : {SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
    std::signal(number, on_signal);
  int status = 0;
  with_deep_stack([&] {
    Test test(*options);
    std::uint64_t done = 0;
    bool more = true;
    while (more && done < options->count) {
      const std::uint64_t seed = options->first + done;
      const std::uint64_t step =
          options->programs ? std::min<std::uint64_t>(batch, options->count - done) : 1;
      more = options->programs ? test.programs(seed, step) : test.graph(seed);
      done += step;
    }
    status = test.finish(done);
  });
  return status;
}
