// Loops whose state changes its size, values as sizes, comprehensions of unknown size (language
// page, section 2).
#include <doctest/doctest.h>

#include "check_program.hpp"

using dvm::test::codes;
using dvm::test::messages;
using dvm::test::type_of;

TEST_CASE("an annotation with `?` lets the state of a loop change its size") {
  CHECK(type_of("f xs = iterateN 3 (filter even) (xs :: Vec ? Int)\n", "f") ==
        "Vec n Int -> Vec ? Int");
  CHECK(type_of("f xs = (iterateN 3 (filter even) xs :: Vec ? Int)\n", "f") ==
        "Vec n Int -> Vec ? Int");
  CHECK(type_of("f xs = foldl (\\s x -> s ++ [x + 1]) ([] :: Vec ? Int) xs\n", "f") ==
        "Vec n Int -> Vec ? Int");
  CHECK(type_of("f xs = foldl' (\\s x -> s ++ [x]) ([] :: Vec ? Int) $ xs\n", "f") ==
        "Vec n Int -> Vec ? Int");
  CHECK(type_of("f :: Vec n Int -> (Vec ? Int, Vec n Int)\n"
                "f xs = until (\\(s, _) -> null s) (\\(s, d) -> (tail s, map (+ sum s) d)) ((xs :: "
                "Vec ? Int), xs)\n",
                "f") == "Vec n Int -> (Vec ? Int, Vec n Int)");
  CHECK(type_of("f k = iterateN k (\\s -> zipWith (+) s (reverse s)) ([1] :: Vec ? Int)\n", "f") ==
        "Int -> Vec ? Int");
}

TEST_CASE("a state without annotation keeps its size, and the message says what to write") {
  const std::string text =
      messages("f :: Vec n Int -> Vec n Int\nf xs = iterateN 3 (filter even) xs\n");
  CHECK(text.find("argument 3 of `iterateN` has the wrong size") != std::string::npos);
  CHECK(text.find("`(start :: Vec ? Int)`") != std::string::npos);
}

TEST_CASE("sizes of different steps are different") {
  // The size after the step is not that before.
  CHECK(codes("f p = iterateN 3 (\\s -> zipWith (+) s (filter p s)) ([1] :: Vec ? Int)\n") ==
        "size-mismatch@1:40");
  // Nothing outside depends on the size at a step.
  CHECK(
      codes("f :: Vec n Int -> Vec ? Int\nf xs = iterateN 3 (\\s -> zipWith (+) s xs) (xs :: Vec ? "
            "Int)\n") == "size-mismatch@2:40");
  CHECK(codes("f :: Vec n Int -> Vec n Int\nf xs = iterateN 3 tail (xs :: Vec ? Int)\n") != "");
}

TEST_CASE("a value with signature is a size, wherever it stands") {
  CHECK(type_of("f :: Vec 20 Int -> Mat 5 16 Int\nf xs = windows width xs\nwidth :: Int\nwidth = "
                "16\n",
                "f") == "Vec 20 Int -> Mat 5 16 Int");
  CHECK(type_of("f xs = flip take xs\n", "f") == "Vec n a -> Int -> Vec ? a");
  CHECK(type_of("grid k f = generate k f\n", "grid") == "(k :: Int) -> (Int -> a) -> Vec k a");
}

TEST_CASE("comprehensions that filter or depend have an unknown size") {
  CHECK(type_of("f n = [ (i, j) | i <- [0 .. n - 1], j <- [0 .. i] ]\n", "f") ==
        "Int -> Vec ? (Int, Int)");
  CHECK(type_of("f xs ys = [ (x, y) | x <- xs, y <- ys, x < y ]\n", "f") ==
        "Ord a => Vec n a -> Vec m a -> Vec ? (a, a)");
  CHECK(type_of("f xs ys = [ (x, y) | x <- xs, x > 0 | y <- ys ]\n", "f") ==
        "(Ord a, Num a) => Vec n a -> Vec m b -> Vec m (a, b)");
  CHECK(type_of("f xs = [ x | Just x <- xs ]\n", "f") == "Vec n (Maybe a) -> Vec ? a");
  CHECK(type_of("f xs = [ x + y | (x, y) <- xs ]\n", "f") == "Num a => Vec n (a, a) -> Vec n a");
}

// language 2: `?k` makes no name: `k` is an `Int` in the body only where the body binds it.
TEST_CASE("an unknown size of a signature is no name") {
  CHECK(
      codes(
          "g :: Vec n Int -> (Vec ?k Int, Vec ?k Int)\ng xs = let ys = filter even xs in (ys, map "
          "(+ k) ys)\n") == "unknown-name@2:47");
  CHECK(
      codes(
          "g :: Vec n Int -> (Vec ?k Int, Vec ?k Int)\ng xs = (ys, map (+ k) ys)\n  where\n    ys "
          "= filter even xs\n    k = length ys\n") == "");
}

// language 2: A name in a size of a type is always a variable …
TEST_CASE("a name in a size of a type hides what is called so") {
  CHECK(type_of("width = 3 :: Int\nf :: Vec width Int -> Int\nf xs = width\n", "f") ==
        "Vec width Int -> Int");
  CHECK(codes("f :: Mat rows m Int -> Int\nf a = rows\n") == "");
}

// language 3: A lazy pattern `~p` is an error …
TEST_CASE("lazy patterns, record puns and wildcards are refused") {
  CHECK(codes("g (Just ~x) = x\n").find("lazy-pattern") == 0);
  CHECK(codes("data P = P { x :: Int }\nf P {x} = x\n") != "");
  CHECK(codes("data P = P { x :: Int }\nf P {..} = x\n") != "");
}
