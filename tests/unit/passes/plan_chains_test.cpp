// Which operations are cut into tiles together, and which are not.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "plan_text.hpp"

using namespace dvm;

namespace {

// Chains of the plan, each as its dimensions and results: those by blocks with /, those that are
// not kept with -.
std::string chains_of(const std::string& text) {
  const passes::TaskPlan plan = test::plan_of(text);
  std::vector<std::string> chains;
  for (const task::Template& owner : plan.program.templates)
    for (const task::Family& family : owner.families)
      if (const auto* chain = std::get_if<task::Chain>(&family.action)) {
        std::string& line = chains.emplace_back(fmt::format("{}:", chain->dims));
        for (const task::Stage& stage : chain->stages)
          for (task::SlotId slot : stage.results)
            line +=
                fmt::format(" {}{}{}", owner.slots[slot].name, stage.by_blocks ? "/" : "",
                            std::count(chain->kept.begin(), chain->kept.end(), slot) ? "" : "-");
      }
  return fmt::format("{}", fmt::join(chains, "; "));
}

// A program over %x and %z: f64[n] and %m: f64[n, n], with these lines and results.
std::string chains_in(const std::string& lines, const std::string& results,
                      const std::string& types = "f64") {
  return chains_of("graph @main(%n: i64, %x: f64[n], %z: f64[n], %m: f64[n, n]) -> (" + types +
                   ") sizes 1 {\n  %zero: f64 = constant 0.0\n  %one: i64 = constant 1\n" + lines +
                   "  return " + results + "\n}\n");
}

// result = map [n] of the elements `index` of the arrays, multiplied.
std::string map_of(const std::string& result, const std::vector<std::string>& arrays,
                   const std::string& index = "%i") {
  std::string text = fmt::format("  %{0}: f64[n] = map [n] {{\n    (%i.{0}: i64)\n", result);
  std::string last;
  const std::string at = index == "%i" ? "%i." + result : "%back." + result;
  if (index != "%i") text += fmt::format("    {}: i64 = sub %i.{}, %one\n", at, result);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    text += fmt::format("    %a{0}.{1}: f64 = read %{2}[{3}]\n", k, result, arrays[k], at);
    const std::string now = fmt::format("%p{}.{}", k, result);
    text += fmt::format("    {}: f64 = mul %a{}.{}, {}\n", now, k, result,
                        last.empty() ? fmt::format("%a{}.{}", k, result) : last);
    last = now;
  }
  return text + "    yield " + last + "\n  }\n";
}
std::string sum_of(const std::string& result, const std::string& array) {
  return fmt::format(
      "  %{0}: f64 = reduce [] [n] unset add (%zero) {{\n    (%t.{0}: i64)\n"
      "    %b.{0}: f64 = read %{1}[%t.{0}]\n    yield %b.{0}\n  }}\n",
      result, array);
}

}  // namespace

TEST_CASE("chains: a sum goes along with the map it reads") {
  CHECK(chains_in(map_of("y", {"x"}) + sum_of("s", "y"), "%s") == "1: y- s/");
  CHECK(chains_in(map_of("y", {"x"}) + sum_of("s", "y"), "%y, %s", "f64[n], f64") == "1: y s/");
}

TEST_CASE("chains: a shifted read waits for other tiles") {
  CHECK(chains_in(map_of("y", {"x"}) + map_of("w", {"y"}, "%i - 1"), "%w", "f64[n]").empty());
}

TEST_CASE("chains: a sum is complete only after all blocks, so its readers stay outside") {
  const std::string scaled =
      "  %w: f64[n] = map [n] {\n    (%i: i64)\n    %a: f64 = read %y[%i]\n"
      "    %q: f64 = div %a, %s\n    yield %q\n  }\n";
  CHECK(chains_in(map_of("y", {"x"}) + sum_of("s", "y") + scaled, "%w", "f64[n]") == "1: y s/");
}

TEST_CASE("chains: what lies between two members keeps them apart") {
  // %g reads all of %y and is read by %w, which reads %y as well.
  const std::string gather =
      "  %g: f64[n] = map [n] {\n    (%i: i64)\n    %d: i64 = sub %n, %one\n"
      "    %k: i64 = sub %d, %i\n    %a: f64 = read %y[%k]\n    yield %a\n  }\n";
  CHECK(chains_in(map_of("y", {"x"}) + gather + map_of("w", {"y", "g"}), "%w", "f64[n]") ==
        "1: g- w");
}

