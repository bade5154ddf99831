// Choices, loops, recursion, data, errors.
#include <doctest/doctest.h>

#include "lower_fixture.hpp"

using namespace dvm;
using namespace dvm::lower_test;

namespace {

Outcome outcome(const std::string& text, const std::vector<Tensor>& inputs) {
  const Lowered program = compile(text);
  REQUIRE_MESSAGE(program.ok, program.errors);
  return run(program, inputs);
}

double scalar(const std::string& text, const std::vector<Tensor>& inputs) {
  const Outcome done = outcome(text, inputs);
  REQUIRE_MESSAGE(done.error.empty(), done.error);
  return doubles(done.results.at(0)).at(0);
}

}  // namespace

TEST_CASE("a known condition is decided while compiling") {
  const Lowered program =
      compile("main :: Double -> Double\nmain x = if 1 < (2 :: Int) then x else error \"never\"\n");
  REQUIRE_MESSAGE(program.ok, program.errors);
  CHECK(count_nodes(program.module, "branch") == 0);
  CHECK(count_nodes(program.module, "select") == 0);
}

TEST_CASE("cheap choices select, others branch") {
  const Lowered cheap =
      compile("main :: Double -> Double\nmain x = if x < 0 then 1 - x else x + 1\n");
  REQUIRE_MESSAGE(cheap.ok, cheap.errors);
  CHECK(count_nodes(cheap.module, "select") == 1);
  const Lowered dear = compile("main :: Double -> Double\nmain x = if x < 0 then 1 else sqrt x\n");
  REQUIRE_MESSAGE(dear.ok, dear.errors);
  CHECK(count_nodes(dear.module, "branch") == 1);
}

TEST_CASE("guards, case, Maybe") {
  const std::string text =
      "safe :: Double -> Double -> Maybe Double\n"
      "safe x y\n  | y == 0 = Nothing\n  | otherwise = Just (x / y)\n"
      "main :: Double -> Double -> Double\n"
      "main x y = case safe x y of\n  Nothing -> -1\n  Just q -> q\n";
  CHECK(scalar(text, {number(6), number(2)}) == 3);
  CHECK(scalar(text, {number(6), number(0)}) == -1);
}

TEST_CASE("loops keep their state in order") {
  CHECK(scalar("main :: Double -> Int -> Double\nmain x k = iterateN k (\\y -> y * 2 + 1) x\n",
               {number(1), integer(3)}) == 15);
  CHECK(scalar("main :: Vec n Double -> Double\nmain xs = foldl (\\s x -> s * 10 + x) 0 xs\n",
               {vector({1, 2, 3})}) == 123);
  CHECK(scalar("main :: Vec n Double -> Double\nmain xs = foldr (\\x s -> s * 10 + x) 0 xs\n",
               {vector({1, 2, 3})}) == 321);
  CHECK(scalar("main :: Double -> Double\nmain x = until (> 100) (* 2) x\n", {number(3)}) == 192);
  CHECK(outcome("main :: Double -> Int -> Double\nmain x k = iterateN k (+ 1) x\n",
                {number(1), integer(-2)})
            .error == "the number of steps -2 is negative");
  const Outcome all =
      outcome("main :: Vec n Double -> Vec (n + 1) Double\nmain xs = scanl (+) 1 xs\n",
              {vector({1, 2, 3})});
  CHECK(doubles(all.results.at(0)) == std::vector<double>{1, 2, 4, 7});
}

TEST_CASE("recursion becomes calls of one function for each type") {
  const std::string text =
      "total :: Vec n Double -> Double\n"
      "total xs\n  | n == 0 = 0\n  | n == 1 = xs ! 0\n"
      "  | otherwise = total (take h xs) + total (drop h xs)\n  where h = n `div` 2\n"
      "main :: Vec n Double -> Double\nmain xs = total xs\n";
  CHECK(scalar(text, {vector({1, 2, 3, 4, 5})}) == 15);
  CHECK(compile(text).module.functions.size() == 2);
}

TEST_CASE("errors are reported only where they are needed") {
  CHECK(outcome("main :: Double -> Double\nmain x = if x > 0 then x else error \"not positive\"\n",
                {number(-1)})
            .error == "not positive");
  CHECK(scalar("main :: Double -> Double\nmain x = fst (x, error \"unused\" :: Double)\n",
               {number(2)}) == 2);
  CHECK(outcome("main :: Int -> Int -> Int\nmain x y = x `div` y\n", {integer(1), integer(0)})
            .error == "division by zero");
  CHECK(outcome("main :: Double -> Double\nmain x = assert (x > 0) \"positive, please\" x\n",
                {number(-1)})
            .error == "positive, please");
}

TEST_CASE("reductions: builtin operators by component, others by a region") {
  CHECK(scalar("main :: Vec n Double -> Double\nmain xs = reduce (\\a b -> b + a) 0 xs\n",
               {vector({1, 2})}) == 3);
  const Outcome best =
      outcome("main :: Vec n Double -> (Int, Double)\nmain xs = (argmin xs, maximum xs)\n",
              {vector({3, 1, 1})});
  CHECK(ints(best.results.at(0)) == std::vector<std::int64_t>{1});
  CHECK(doubles(best.results.at(1)) == std::vector<double>{3});
  CHECK(outcome("main :: Vec n Double -> Double\nmain xs = minimum xs\n", {vector({})}).error ==
        "`minimum` of an empty array");
  const Outcome keyed = outcome(
      "main :: Vec n Int -> Mat n m Double -> Mat 2 m Double\n"
      "main keys rows = reduceByKey (zipWith (+)) (zeros m) 2 keys rows\n",
      {integers({0, 1, 0}), matrix(3, 2, {1, 2, 3, 4, 5, 6})});
  REQUIRE_MESSAGE(keyed.error.empty(), keyed.error);
  CHECK(doubles(keyed.results.at(0)) == std::vector<double>{6, 8, 3, 4});
}

TEST_CASE("powers with a known exponent are products") {
  const Lowered program = compile("main :: Double -> Double\nmain x = x ^ (5 :: Int)\n");
  REQUIRE_MESSAGE(program.ok, program.errors);
  CHECK(count_nodes(program.module, "mul") == 3);
  CHECK(doubles(run(program, {number(2)}).results.at(0)) == std::vector<double>{32});
}

TEST_CASE("a flat sum of many terms") {
  std::string text = "main :: Double -> Double\nmain x = x";
  for (int i = 0; i < 20'000; ++i) text += " + x";
  const Lowered program = compile(text + "\n");
  CHECK_MESSAGE(program.ok, program.errors);
}

TEST_CASE("choices that stand too deeply inside each other are an error with a place") {
  std::string text = "main :: Double -> Double\nmain x\n";
  for (int k = 0; k < 1500; ++k) text += "  | x < " + std::to_string(k) + " = x * x\n";
  const Lowered program = compile(text + "  | otherwise = x\n");
  CHECK(!program.ok);
  CHECK(program.errors.find("[nesting-too-deep]") != std::string::npos);
  CHECK(program.errors.find("more than 950 levels") != std::string::npos);
}
