// The tables in ir/README.md are generated from the fact tables: `unit_ir --update` writes them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "ir/graph/op.hpp"

using namespace dvm::graph;

namespace {

template <class... Ops>
std::string operation_rows(std::variant<Ops...>*) {
  std::string rows;
  auto row = [&](const OpFacts& facts) {
    const std::string regions = facts.regions < 0 ? "1 or 2" : std::to_string(facts.regions);
    rows += fmt::format("| `{}` | {} | {} | {} |\n", facts.mnemonic, facts.operands, regions,
                        facts.doc);
  };
  (row(Ops::facts), ...);
  return rows;
}

std::string tables() {
  std::string text = "\n| operation | operands | regions | |\n| --- | --- | --- | --- |\n";
  text += operation_rows(static_cast<Op*>(nullptr));
  text += "\n| scalar function | operands | |\n| --- | --- | --- |\n";
  for (int i = 0; i < scalar_fn_count; ++i) {
    const ScalarFacts& one = facts(static_cast<ScalarFn>(i));
    text += fmt::format("| `{}` | {} | {}{} |\n", one.mnemonic, one.arity, one.doc,
                        one.elementary ? "; through the vector routine of the target" : "");
  }
  return text + "\n";
}

// doctest takes the command line of its own main; this asks the system instead.
bool update_wanted() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str().find(std::string("--update") + '\0') != std::string::npos;
}

}  // namespace

TEST_CASE("the README's tables are the fact tables") {
  const std::string path = std::string(DVM_SOURCE_FOLDER) + "/ir/README.md";
  std::ifstream in(path, std::ios::binary);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string text = buffer.str();
  const std::string begin = "<!-- tables -->\n", end = "<!-- end of tables -->";
  const std::size_t from = text.find(begin), to = text.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const std::string expected = text.substr(0, from + begin.size()) + tables() + text.substr(to);
  if (update_wanted()) {
    std::ofstream(path, std::ios::binary) << expected;
    return;
  }
  CHECK_MESSAGE(text == expected, "run unit_ir --update");
}

TEST_CASE("mnemonics are unique and lead back to their functions") {
  for (int i = 0; i < scalar_fn_count; ++i) {
    const auto fn = static_cast<ScalarFn>(i);
    CHECK(scalar_fn_from_mnemonic(facts(fn).mnemonic) == fn);
    if (facts(fn).elementary) {
      CHECK(facts(fn).mnemonic == dvm::libm_name(*facts(fn).elementary));
      CHECK(facts(fn).arity == dvm::arity(*facts(fn).elementary));
    }
  }
  CHECK_FALSE(scalar_fn_from_mnemonic("map"));
}
