// Suggestions: the mended line, lines of JSON, and applying what is sure.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "ir/base/diagnostic.hpp"
#include "ir/base/spelling.hpp"

using namespace dvm;

namespace {

struct Page {
  SourceMap sources;
  Diagnostics diagnostics;
  FileId file;

  explicit Page(const std::string& text) : file(sources.add("a.dvm", text)) {}
  Span at(std::uint32_t begin, std::uint32_t end) const { return {file, begin, end}; }
  void add(Span span, std::vector<Suggestion> suggestions) {
    Diagnostic diagnostic;
    diagnostic.code = "some-code";
    diagnostic.message = "this is wrong";
    diagnostic.span = span;
    diagnostic.suggestions = std::move(suggestions);
    diagnostics.add(std::move(diagnostic));
  }
};

}  // namespace

TEST_CASE("a suggestion shows the line as it would be, new text marked") {
  Page page("main n = scale n 2\n");
  page.add(page.at(15, 16), {{"make a float of it",
                              {{page.at(15, 15), "(fromIntegral "}, {page.at(16, 16), ")"}},
                              true}});
  CHECK(render_text(page.diagnostics, page.sources) ==
        "a.dvm:1:16: error: this is wrong [some-code]\n"
        "  |\n"
        "1 | main n = scale n 2\n"
        "  |                ^\n"
        "  help: make a float of it:\n"
        "      |\n"
        "    1 | main n = scale (fromIntegral n) 2\n"
        "      |                ++++++++++++++ +\n");
}

TEST_CASE("text that replaces text, text that goes, and a line of its own") {
  Page page("f x\nma1n = x  y\n");
  page.add(page.at(4, 8), {{"did you mean `main`?", {{page.at(4, 8), "main"}}, true}});
  page.add(page.at(12, 13), {{"closer", {{page.at(12, 13), ""}}, true}});
  page.add(page.at(14, 15), {{"import it", {{page.at(0, 0), "import Y (y)\n"}}, true}});
  const std::string text = render_text(page.diagnostics, page.sources);
  CHECK(text.find("    2 | main = x  y\n      | ~~~~\n") != std::string::npos);
  CHECK(text.find("  help: closer:\n      |\n    2 | ma1n = x y\n") != std::string::npos);
  CHECK(text.find("  help: import it:\n      |\n    1 + import Y (y)\n") != std::string::npos);
  std::size_t applied = 0;
  CHECK(apply_suggestions(page.diagnostics, page.sources, page.file, applied) ==
        "import Y (y)\nf x\nmain = x y\n");
  CHECK(applied == 3);
}

TEST_CASE("what is not sure or would touch another edit is not applied") {
  Page page("abc def\n");
  page.add(page.at(0, 3), {{"one", {{page.at(0, 3), "x"}}, false}});
  page.add(page.at(4, 6), {{"two", {{page.at(4, 6), "y"}}, true}});
  page.add(page.at(5, 7), {{"three", {{page.at(5, 7), "z"}}, true}});
  std::size_t applied = 0;
  CHECK(apply_suggestions(page.diagnostics, page.sources, page.file, applied) == "abc yf\n");
  CHECK(applied == 1);
}

TEST_CASE("messages as lines of JSON hold their edits") {
  Page page("abc def\n");
  page.add(page.at(4, 6), {{"two", {{page.at(4, 6), "y"}}, true}});
  page.add(page.at(0, 3), {});
  const std::string lines = render_json_lines(page.diagnostics, page.sources);
  const std::size_t end = lines.find('\n');
  CHECK(nlohmann::json::parse(lines.substr(0, end))["suggestions"].empty());
  const auto second = nlohmann::json::parse(lines.substr(end + 1));
  CHECK(second["code"] == "some-code");
  CHECK(second["suggestions"][0]["sure"] == true);
  CHECK(second["suggestions"][0]["edits"][0]["column"] == 5);
  CHECK(second["suggestions"][0]["edits"][0]["endColumn"] == 7);
  CHECK(second["suggestions"][0]["edits"][0]["text"] == "y");
}

TEST_CASE("near names: swaps and letters, the nearest first, none too far") {
  CHECK(nearest_names("lenght", {"length", "lines", "map"}) == std::vector<std::string>{"length"});
  CHECK(nearest_names("zipwith", {"zipWith", "zipWith3", "zip"}).front() == "zipWith");
  CHECK(nearest_names("qqq", {"map", "max"}).empty());
  CHECK(one_of({"map", "max", "min"}) == "`map`, `max` or `min`");
}