TEST_CASE("chains: two chains never wait for each other") {
  // a -> (reversed) b -> d, and c -> (reversed) ... -> f: joining all would be a circle.
  const auto reversed = [](const std::string& result, const std::string& array) {
    return fmt::format(
        "  %{0}: f64[n] = map [n] {{\n    (%i.{0}: i64)\n    %d.{0}: i64 = sub %n, %one\n"
        "    %k.{0}: i64 = sub %d.{0}, %i.{0}\n    %v.{0}: f64 = read %{1}[%k.{0}]\n"
        "    yield %v.{0}\n  }}\n",
        result, array);
  };
  const auto chains =
      chains_in(map_of("a", {"x"}) + map_of("b", {"z"}) + reversed("rb", "b") +
                    map_of("c", {"a", "rb"}) + reversed("ra", "a") + map_of("d", {"b", "ra"}),
                "%c, %d", "f64[n], f64[n]");
  CHECK(chains == "1: a rb- c; 1: ra- d");
}

TEST_CASE("chains: rows of a matrix, then what is made of each") {
  const std::string rows =
      "  %e: f64[n, n] = map [n, n] {\n    (%i: i64, %j: i64)\n    %a: f64 = read %m[%j, %i]\n"
      "    %b: f64 = mul %a, %a\n    yield %b\n  }\n"
      "  %s: f64[n] = reduce [n] [n] unset add (%zero) {\n    (%i.1: i64, %t: i64)\n"
      "    %c: f64 = read %e[%i.1, %t]\n    yield %c\n  }\n";
  CHECK(chains_in(rows, "%s", "f64[n]") == "1: e- s");
}

TEST_CASE("chains: a failure reaches only those that depend on it") {
  const auto checked = [](const std::string& result, const std::string& array) {
    return fmt::format(
        "  %{0}: f64[n] = map [n] {{\n    (%i.{0}: i64)\n    %a.{0}: f64 = read %{1}[%i.{0}]\n"
        "    %ok.{0}: bool = lt %zero, %a.{0}\n    %v.{0}: f64 = check %a.{0}, %ok.{0} check 0\n"
        "    yield %v.{0}\n  }}\n",
        result, array);
  };
  const std::string head = "checks {\n  0: \"not positive\"\n}\n";
  const auto with_check = [&](const std::string& lines) {
    return chains_of(head +
                     "graph @main(%n: i64, %x: f64[n], %z: f64[n]) -> (f64[n], f64[n]) "
                     "sizes 1 {\n  %zero: f64 = constant 0.0\n" +
                     lines + "  return %v, %w\n}\n");
  };
  // %v depends on the check, %w does not but would be computed after it.
  CHECK(with_check(map_of("y", {"x"}) + checked("v", "y") + map_of("w", {"y"})) == "1: y v");
  CHECK(with_check(checked("y", "x") + map_of("v", {"y"}) + map_of("w", {"y"})) == "1: y- v w");
}

TEST_CASE("chains: what walks over the same memory goes along") {
  CHECK(chains_in(map_of("y", {"x", "z"}) + sum_of("s", "x"), "%y, %s", "f64[n], f64") ==
        "1: y s/");
  CHECK(chains_in(map_of("y", {"x"}) + sum_of("s", "z"), "%y, %s", "f64[n], f64") == "");
  // A map of one point walks over nothing.
  const std::string point =
      "  %q: f64 = map [] { ()\n    %e: f64 = read %x[%one]\n    %f: f64 = mul %e, %e\n"
      "    yield %f\n  }\n";
  CHECK(chains_in(map_of("y", {"x"}) + point, "%y, %q", "f64[n], f64") == "");
  CHECK(chains_in(point + map_of("y", {"x"}), "%q, %y", "f64, f64[n]") == "");
}

TEST_CASE("chains: sums by key may come first, the dimensions are those of the map") {
  CHECK(chains_in(
            "  %k: f64[n] = reduce_by_key [n] [n] [] add (%zero) { (%i: i64)\n"
            "    %b: f64 = read %x[%i]\n    yield %i, %b\n  }\n"
            "  %y: f64[n] = map [n] { (%j: i64)\n    %c: f64 = read %x[%j]\n    yield %c\n  }\n",
            "%k, %y", "f64[n], f64[n]") == "1: k/ y");
}
