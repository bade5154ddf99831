// Diagnostics: places, excerpts, labels, order, repetition, limits, JSON.
#include "ir/base/diagnostic.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "ir/base/code_point.hpp"

using namespace dvm;

namespace {

Span span_of(const SourceMap& sources, FileId file, const std::string& what, std::size_t from = 0) {
  const std::size_t at = sources.file(file).text.find(what, from);
  return {file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + what.size())};
}

Diagnostic error(Span span, std::string message, std::string label = "") {
  Diagnostic diagnostic;
  diagnostic.code = "some-code";
  diagnostic.message = std::move(message);
  diagnostic.span = span;
  diagnostic.label = std::move(label);
  return diagnostic;
}

}  // namespace

TEST_CASE("an error shows its line, its label, other places in order, notes and help") {
  SourceMap sources;
  const FileId file = sources.add("cg.dvm",
                                  "main :: Vec n Double -> Vec m Double -> Double\nmain xs ys =\n  "
                                  "let\n    d = dot xs ys\n  in d\n");
  const FileId other = sources.add("Prelude.dvm", "\ndot :: Vec n a -> Vec n a -> a\n");
  Diagnostic one =
      error(span_of(sources, file, "ys\n"), "the sizes `n` and `m` differ", "this has size `m`");
  one.span.end -= 1;
  one.others.push_back({span_of(sources, file, "m Double"), "`m` comes from here"});
  one.others.push_back({span_of(sources, other, "Vec n a -> a"), "both have size `n` here"});
  one.notes.push_back("sizes are equal when their normal forms are");
  one.help.push_back("assert equality:\n`resize ys`");
  Diagnostics diagnostics;
  diagnostics.add(one);
  one.span = span_of(sources, file, "dot xs ys");
  one.span.begin += 7;
  CHECK(render_text(diagnostics, sources) ==
        R"(cg.dvm:4:16: error: the sizes `n` and `m` differ [some-code]
  |
1 | main :: Vec n Double -> Vec m Double -> Double
  |                             -------- `m` comes from here
  :
4 |     d = dot xs ys
  |                ^~ this has size `m`
 --> Prelude.dvm:2:19
  |
2 | dot :: Vec n a -> Vec n a -> a
  |                   ------------ both have size `n` here
  note: sizes are equal when their normal forms are
  help: assert equality:
        `resize ys`
)");
}

TEST_CASE("underlines stay below what they mark: tabs, wide and combining characters, bad bytes") {
  SourceMap sources;
  const FileId file =
      sources.add("a.dvm", "\tx + y\n数値 + bad\ne\xCC\x81t\xC3\xA9 bad\n\xFF\x01 bad\n");
  auto excerpt = [&](const std::string& what, std::size_t from) {
    Diagnostics diagnostics;
    diagnostics.add(error(span_of(sources, file, what, from), "m"));
    const std::string text = render_text(diagnostics, sources);
    return text.substr(text.find("|\n") + 2);
  };
  CHECK(excerpt("y", 0) == "1 |         x + y\n  |             ^\n");
  CHECK(excerpt("bad", 0) == "2 | 数値 + bad\n  |        ^~~\n");
  CHECK(excerpt("bad", 22) == "3 | e\xCC\x81t\xC3\xA9 bad\n  |     ^~~\n");
  CHECK(excerpt("bad", 32) == "4 | \xEF\xBF\xBD\xEF\xBF\xBD bad\n  |    ^~~\n");
  CHECK(sources.place(file, 1).column == 9);
}

