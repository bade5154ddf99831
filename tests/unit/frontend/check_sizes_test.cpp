// Sizes of arrays: polynomials, dependent arguments, unknown sizes, indexing, comprehensions.
#include <doctest/doctest.h>

#include "check_program.hpp"

using dvm::test::codes;
using dvm::test::messages;
using dvm::test::type_of;

TEST_CASE("sizes are inferred and generalised") {
  CHECK(type_of("f xs = map (+ 1) xs\n", "f") == "Num a => Vec n a -> Vec n a");
  CHECK(type_of("f xs ys = zipWith (*) xs ys\n", "f") == "Num a => Vec n a -> Vec n a -> Vec n a");
  CHECK(type_of("f xs = tail xs ++ xs\n", "f") == "Vec n a -> Vec (2 * n - 1) a");
  CHECK(type_of("f = [[1, 0], [0, 1]] :: Mat 2 2 Int\n", "f") == "Mat 2 2 Int");
  CHECK(type_of("f m = transpose m\n", "f") == "Mat n m a -> Mat m n a");
  CHECK(codes("main = [[1, 2], [3]]\n") == "size-mismatch@1:17");
  CHECK(codes("f :: Vec n Double -> Vec (n + 1) Double -> Vec n Double\nf xs ys = zipWith (+) xs "
              "ys\n") == "size-mismatch@2:26");
}

TEST_CASE("dependent arguments") {
  CHECK(type_of("f xs = generate (2 * length xs) (\\i -> i)\n", "f") ==
        "Vec n a -> Vec (2 * n) Int");
  CHECK(type_of("grid k = generate k (\\i -> i * i)\n", "grid") == "(k :: Int) -> Vec k Int");
  CHECK(type_of("f :: Vec n Double -> Vec (n / 2) Double\nf xs = take (n `div` 2) xs\n", "f") ==
        "Vec n Double -> Vec (n / 2) Double");
  CHECK(type_of("main = let width = 16 in windows width (generate 20 id)\n", "main") ==
        "Mat 5 16 Int");
  CHECK(type_of("f xs = replicate (sum xs) 1.5\n", "f") == "Fractional a => Vec n Int -> Vec ? a");
  CHECK(codes("f :: Int -> Vec n Double\nf k = generate k fromIntegral\n") != "");
  CHECK(type_of("f :: Vec n Double -> Double\nf xs = sum xs / fromIntegral n\n", "f") ==
        "Vec n Double -> Double");
}

TEST_CASE("unknown sizes") {
  CHECK(type_of("f p xs = filter p xs\n", "f") == "(a -> Bool) -> Vec n a -> Vec ? a");
  CHECK(type_of("f p = sum . filter p\n", "f") == "Num a => (a -> Bool) -> Vec n a -> a");
  std::string text = messages(
      "f :: Vec n Double -> Vec n Double -> Vec n Double\nf xs ys = zipWith (+) (filter (> 0) xs) "
      "ys\n");
  CHECK(text.find("size-mismatch") != std::string::npos);
  CHECK(text.find("`?1` is the unknown size returned by `filter`") != std::string::npos);
  CHECK(text.find("resize") != std::string::npos);
  CHECK(type_of("f :: Vec n Double -> Vec ? Double\nf xs = xs\n", "f") ==
        "Vec n Double -> Vec ? Double");
  CHECK(type_of("f c xs = if c then xs else tail xs\n", "f") == "Bool -> Vec n a -> Vec ? a");
  CHECK(codes("f :: Vec n Int -> Vec n Int\nf xs = iterateN 3 (filter even) xs\n") != "");
  CHECK(codes("f xs = map (filter even) xs\n") == "irregular-array@1:8");
  CHECK(codes("main = map (\\k -> [0 .. k - 1]) [0 .. 3]\n") == "irregular-array@1:8");
  CHECK(codes("f xs = length (resize xs)\n") == "ambiguous-size@1:16");
}

