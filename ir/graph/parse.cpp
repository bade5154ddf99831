// Modules of graph text: tables of checks and places, then functions. Grammar: ir/README.md.
#include <unordered_map>

#include "ir/graph/parse_function.hpp"
#include "ir/graph/text.hpp"

namespace dvm::graph {
namespace {

class ModuleParser {
 public:
  ModuleParser(std::string_view text, FileId file) : scanner_(text, file) {}

  Module parse() {
    while (!scanner_.at_end()) {
      if (scanner_.accept("checks")) {
        checks();
      } else if (scanner_.accept("locs")) {
        locs();
      } else if (scanner_.accept("graph")) {
        function();
      } else {
        scanner_.fail("expected `graph`, `checks` or `locs`");
      }
    }
    resolve_calls();
    return std::move(module_);
  }

 private:
  // Entries are numbered in order, so that a reader finds number 17 without counting.
  void number(std::size_t expected) {
    scanner_.skip_space();
    const std::uint32_t begin = scanner_.offset();
    if (scanner_.number() != expected) {
      scanner_.fail_at(scanner_.span_from(begin), "the next number is " + std::to_string(expected));
    }
    scanner_.expect(":");
  }

  void checks() {
    scanner_.expect("{");
    while (!scanner_.accept("}")) {
      number(module_.checks.size());
      CheckInfo check{scanner_.string(), {}};
      if (scanner_.accept("at")) check.loc = LocId{scanner_.index()};
      module_.checks.push(std::move(check));
    }
  }

  void locs() {
    scanner_.expect("{");
    while (!scanner_.accept("}")) {
      number(module_.locs.size());
      Loc loc;
      if (scanner_.accept("file")) {
        loc.span.file = FileId{scanner_.index()};
        loc.span.begin = scanner_.index();
        scanner_.expect("-");
        loc.span.end = scanner_.index();
      } else {
        scanner_.expect("nowhere");
      }
      scanner_.expect("in");
      loc.function = scanner_.string();
      if (scanner_.accept("from")) loc.caller = LocId{scanner_.index()};
      module_.locs.push(std::move(loc));
    }
  }

  void function() {
    scanner_.skip_space();
    const std::uint32_t begin = scanner_.offset();
    FunctionParser parser(scanner_);
    Function function = parser.parse();
    const FunctionId id{static_cast<std::uint32_t>(module_.functions.size())};
    if (!functions_.emplace(function.name, id).second) {
      const auto end = static_cast<std::uint32_t>(begin + 1 + function.name.size());
      Span span = scanner_.span_from(begin);
      span.end = end;
      scanner_.fail_at(span, "there are two functions `@" + function.name + "`");
    }
    module_.functions.push(std::move(function));
    calls_.push_back(parser.open_calls());
  }

  void resolve_calls() {
    for (std::uint32_t i = 0; i < calls_.size(); ++i) {
      for (const OpenCall& call : calls_[i]) {
        const auto found = functions_.find(call.callee);
        if (found == functions_.end()) {
          scanner_.fail_at(call.span, "there is no function `@" + call.callee + "`");
        }
        module_.functions[FunctionId{i}].nodes[call.node].op = Call{found->second};
      }
    }
  }

  Scanner scanner_;
  Module module_;
  std::unordered_map<std::string, FunctionId> functions_;
  std::vector<std::vector<OpenCall>> calls_;  // by function
};

}  // namespace

std::optional<Module> parse(const SourceMap& sources, FileId file, Diagnostics& out) {
  try {
    return ModuleParser(sources.file(file).text, file).parse();
  } catch (const ScanError& error) {
    Diagnostic diagnostic;
    diagnostic.code = "graph-syntax";
    diagnostic.message = error.message;
    diagnostic.span = error.span;
    diagnostic.label = error.label;
    out.add(std::move(diagnostic));
    return std::nullopt;
  }
}

}  // namespace dvm::graph
