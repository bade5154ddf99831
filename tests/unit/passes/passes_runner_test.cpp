// The runner: orders, leaving out, bisecting, dumps and errors as values.
#include <doctest/doctest.h>

#include <filesystem>

#include "ir/graph/builder.hpp"
#include "ir/graph/text.hpp"
#include "passes/pass_table.hpp"
#include "passes/runner.hpp"
#include "tests/random/random_graph.hpp"

namespace dvm::passes {
namespace {

constexpr std::string_view three[] = {"fix-rounding", "simplify", "drop-unneeded"};

TEST_CASE("every pass is in the table once, under a kebab-case name") {
  for (const GraphPass& pass : pass_table()) {
    CHECK(find_pass(pass.name) == &pass);
    CHECK(pass.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
    CHECK(!pass.doc.empty());
  }
  CHECK(find_pass("fuse-everything") == nullptr);
}

TEST_CASE("a run reports each execution with time and node counts") {
  graph::Module module = test::random_graph(3);
  const auto result = run_pipeline(three, module, {});
  REQUIRE(result.ok());
  REQUIRE(result->size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    const PassReport& report = result.value()[k];
    CHECK(report.pass == three[k]);
    CHECK(report.position == k + 1);
    CHECK(report.ran);
    CHECK(report.nodes_before > 0);
    CHECK(report.microseconds >= 0);
  }
  CHECK(render_times(*result).find("simplify") != std::string::npos);
}

TEST_CASE("unknown names and mandatory passes are refused before anything runs") {
  graph::Module module = test::random_graph(3);
  constexpr std::string_view unknown[] = {"fix-rounding", "fuse-everything"};
  const auto result = run_pipeline(unknown, module, {});
  REQUIRE(!result.ok());
  CHECK(result.error().message == "there is no pass `fuse-everything`");

  RunOptions options;
  options.disabled = {"fix-rounding"};
  const auto mandatory = run_pipeline(three, module, options);
  REQUIRE(!mandatory.ok());
  CHECK(mandatory.error().message.find("cannot be disabled") != std::string::npos);
  options.disabled = {"nothing"};
  CHECK(!run_pipeline(three, module, options).ok());
  CHECK(!run_pass("nothing", module).ok());
}

TEST_CASE(
    "disabled passes and those past the bisecting limit do not run, mandatory ones always do") {
  graph::Module module = test::random_graph(3);
  RunOptions options;
  options.disabled = {"simplify"};
  auto result = run_pipeline(three, module, options);
  REQUIRE(result.ok());
  CHECK(result.value()[0].ran);
  CHECK(!result.value()[1].ran);
  CHECK(result.value()[2].ran);

  graph::Module other = test::random_graph(3);
  RunOptions bisect;
  bisect.bisect = 1;
  result = run_pipeline(three, other, bisect);
  REQUIRE(result.ok());
  CHECK(result.value()[0].ran);
  CHECK(result.value()[1].ran);
  CHECK(!result.value()[2].ran);
}

TEST_CASE("changes are dumped and handed over, and nothing else is") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "dvm_passes_runner_test";
  std::filesystem::remove_all(folder);
  graph::Module module = test::random_graph(5);
  std::vector<std::string> seen;
  RunOptions options;
  options.verify = true;
  options.dump_folder = folder.string();
  options.after = [&](const PassReport& report, const std::string& text) {
    seen.push_back(std::string(report.pass));
    CHECK(!text.empty());
  };
  const auto result = run_pipeline(default_pipeline, module, options);
  REQUIRE(result.ok());
  std::size_t changed = 0, files = 0;
  for (const PassReport& report : *result) changed += report.changed ? 1 : 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files += entry.is_regular_file() ? 1 : 0;
  CHECK(changed == seen.size());
  CHECK(changed == files);
  CHECK(changed > 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a long program is optimised in time that grows with its length") {
  // 2,000 statements of the kind a source line gives: a map over its two predecessors.
  graph::Module module;
  graph::Function function;
  function.name = "main";
  function.size_params = 1;
  graph::Builder builder(module, function);
  const graph::Type f64{ElementType::F64, {}};
  const graph::ValueId n = builder.add_param({ElementType::I64, {}}, "n");
  const graph::Type vector{ElementType::F64, {Size::symbol(n.index)}};
  std::vector<graph::ValueId> arrays{builder.add_param(vector, "a"),
                                     builder.add_param(vector, "b")};
  for (int line = 0; line < 2000; ++line) {
    const graph::RegionId region = builder.open_region();
    const graph::ValueId i = builder.add_param({ElementType::I64, {}}, "i");
    const graph::ValueId x = builder.read(arrays[arrays.size() - 1], {i});
    const graph::ValueId y = builder.read(arrays[arrays.size() - 2], {i});
    builder.close_region(
        {builder.scalar(graph::ScalarFn::Add, {builder.scalar(graph::ScalarFn::Exp, {x}), y})});
    const graph::NodeId node =
        builder.add(graph::Map{{Size::symbol(n.index)}}, {}, {region}, {vector});
    arrays.push_back(builder.results(node)[0]);
  }
  builder.close_region({arrays.back()});
  module.functions.push(std::move(function));
  const auto result = run_pipeline(default_pipeline, module, {});
  REQUIRE(result.ok());
  std::int64_t total = 0;
  for (const PassReport& report : *result) total += report.microseconds;
  MESSAGE("2,000 maps: ", total, " us");
  CHECK(total < 20'000'000);  // wide: builds with checks on a busy machine
}

TEST_CASE("asking for remarks changes nothing, and every remark says who speaks and why") {
  std::size_t said = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    graph::Module silent = test::random_graph(seed), telling = test::random_graph(seed);
    Remarks remarks;
    RunOptions options;
    options.remarks = &remarks;
    REQUIRE(run_pipeline(default_pipeline, silent, {}).ok());
    REQUIRE(run_pipeline(default_pipeline, telling, options).ok());
    CHECK(graph::print(silent) == graph::print(telling));
    for (const Remark& remark : remarks.all()) {
      CHECK(find_pass(remark.pass) != nullptr);
      CHECK(remark.position > 0);
      CHECK(!remark.verdict.empty());
      CHECK(!remark.reason.empty());
    }
    said += remarks.all().size();
  }
  CHECK(said > 100);
}

}  // namespace
}  // namespace dvm::passes
