// Groups of declarations without signatures: what is generalised, and what waits for its
// surroundings.
#include <doctest/doctest.h>

#include "check_program.hpp"

using dvm::test::codes;
using dvm::test::type_of;

TEST_CASE("functions of a group share what they are generalised over") {
  const std::string text =
      "even' 0 x = x\neven' k x = odd' (k - 1) x\nodd' 0 x = x\nodd' k x = even' (k - 1) x\n";
  CHECK(type_of(text + "main = (even' 3 True, odd' (4 :: Int) 1.5)\n", "main") == "(Bool, Double)");
  CHECK(
      codes(
          "main :: Int -> Int\nmain x = even' x + odd' x\n  where\n    even' 0 = 1\n    even' k = "
          "odd' (k - 1)\n    odd' 0 = 0\n    odd' k = even' (k - 1)\n") == "");
}

TEST_CASE("an index of an array that is known later is not generalised, nor an element defaulted") {
  CHECK(
      codes(
          "main :: Mat n n Double -> Mat n n Double\nmain a = snd (step (0, a))\n  where\n    step "
          "(k, m) = (k + 1, [ [ entry i j | j <- [0 .. n - 1] ] | i <- [0 .. n - 1] ])\n      "
          "where\n        entry i j = if i >= k then m ! (i, k) else m ! (i, j)\n") == "");
  CHECK(
      codes(
          "main :: Mat n m Double -> Int\nmain a = fst (step (0, a))\n  where\n    step (s, x) = "
          "(s + best, x)\n      where\n        best = argmax [ if i < 1 then -1 else abs (x ! (i, "
          "0)) | i <- [0 .. n - 1] ]\n") == "");
}
