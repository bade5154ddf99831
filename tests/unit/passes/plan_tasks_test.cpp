// Graphs to tasks: families, bands, templates, and the grain rule.
#include <doctest/doctest.h>

#include "ir/task/text.hpp"
#include "plan_text.hpp"

using namespace dvm;

namespace {

std::string planned(const std::string& text) {
  const passes::TaskPlan plan = test::plan_of(text);
  CHECK(plan.kernels.size() == plan.program.kernels.size());
  const std::string printed = task::print(plan.program);
  const auto again = task::parse(printed);
  REQUIRE(again);
  CHECK(task::print(*again) == printed);
  return printed;
}

// A map over [n] that reads %x at the index `made` in %r.
std::string band_of(const std::string& made) {
  const std::string text = planned(
      "graph @main(%n: i64, %x: f64[n]) -> (f64[n]) sizes 1 {\n  %last: i64 = size n - 1\n"
      "  %y: f64[n] = map [n] {\n    (%i: i64)\n    %zero: i64 = constant 0\n"
      "    %one: i64 = constant 1\n    %two: i64 = constant 2\n" +
      made + "    %v: f64 = read %x[%r]\n    yield %v\n  }\n  return %y\n}\n");
  const std::size_t at = text.find("%x {"), end = text.find('}', at);
  return at == text.npos ? "whole" : text.substr(at + 3, end + 1 - at - 3);
}

}  // namespace

TEST_CASE("plan: affine and clamped rows are bands, others are whole") {
  CHECK(band_of("    %r: i64 = add %i, %zero\n") == "{0 1 0 0}");
  CHECK(band_of("    %r: i64 = sub %i, %two\n") == "{0 1 -2 -2}");
  CHECK(band_of("    %d: i64 = mul %i, %two\n    %r: i64 = add %d, %one\n") == "{0 2 1 1}");
  CHECK(band_of("    %d: i64 = sub %i, %one\n    %r: i64 = max %d, %zero\n") == "{0 1 -1 -1}");
  CHECK(band_of("    %d: i64 = add %i, %one\n    %r: i64 = min %d, %last\n") == "{0 1 1 1}");
  CHECK(band_of("    %c: bool = lt %i, %two\n    %d: i64 = add %i, %one\n    %r: i64 = select %c, "
                "%i, %d\n") == "{0 1 0 1}");
  // Clamped to something that is not an end, backwards, wrapped, constant: no band.
  CHECK(band_of("    %r: i64 = max %i, %one\n") == "whole");
  CHECK(band_of("    %r: i64 = min %i, %two\n") == "whole");
  CHECK(band_of("    %r: i64 = sub %last, %i\n") == "whole");
  CHECK(band_of("    %r: i64 = and %i, %one\n") == "whole");
  CHECK(band_of("    %r: i64 = add %one, %zero\n") == "whole");
}

TEST_CASE("plan: a loop of arrays is a template, a loop of scalars is one kernel") {
  const std::string text = planned(R"(
graph @main(%n: i64, %k: i64, %x: f64[n]) -> (f64[n], i64) sizes 1 {
  %two: i64 = constant 2
  %y: f64[n] = loop %k (%x) {
    (%i: i64, %v: f64[n])
    %w: f64[n] = map [n] {
      (%j: i64)
      %a: f64 = read %v[%j]
      %b: f64 = add %a, %a
      yield %b
    }
    yield %w
  }
  %s: i64 = loop %k (%two) {
    (%i.1: i64, %t: i64)
    %u: i64 = mul %t, %two
    yield %u
  }
  return %y, %s
}
)");
  CHECK(text.find("%y: f64[n] = loop @main'loop states 1 stacked 0 (%k, %x, %n)") !=
        std::string::npos);
  CHECK(text.find("template @main'loop (%i: i64, %v: f64[n], %n: i64)") != std::string::npos);
  CHECK(text.find("%s: i64 = map [@main_map_0] space [] cost [] (%k)") != std::string::npos);
}