TEST_CASE("the end of a file, empty spans and many lines have a place too") {
  SourceMap sources;
  const FileId file = sources.add("a.dvm",
                                  "\xEF\xBB\xBF"
                                  "f =\r\n  (x\r\n  y");
  const std::string& text = sources.file(file).text;
  CHECK(text.starts_with("f ="));
  CHECK(sources.line_text(file, 1) == "f =");
  CHECK(sources.line_text(file, 3) == "  y");
  CHECK(sources.line_text(file, 4).empty());
  Diagnostics diagnostics;
  const auto end = static_cast<std::uint32_t>(text.size());
  diagnostics.add(error({file, end, end}, "unfinished"));
  diagnostics.add(error({file, static_cast<std::uint32_t>(text.find('(')), end}, "open"));
  CHECK(render_text(diagnostics, sources) == R"(a.dvm:2:3: error: open [some-code]
  |
2 |   (x
  |   ^~

a.dvm:3:4: error: unfinished [some-code]
  |
3 |   y
  |    ^
)");
}

TEST_CASE("long lines are cut around the mark") {
  SourceMap sources;
  const FileId file = sources.add("a.dvm", std::string(1000, 'x') + "!" + std::string(1000, 'y'));
  Diagnostics diagnostics;
  diagnostics.add(error(span_of(sources, file, "!"), "m", "here"));
  CHECK(render_text(diagnostics, sources) == "a.dvm:1:1001: error: m [some-code]\n  |\n1 | ..." +
                                                 std::string(60, 'x') + "!" + std::string(99, 'y') +
                                                 "...\n  | " + std::string(63, ' ') + "^ here\n");
}

TEST_CASE("one message for one cause, in order of the source, and a limit") {
  SourceMap sources;
  const FileId file = sources.add("a.dvm", "abcdefghij\n");
  Diagnostics diagnostics;
  for (std::uint32_t i = 10; i-- > 0;) {
    diagnostics.add(error({file, i, i + 1}, "error at " + std::to_string(i)));
    diagnostics.add(error({file, i, i + 1}, "the same again"));
  }
  Diagnostic warning = error({file, 0, 1}, "a warning");
  warning.severity = Severity::Warning;
  warning.code = "other-code";
  diagnostics.add(warning);
  diagnostics.add(error({}, "no place"));
  diagnostics.add(error({}, "no place"));
  diagnostics.add(error({}, "another without place"));
  CHECK(diagnostics.error_count() == 12);
  const auto sorted = diagnostics.sorted();
  CHECK(sorted[0].message == "error at 0");
  CHECK(sorted[1].message == "a warning");
  CHECK(sorted.back().message == "another without place");
  const std::string text = render_text(diagnostics, sources, 2);
  CHECK(text.find("error at 1") != std::string::npos);
  CHECK(text.find("error at 2") == std::string::npos);
  CHECK(text.ends_with("\n10 more errors\n"));
  CHECK(render_text(diagnostics, sources).ends_with("error: another without place [some-code]\n"));
}

TEST_CASE("JSON has every field, and is valid for invalid UTF-8") {
  SourceMap sources;
  const FileId file = sources.add("a.dvm", "x\n\tyy\n");
  Diagnostics diagnostics;
  Diagnostic one = error(span_of(sources, file, "yy"), "bad \xFF byte", "label");
  one.others.push_back({span_of(sources, file, "x"), "other"});
  one.notes = {"n"};
  one.help = {"h"};
  diagnostics.add(one);
  diagnostics.add(error({}, "no place"));
  const auto json = nlohmann::json::parse(render_json(diagnostics, sources));
  REQUIRE(json.size() == 2);
  CHECK(json[0]["severity"] == "error");
  CHECK(json[0]["code"] == "some-code");
  CHECK(json[0]["file"] == "a.dvm");
  CHECK(json[0]["line"] == 2);
  CHECK(json[0]["column"] == 9);
  CHECK(json[0]["endLine"] == 2);
  CHECK(json[0]["endColumn"] == 11);
  CHECK(json[0]["others"][0]["label"] == "other");
  CHECK(json[0]["notes"][0] == "n");
  CHECK(json[0]["help"][0] == "h");
  CHECK(json[1]["line"].is_null());
}

TEST_CASE("code points are decoded strictly") {
  CHECK(code_point_at("\xE2\x82\xAC", 0).value == 0x20AC);
  CHECK(code_point_at("\xF0\x9F\x98\x80", 0).value == 0x1F600);
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
                          "\xE2\x82", "\xFF"}) {
    CHECK_FALSE(code_point_at(bad, 0).valid);
    CHECK(code_point_at(bad, 0).bytes == 1);
  }
}

TEST_CASE("a span in a file that is not there is no place") {
  SourceMap sources;
  Diagnostics diagnostics;
  Diagnostic one = error({FileId{7}, 3, 9}, "m");
  one.others.push_back({{FileId{9}, 0, 1}, "x"});
  diagnostics.add(one);
  CHECK(render_text(diagnostics, sources) == "error: m [some-code]\n");
  CHECK(nlohmann::json::parse(render_json(diagnostics, sources))[0]["line"].is_null());
  CHECK(sources.text({FileId{7}, 3, 9}).empty());
}
