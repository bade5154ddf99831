// Exhaustiveness and overlap of patterns, with a value that is not covered (language page, section
// 3).
#include <doctest/doctest.h>

#include "check_program.hpp"

using dvm::test::codes;
using dvm::test::messages;

namespace {

// Whether the only warning names this value; "" when there is no warning.
std::string witness(const std::string& text) {
  const std::string said = messages(text);
  if (said.empty()) return "";
  const std::size_t end = said.find("` is not covered");
  if (end == std::string::npos) return said;
  return said.substr(said.rfind('`', end - 1) + 1, end - said.rfind('`', end - 1) - 1);
}

const std::string types =
    "data C = Red | Green | Blue\n"
    "data R = R { a :: Int, b :: Bool } | S C\n";

}  // namespace

TEST_CASE("what is not covered is shown as a value") {
  CHECK(witness(types + "f :: C -> Int\nf Red = 1\nf Blue = 2\n") == "f Green");
  CHECK(witness(types + "f :: R -> Int\nf R { b = True } = 1\nf (S _) = 2\n") == "f (R _ False)");
  CHECK(witness(types +
                "f :: R -> C -> Int\nf (S Red) Green = 1\nf (R _ _) _ = 1\nf (S _) Red = 2\n") ==
        "f (S Green) Green");
  CHECK(witness("f :: Int -> Int\nf 0 = 1\nf 1 = 2\n") == "f 2");
  CHECK(witness("f :: Int8 -> Int\nf (-1) = 1\n") == "f 0");
  CHECK(witness("f :: Vec n Int -> Int\nf [] = 0\nf [x] = x\n") == "f [_, _]");
  CHECK(witness("f :: (Bool, Maybe Int) -> Int\nf (True, _) = 1\nf (_, Just 0) = 2\n") ==
        "f (False, Nothing)");
  CHECK(witness("f x = case x of { Just y | y > 0 -> 1; Nothing -> 2 }\n") == "Just _");
  CHECK(witness("f = \\(Just x) -> x\n") == "Nothing");
  CHECK(witness("f x = let Just y = x in y\n") == "Nothing");
}

TEST_CASE("what covers everything is not warned about") {
  CHECK(witness("f :: Vec 2 Int -> Int\nf [x, y] = x + y\n") == "");
  CHECK(witness("f :: Int -> Int\nf n | n > 3 = 4\n    | otherwise = 2\n") == "");
  CHECK(witness("f :: (Bool, Bool) -> Int\nf (True, x) = 1\nf (_, !y) = 2\n") == "");
  CHECK(witness("f x = if | x > 3 -> 1 | True -> 2\n") == "");
  CHECK(witness(types + "f :: R -> Bool\nf r@R {} = b r\nf (S _) = False\n") == "");
}

TEST_CASE("guards that may all be false") {
  CHECK(codes("f x = if | x > 3 -> 1 | x < 2 -> 2\n") == "non-exhaustive@1:7");
  CHECK(witness("f :: Int -> Int\nf n | n > 3 = 4\n") == "f _");
  CHECK(witness("f :: Bool -> Int -> Int\nf True n | n > 3 = 4\nf False _ = 2\n") == "f True _");
}

TEST_CASE("a pattern that no value reaches") {
  CHECK(codes("f :: Int -> Int\nf 0 = 1\nf 0 = 2\nf _ = 3\n") == "redundant-pattern@3:1");
  CHECK(codes("f :: Int8 -> Int\nf (-1) = 1\nf (-1) = 2\nf _ = 3\n") == "redundant-pattern@3:1");
  CHECK(codes("f :: Double -> Int\nf 1.5 = 1\nf 1.50 = 2\nf 2 = 3\nf 2.0 = 4\nf _ = 5\n") ==
        "redundant-pattern@3:1 redundant-pattern@5:1");
  CHECK(codes("f :: Bool -> Int\nf True = 1\nf False = 2\nf _ = 3\n") == "redundant-pattern@4:1");
  CHECK(codes("f :: Vec 2 Int -> Int\nf [x, y] = x + y\nf _ = 4\n") == "redundant-pattern@3:1");
  CHECK(codes(types + "f x = case x of { Red -> 1; Red -> 2; _ -> 3 }\n") ==
        "redundant-pattern@3:29");
  // A guard that may be false covers nothing.
  CHECK(codes("f :: Int -> Int\nf 0 | 1 > 2 = 1\nf 0 = 2\nf _ = 3\n") == "");
}