TEST_CASE("ranges and comprehensions") {
  CHECK(type_of("f a = [ x * 2 | x <- a ]\n", "f") == "Num a => Vec n a -> Vec n a");
  CHECK(type_of("f n m = [ [ i * j | j <- [0 .. m - 1] ] | i <- [0 .. n - 1] ]\n", "f") ==
        "(n :: Int) -> (m :: Int) -> Mat n m Int");
  CHECK(type_of("f xs ys = [ x + y | x <- xs | y <- ys ]\n", "f") ==
        "Num a => Vec n a -> Vec n a -> Vec n a");
  CHECK(type_of("f xs ys = [ (x, y) | x <- xs, y <- ys ]\n", "f") ==
        "Vec n a -> Vec m b -> Vec (n * m) (a, b)");
  CHECK(type_of("f xs = [ x | x <- xs, x > 0 ]\n", "f") == "(Ord a, Num a) => Vec n a -> Vec ? a");
  CHECK(type_of("f :: Vec n Double -> Vec (n - 2) Double\nf u = [ u ! (i + 1) - u ! i | i <- [1 .. "
                "n - 2] ]\n",
                "f") == "Vec n Double -> Vec (n - 2) Double");
  CHECK(codes("f xs = [ [ y | y <- xs, y > x ] | x <- xs ]\n") != "");
  CHECK(type_of("f lo hi x = [ sum [ x ! j | j <- [lo ! i .. hi ! i - 1] ] | i <- [0 .. length lo "
                "- 1] ]\n",
                "f")
            .find("Vec n Int") != std::string::npos);
}

TEST_CASE("indexing") {
  CHECK(type_of("f :: Mat n m Double -> Double\nf a = a ! (0, 1) + a ! 0 ! 1\n", "f") ==
        "Mat n m Double -> Double");
  CHECK(type_of("f :: Mat n m Double -> Vec m Double\nf a = a ! 0\n", "f") ==
        "Mat n m Double -> Vec m Double");
  CHECK(type_of("f xs = xs ! 0\n", "f") == "Vec n a -> a");
  CHECK(codes("f :: Vec n Double -> Double\nf a = a ! (0, 1)\n") != "");
  CHECK(codes("at a i = a ! i\n") == "ambiguous-index@1:12");
}

TEST_CASE("what an index gives is not settled before the array is") {
  // `x` is found to be a matrix of Double only where `step` is used.
  CHECK(codes("main :: Mat n n Double -> Mat n n Double\n"
              "main a = snd (step (0, a))\n"
              "  where\n"
              "    step (k, x) = (k + 1, [ [ at i j | j <- [0 .. n - 1] ] | i <- [0 .. n - 1] ])\n"
              "      where at i j = if i >= k then x ! (i, k) else x ! (i, j)\n") == "");
  CHECK(
      codes(
          "main :: Mat n m Double -> Int\n"
          "main a = fst (step (0, a))\n"
          "  where\n"
          "    step (s, x) = (s + best, x)\n"
          "      where best = argmax [ if i < 1 then -1 else x ! (i, 0) | i <- [0 .. n - 1] ]\n") ==
      "");
}

TEST_CASE("recursion at other sizes needs a signature") {
  CHECK(type_of("f :: Vec n Double -> Double\nf xs = if n <= 1 then xs ! 0 else f (take (n `div` "
                "2) xs)\n",
                "f") == "Vec n Double -> Double");
  CHECK(codes("f xs = if length xs <= 1 then xs ! 0 else f (tail xs)\n") != "");
}

TEST_CASE("entries are the exported functions with signature whose values files can hold") {
  dvm::test::Checked checked(
      "g :: Vec n Double -> Double\ng xs = sum xs\nmain :: Double -> Double\nmain x = x\nh :: Num "
      "a => a -> a\nh x = x\n");
  REQUIRE(checked.typed);
  REQUIRE(checked.typed->entries.size() == 2);
  CHECK(checked.typed->bindings[checked.typed->entries[0]].name == "main");
}
