// All ways of computing what an elaborated graph means, held to the interpreter on that graph.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/engine/engine.hpp"
#include "backend/llvm/compile.hpp"
#include "ir/graph/graph.hpp"
#include "passes/validate.hpp"

namespace dvm::test {

// Some passes, then the interpreter or the engine.
struct Way {
  std::vector<std::string_view> passes;
  int workers = 0;  // of the engine; 0: the interpreter
};
std::string to_text(const Way& way);

struct Fault {
  enum class Kind { Malformed, Throws, Differs };
  Kind kind;
  Way way;
  std::string text;
  std::vector<Tensor> args;  // when it differs
};

struct WaysCount {
  std::size_t graphs = 0, runs = 0, failing = 0, limits = 0, compiled = 0, unsupported = 0;
  std::size_t stated = 0;  // differences that the engine is stated to have
};

class Ways {
 public:
  explicit Ways(const passes::ValidateOptions& validate);

  // The interpreter after each pass of the pipeline, after the pipeline without one pass and after
  // one pass alone (which: by `turn`); with `engine` the local engine with one and two workers on
  // the graph as it is, after the pipeline and after the pipeline without one pass.
  std::optional<Fault> check(const graph::Module& elaborated, std::uint64_t turn, bool engine);
  // One way, on trials of its own.
  std::optional<Fault> check(const graph::Module& elaborated, const Way& way);
  // A small graph that shows the fault, and its way with fewer passes.
  graph::Module shrunk(const graph::Module& elaborated, Fault& fault);

  const WaysCount& counts() const { return counts_; }

 private:
  struct Trials;  // what is compared with, and the texts that were compared

  std::optional<Fault> by_prefix(const graph::Module& elaborated, Trials& trials);
  std::optional<Fault> by_passes(const graph::Module& elaborated, const Way& way, Trials& trials);
  std::optional<Fault> interpreted(const graph::Module& module, const Way& way, Trials& trials);
  std::optional<Fault> on_engine(const graph::Module& module, const Way& way, Trials& trials);
  std::optional<package::Loaded> compiled(const graph::Module& module, std::string& problem);

  passes::ValidateOptions validate_;
  std::optional<llvm_backend::Target> target_;
  std::map<int, std::unique_ptr<engine::Engine>> engines_;
  WaysCount counts_;
};

}  // namespace dvm::test
