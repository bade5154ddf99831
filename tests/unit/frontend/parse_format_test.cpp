// Formatting keeps comments and meaning, and is stable.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "parse_fixture.hpp"

using namespace dvm;

namespace {

std::string format(const std::string& text) {
  SourceMap sources;
  Diagnostics out;
  const FileId file = sources.add("t.dvm", text);
  const auto result = parse::format(sources, file, out);
  return result ? *result : render_text(out, sources);
}

void becomes(const std::string& text, const std::string& expected) {
  CAPTURE(text);
  CHECK(format(text) == expected);
  CHECK(format(expected) == expected);
}

}  // namespace

TEST_CASE("format: comments stay where they belong") {
  becomes(
      "-- about the file\n\n-- | Doc.\nmodule   M where\nimport A -- why\n\n\n\n-- | f\nf x=x -- "
      "behind\n-- before g\ng = 1\n-- the end\n",
      "-- about the file\n\n-- | Doc.\nmodule M where\n\nimport A  -- why\n\n-- | f\nf x = x  -- "
      "behind\n-- before g\ng = 1\n-- the end\n");
  becomes("x = [ 1, -- one\n  2 -- two\n  , 3 ]\n", "x =\n  [1,  -- one\n   2,  -- two\n   3]\n");
  becomes("f x = a\n  + b -- why b\n  + c\n", "f x =\n  a + b  -- why b\n    + c\n");
  becomes("f = {- inline -} 1\n", "f =  {- inline -}\n  1\n");
  becomes("-- only a comment\n", "-- only a comment\n");
  becomes("", "");
}

TEST_CASE("format: guards and where on their own lines, blank lines kept once") {
  becomes("f x | x > 0 = 1 | otherwise = y where y = 2\n\n\n\ng = 3\n",
          "f x\n  | x > 0 = 1\n  | otherwise = y\n  where\n    y = 2\n\ng = 3\n");
  becomes("f = let {a = 1; b = 2} in a\n", "f =\n  let a = 1\n      b = 2\n  in a\n");
  becomes("f = case x of {A -> 1; B -> 2} + 3\n",
          "f =\n  case x of\n        A -> 1\n        B -> 2\n    + 3\n");
}

TEST_CASE("format: long lines are broken at 100 columns") {
  const std::string word(30, 'a');
  const std::string formatted =
      format("f = " + word + " + " + word + " + " + word + " + " + word + "\n");
  CHECK(formatted == "f =\n  " + word + " + " + word + " + " + word + "\n    + " + word + "\n");
  CHECK(format(formatted) == formatted);
}

TEST_CASE("format: a file with syntax errors is refused") {
  CHECK(format("f = \n").find("unexpected-end") != std::string::npos);
}

TEST_CASE("format: the standard library and the examples say the same after formatting") {
  for (const char* folder : {"/stdlib", "/examples"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(DVM_SOURCE_FOLDER) + folder)) {
      if (entry.path().extension() != ".dvm") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string text(std::istreambuf_iterator<char>(in), {});
      CAPTURE(entry.path().string());
      const std::string formatted = format(text);
      CHECK(format(formatted) == formatted);
    }
  }
}
