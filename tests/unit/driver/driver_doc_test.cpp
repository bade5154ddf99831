// Examples in comments: how they are found, become code, are evaluated and compared.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "backend/driver/doc/example.hpp"
#include "backend/driver/doc/expectation.hpp"
#include "backend/driver/doc/module_doc.hpp"
#include "backend/driver/doc/prose.hpp"
#include "backend/driver/doc/run_examples.hpp"
#include "backend/driver/doc/site.hpp"
#include "frontend/parse/parse.hpp"

using namespace dvm;
using namespace dvm::driver;

namespace {

const std::string program = R"(-- | About all of it.
module M (f, T (..)) where

-- * Numbers

-- | Doubles. Both `f` and more.
--
-- * an item
--
-- >>> f 2
-- 4
-- >>> let y = 3
-- >>> in f y
-- 6
f :: Int -> Int
f x = 2 * x

-- | A type.
data T = A | B { size :: Int }

hidden :: Int
hidden = 1
)";

struct Parsed {
  SourceMap sources;
  Diagnostics diagnostics;
  FileId file;
  parse::DocComments comments;
};

Parsed comments_of(const std::string& text) {
  Parsed parsed;
  parsed.file = parsed.sources.add("M.dvm", text);
  parsed.comments = *parse::doc_comments(parsed.sources, parsed.file, parsed.diagnostics);
  return parsed;
}

// What testing a program's examples reports: counts, and the errors.
struct Report {
  std::optional<ExampleCounts> counts;
  std::string errors;
};

Report report_of(const std::string& text) {
  setenv("DVM_STDLIB", DVM_SOURCE_FOLDER "/stdlib", 1);
  const auto path = std::filesystem::temp_directory_path() /
                    ("dvm_doc_test_" + std::to_string(getpid()) + ".dvm");
  std::ofstream(path) << text;
  CompileOptions options;
  Compilation compilation{options};
  const auto settings = choose_settings(compilation);
  REQUIRE(settings.has_value());
  Report report;
  report.counts = run_examples(compilation, path.string(), *settings);
  for (const Diagnostic& diagnostic : compilation.diagnostics.sorted()) {
    const auto place = compilation.sources.place(diagnostic.span.file, diagnostic.span.begin);
    report.errors += std::to_string(place.line) + ": " + diagnostic.message + "\n";
    for (const std::string& note : diagnostic.notes) report.errors += "  " + note + "\n";
  }
  std::filesystem::remove(path);
  return report;
}

}  // namespace

// language 5: In a `-- |` comment, `-- >>> expression` …
// language 5: `0.8413…` stands for all numbers closer than a unit of the last digit, …
// language 5: `-- * Heading` begins a section of a module's page.
TEST_CASE("comments, headings and examples of a file") {
  Parsed parsed = comments_of(program);
  REQUIRE(parsed.comments.comments.size() == 3);
  REQUIRE(parsed.comments.headings.size() == 1);
  CHECK(parsed.comments.headings[0].text == "Numbers");
  CHECK(parsed.comments.section(3) == std::nullopt);
  CHECK(parsed.comments.section(15) == "Numbers");
  CHECK(parsed.comments.above(15) == &parsed.comments.comments[1]);
  const auto examples =
      testable_examples(parsed.comments, parsed.file, parsed.sources, parsed.diagnostics);
  REQUIRE(examples.size() == 2);
  CHECK(examples[1].code.size() == 2);
  CHECK(examples[1].expected_text() == "6");
  CHECK(examples[1].expected_line == 14);
  const auto blocks = blocks_of(parsed.comments.comments[1]);
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[1].kind == Block::Kind::Item);
  CHECK(blocks[2].examples.size() == 2);
  CHECK(summary_of(parsed.comments.comments[1])[0].text == "Doubles.");
}

TEST_CASE("examples become code where they stand") {
  Parsed parsed = comments_of(program);
  const auto examples =
      testable_examples(parsed.comments, parsed.file, parsed.sources, parsed.diagnostics);
  const std::vector<std::size_t> numbers = {0, 1};
  const std::string text = with_examples(program, examples, numbers, 2);
  CHECK(text.find("example'0 =\n       f 2\n") != std::string::npos);
  CHECK(text.find("example'1 =\n       let y = 3\n       in f y\n") != std::string::npos);
  CHECK(text.find("examples'0'2 = (example'0, example'1)\n") != std::string::npos);
}

TEST_CASE("what a value must look like") {
  CHECK(matches("[1,  2]", "[1, 2]"));
  CHECK(matches("0.8413…", "0.841344746"));
  CHECK(matches("0.8414…", "0.841344746"));
  CHECK(!matches("0.8412…", "0.841344746"));
  CHECK(matches("1.25e-7…", "1.2512e-07"));
  CHECK(matches("error: index 3 …", "error: index 3 is out of range"));
  CHECK(!matches("[1, 2]", "[1, 2, 3]"));
  CHECK(!matches("-1", "1"));
}

TEST_CASE("examples are evaluated, wrong ones found, and failing ones can be expected") {
  const Report report = report_of(R"(module M where

-- | First.
--
-- >>> map first [(1, 2.5)]
-- [1]
-- >>> (Just (-1), [first (3, ())])
-- (Just (-1), [4])
-- >>> [1, 2] ! 7
-- error: index 7 …
-- >>> first 1
-- error: …
-- >>> [1, 2] ! 5
-- 0
first :: (a, b) -> a
first (x, _) = x
)");
  REQUIRE(report.counts.has_value());
  CHECK(report.counts->examples == 5);
  CHECK(report.counts->failures == 2);
  CHECK(report.errors ==
        "8: the example gives another value\n  it gives (Just (-1), [3])\n"
        "14: the example gives another value\n  it gives error: index 5 is out of range for size "
        "2\n");
}

TEST_CASE("examples that cannot be tested are errors") {
  const Report report = report_of(R"(module M where

-- | >>> 1
f :: Int
f = 1

-- | Two.
--
-- >>> 2

g :: Int
g = 2
)");
  CHECK(!report.counts.has_value());
  CHECK(report.errors ==
        "3: an example starts on a line of its own, below the description\n"
        "9: an example has its value on the line below\n");
}

TEST_CASE("what is exported and not documented is found") {
  SourceMap sources;
  Diagnostics diagnostics;
  parse::ModuleSearch search;
  search.folders = {DVM_SOURCE_FOLDER "/stdlib"};
  const auto parsed = parse::load(sources, "M.dvm", program, search, diagnostics);
  REQUIRE(parsed.has_value());
  const ast::Module& module = parsed->modules.back();
  const auto comments = *parse::doc_comments(sources, module.file, diagnostics);
  const ModuleDoc doc = module_doc(*parsed, module, sources, comments);
  check_complete(doc, sources, diagnostics);
  const auto errors = diagnostics.sorted();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "no example shows `A`, no example shows `B`");
}

TEST_CASE("anchors differ") {
  CHECK(anchor_of("foldl'", false) == "v-foldl-27");
  CHECK(anchor_of("Maybe", true) == "t-Maybe");
  CHECK(anchor_of("++", false) != anchor_of("+", false));
}