TEST_CASE("plan: grain follows from work and machine, never from the workers of a run") {
  const task::Grain grain{8, 100e-6, 20e-6, 16e6};
  CHECK(task::wanted_tasks(grain, 0) == 1);
  CHECK(task::wanted_tasks(grain, 39e-6) == 1);
  CHECK(task::wanted_tasks(grain, 400e-6) == 20);
  CHECK(task::wanted_tasks(grain, 640e-6) == 32);
  CHECK(task::wanted_tasks(grain, 1e-3) == 32);
  CHECK(task::wanted_tasks(grain, 10e-3) == 100);
  using Extents = std::vector<std::int64_t>;
  const auto tiles = [&](Extents space, double cost, bool reuses) {
    return task::tile_extents(grain, space, cost, reuses);
  };
  CHECK(tiles({}, 1, false) == Extents{});
  CHECK(tiles({0, 5}, 1, false) == Extents{1, 5});
  CHECK(tiles({1000, 1000}, 1e-9, false) == Extents{32, 1000});
  CHECK(tiles({2, 1'000'000}, 1e-9, false) == Extents{1, 62'528});
  CHECK(tiles({10}, 1e-3, false) == Extents{1});
  CHECK(tiles({1024, 1024}, 1e-6, true) == Extents{176, 192});
  CHECK(tiles({2048, 2000}, 1e-6, true) == Extents{256, 240});
  // Small matrices go together, and so do the rows of narrow ones.
  CHECK(tiles({100'000, 20, 30}, 1e-8, true) == Extents{133, 20, 30});
  CHECK(tiles({1'000'000, 10}, 1e-8, true) == Extents{7888, 10});
  CHECK(task::tile_extents(grain, std::vector<std::int64_t>{260, 260}, 1e-5, true, 10) ==
        Extents{144, 144});
}

TEST_CASE("plan: failures carry their place, their calls and the types of their values") {
  const std::string text = planned(R"(
checks {
  0: "index {0} is out of range for size {1}"
}
graph @main(%n: i64, %i: i64, %x: f64[n]) -> (f64) sizes 1 {
  %v: f64 = read %x[%i] check 0
  return %v
}
)");
  CHECK(text.find(
            "check \"index {0} is out of range for size {1}\" at \"\" path [] values [i64, i64]") !=
        std::string::npos);
}

namespace {

// A map over rows of %a whose point is `made`, yielding %y.
std::string rows_planned(const std::string& made, const std::string& operation = "map [n]",
                         const std::string& result = "f64[n]") {
  return planned("graph @main(%n: i64, %m: i64, %a: f64[n, m]) -> (" + result +
                 ") sizes 2 {\n  %zero: f64 = constant 0.0\n  %r: " + result + " = " + operation +
                 " {\n    (%i: i64)\n" + made + "    yield %y\n  }\n  return %r\n}\n");
}
constexpr const char* sorts = R"(
    %row: f64[m] = map [m] {
      (%j: i64)
      %e: f64 = read %a[%i, %j]
      yield %e
    }
    %p: i64[m] = sort %row
    %q: i64 = constant 0
    %k: i64 = read %p[%q]
    %y: f64 = read %row[%k]
)";

}  // namespace

TEST_CASE(
    "plan: a body that sorts is a template, of a reduction too; a body of inner maps is a kernel") {
  const std::string text = rows_planned(sorts);
  CHECK(text.find("%r: f64[n] = each @main'each space [n] (") != text.npos);
  CHECK(text.find("template @main'each (%i: i64, ") != text.npos);
  CHECK(text.find("%p: i64[m] = sort up (%row)") != text.npos);
  const std::string sum = rows_planned(sorts, "reduce [] [n] lanes add (%zero)", "f64");
  CHECK(sum.find("each @main'each space [n]") != sum.npos);
  CHECK(sum.find("%r: f64 = reduce [") != sum.npos);
  const std::string light = rows_planned(R"(
    %row: f64[m] = map [m] {
      (%j: i64)
      %e: f64 = read %a[%i, %j]
      yield %e
    }
    %q: i64 = constant 0
    %y: f64 = read %row[%q]
)");
  CHECK(light.find("each") == light.npos);
}
