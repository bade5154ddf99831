// Which loops of programs are iterated stencils, and how far their steps reach.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "backend/driver/compilation.hpp"
#include "backend/driver/front.hpp"
#include "passes/analysis/iterated_stencil.hpp"
#include "passes/pipeline.hpp"

using namespace dvm;

namespace {

std::string example(const std::string& name) {
  std::ifstream in(std::string(DVM_SOURCE_FOLDER) + "/examples/" + name + ".dvm");
  REQUIRE(in);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Each loop that carries arrays: the halo, or what is in the way.
std::vector<passes::LoopFinding> findings(std::string text) {
  const driver::CompileOptions options;
  driver::Compilation compilation{options};
  const auto syntax = driver::parse_program(compilation, "main.dvm", std::move(text));
  REQUIRE(syntax);
  const auto typed = driver::check_types(compilation, *syntax);
  REQUIRE(typed);
  auto module = driver::lower_entry(compilation, *typed);
  REQUIRE(module);
  REQUIRE(driver::run_passes(compilation, *module, passes::default_pipeline));
  std::vector<passes::LoopFinding> all;
  for (const graph::Function& function : module->functions)
    for (passes::LoopFinding& finding : passes::iterated_stencils(function))
      all.push_back(std::move(finding));
  return all;
}

passes::LoopFinding only(std::string text) {
  const std::vector<passes::LoopFinding> all = findings(std::move(text));
  REQUIRE(all.size() == 1);
  return all[0];
}

std::string said(const passes::LoopFinding& finding) {
  return finding.stencil ? describe(*finding.stencil)
                         : "no: " + std::string(word_of(finding.obstacle));
}

std::string iterated(const std::string& step) {
  return "module Main where\n\nmain :: Vec n Double -> Vec n Int -> Int -> Vec n Double\n"
         "main xs ks steps = iterateN steps step xs\n  where\n    size = length xs\n    step u = " +
         step + "\n";
}

}  // namespace

TEST_CASE("stencils among the examples") {
  CHECK(said(only(example("jacobi_2d"))) ==
        "a tile of k steps needs k more cells on each side in dimensions 0 and 1; at the border a "
        "branch leaves reads out");
  CHECK(said(only(example("heat_3d"))) ==
        "a tile of k steps needs k more cells on each side in dimensions 0, 1 and 2; at the border "
        "indices are moved back inside");
  CHECK(said(only(example("game_of_life"))) ==
        "a tile of k steps needs k more cells on each side in dimensions 0 and 1; at the border "
        "indices come in again at the other end");
  CHECK(said(only(example("levenshtein"))) ==
        "a tile of k steps needs k more cells below in dimension 0; at the border a branch leaves "
        "reads out");
}

TEST_CASE("a step of several maps reaches as far as they do together") {
  const passes::LoopFinding found = only(example("shallow_water"));
  REQUIRE(found.stencil);
  CHECK(found.stencil->maps == 3);
  REQUIRE(found.stencil->states.size() == 3);
  for (const passes::StencilState& state : found.stencil->states)
    for (const passes::Reach& reach : state.reaches)
      CHECK(reach == passes::Reach{1, 1, false, false, true});
  CHECK(found.stencil->reaches[0].halo_below(4) == 4);
}

TEST_CASE("what is no stencil among the examples") {
  CHECK(said(only(example("kmeans"))).starts_with("no: "));
  CHECK(said(only(example("pagerank"))).starts_with("no: "));
  CHECK(said(only(example("nbody"))).starts_with("no: "));
  CHECK(said(only(example("cg"))) == "no: whole");
}

TEST_CASE("reaches of steps as people write them") {
  CHECK(said(only(iterated("[ x * 2 | x <- u ]"))) ==
        "a tile of any number of steps needs no other cells");
  CHECK(said(only(iterated(
            "[ u ! max 0 (i - 2) + u ! min (size - 1) (i + 1) | i <- [0 .. size - 1] ]"))) ==
        "a tile of k steps needs 2·k more cells below and k above in dimension 0; at the border "
        "indices are moved back inside");
  CHECK(said(only(iterated("[ u ! (if i > 1 then i - 2 else i) | i <- [0 .. size - 1] ]"))) ==
        "a tile of k steps needs 2·k more cells below in dimension 0; at the border indices are "
        "moved back inside");
  CHECK(said(only(iterated("[ u ! ((i + 3) `mod` size) | i <- [0 .. size - 1] ]"))) ==
        "a tile of k steps needs 3·k more cells above in dimension 0; at the border indices come "
        "in again at the other end");
  CHECK(
      said(only(iterated("[ sum [ if i + j < size then u ! (i + j) else 0 | j <- [0 .. 4] ] | i <- "
                         "[0 .. size - 1] ]"))) ==
      "a tile of k steps needs 4·k more cells above in dimension 0; at the border a branch "
      "leaves reads out");
}

TEST_CASE("steps that look anywhere, or at everything") {
  CHECK(said(only(iterated("[ u ! (k `mod` size) | k <- ks ]"))) == "no: far-cells");
  CHECK(said(only(iterated("reverse u"))) == "no: far-cells");
  CHECK(said(only(iterated("[ x / sum u | x <- u ]"))) == "no: all-cells");
  CHECK(said(only(iterated("scan (+) 0 u"))) == "no: whole");
  CHECK(said(only(iterated("sort u"))).starts_with("no: "));
}

TEST_CASE("a few steps inside of a step reach further; an unknown number is no stencil") {
  const std::string inner =
      "stencil1 Clamp (\\at -> (at (-1) + at 1) / 2) [ x + 1 | x <- iterateN 3 (stencil1 Clamp "
      "(\\at -> (at (-1) + at 0 * at 0) / 2)) u ]";
  const std::vector<passes::LoopFinding> found = findings(iterated(inner));
  REQUIRE(found.size() == 2);
  CHECK(said(found[0]) ==
        "a tile of k steps needs 4·k more cells below and k above in dimension 0; at the border "
        "indices are moved back inside");
  CHECK(said(found[1]) ==
        "a tile of k steps needs k more cells below in dimension 0; at the border indices are "
        "moved back inside");
  const std::vector<passes::LoopFinding> unknown =
      findings(iterated("iterateN steps (stencil1 Clamp (\\at -> at (-1) + at 1)) u"));
  REQUIRE(unknown.size() == 2);
  CHECK(said(unknown[0]) == "no: whole");
  CHECK(unknown[1].stencil.has_value());
}
