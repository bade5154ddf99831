// Limits, and input that nobody would write.
#include <chrono>
#include <random>

#include "parse_fixture.hpp"

using parse_test::codes;
using parse_test::load;

namespace {

std::string repeat(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

const char* const pieces[] = {"case",     "class", "data",   "deriving", "do",
                              "else",     "if",    "import", "in",       "infixl",
                              "instance", "let",   "module", "newtype",  "of",
                              "then",     "type",  "where",  "_",        "as",
                              "forall",   "(",     ")",      "[",        "]",
                              "{",        "}",     ",",      ";",        "`",
                              "..",       "::",    "=",      "\\",       "|",
                              "<-",       "->",    "@",      "~",        "=>",
                              "!",        "-",     ".",      "?",        "x",
                              "Y",        "M.z",   "+",      ":+",       "?k",
                              "1.5",      "42",    "\"s\"",  "'c'",      "{-# INLINE f #-}",
                              "{-",       "-}",    "-- c\n", "\n",       "\n  ",
                              "\n    ",   "\n\t",  " ",      "\\case",   "if |",
                              "é",        "\xff"};

}  // namespace

// language 4: Limits are errors, not crashes: …
TEST_CASE("robust: 100,000 levels are an error, 4,900 are fine") {
  for (const auto& [open, close] :
       std::vector<std::pair<std::string, std::string>>{{"(", ")"},
                                                        {"[", "]"},
                                                        {"\\x -> ", ""},
                                                        {"let y = 1 in ", ""},
                                                        {"if a then b else ", ""},
                                                        {"case y of A -> ", ""},
                                                        {"[a | ", "]"},
                                                        {"f (", ")"},
                                                        {"if | a -> ", ""}}) {
    CAPTURE(open);
    CHECK(codes("x = " + repeat(open, 100000) + "1" + repeat(close, 100000) + "\n") ==
          "nesting-too-deep");
    CHECK(codes("x = " + repeat(open, 100000)) == "nesting-too-deep");
    CHECK(codes("x = " + repeat(open, 4900) + "1" + repeat(close, 4900) + "\n") == "");
  }
  CHECK(codes("f " + repeat("(", 100000) + "x" + repeat(")", 100000) + " = 1\n") ==
        "nesting-too-deep");
  CHECK(codes("f " + repeat("x@", 100000) + "y = 1\n") == "nesting-too-deep");
  CHECK(codes("f :: " + repeat("(", 100000) + "a" + repeat(")", 100000) + "\n") ==
        "nesting-too-deep");
  CHECK(codes("f :: " + repeat("a -> ", 100000) + "a\n") == "nesting-too-deep");
  CHECK(codes(repeat("{-", 100000) + repeat("-}", 100000) + "x = 1\n") == "");
  CHECK(codes(repeat("{-", 100000)) == "unterminated-comment");
}

TEST_CASE("robust: one mistake is one message, and the rest of the file is still checked") {
  CHECK(codes("f = 1 +\ng = 2\nh = if a then\ni = (3\nj = 4 5 = 6\nk = 7\n") ==
        "unexpected-end unexpected-end unclosed-bracket equals-in-expression");
}

// language 1: Haskell 2010's: UTF-8 …
TEST_CASE("robust: invalid UTF-8 is an error with its place") {
  const parse_test::Loaded result = load("x = 1\ny = \xC3(\n");
  CHECK(result.messages().starts_with(
      "t.dvm:2:5: error: byte 0xC3 is not valid UTF-8 [invalid-utf8]\n"));
  CHECK(codes("x = \xED\xA0\x80") == "invalid-utf8");
  CHECK(codes("-- \xFF") == "invalid-utf8");
  CHECK(codes(std::string("x = \0 1", 7)) == "invalid-character");
}

TEST_CASE("robust: random tokens, bytes and mutations never crash") {
  std::mt19937 random(7);
  auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::string seed =
      "module M where\nimport A (b)\n-- | d\nf :: Vec n a -> a\nf x | x > 0 = case x of\n    A -> "
      "1\n    _ -> let a = 1\n"
      "             b = 2 in a\n  where g = [y | y <- xs, y > 0]\ndata T = P { a :: Int } deriving "
      "(Eq)\n";
  const auto start = std::chrono::steady_clock::now();
  int runs = 0;
  for (; std::chrono::steady_clock::now() - start < std::chrono::seconds(2) || runs < 100; ++runs) {
    std::string text;
    if (runs % 3 == 0) {
      for (std::size_t i = below(60); i > 0; --i)
        text += std::string(pieces[below(std::size(pieces))]) + (below(3) ? " " : "");
    } else if (runs % 3 == 1) {
      for (std::size_t i = below(80); i > 0; --i) text += static_cast<char>(below(256));
    } else {
      text = seed;
      for (std::size_t i = 1 + below(4); i > 0; --i) {
        const std::size_t at = below(text.size());
        if (below(2) != 0) {
          text.erase(at, 1 + below(5));
        } else {
          text.insert(at, pieces[below(std::size(pieces))]);
        }
        if (text.empty()) text = "x";
      }
    }
    const parse_test::Loaded result = load(text);
    CAPTURE(text);
    CHECK(result.program.has_value() != result.diagnostics.has_errors());
    if (!result.program) continue;
    const std::string printed = result.printed();
    const parse_test::Loaded again = load(printed);
    CHECK(again.printed() == printed);
  }
  MESSAGE(runs << " inputs");
}

TEST_CASE("robust: time grows with length") {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    const std::string n = std::to_string(i);
    text += "f" + n + " :: Double -> Vec n Double -> Double\nf" + n +
            " a xs = sum [x * a + y | x <- xs, let y = 2 * x, x > 0]\n  where\n    h k\n      | k "
            "> 0 = 1\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const parse_test::Loaded result = load(text);  // 2,000 lines
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK(result.program.has_value());
  CHECK(seconds < 2.0);  // 0.05 when nothing else runs
}
