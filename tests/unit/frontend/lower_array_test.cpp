// Views, storing, shapes, indices.
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

std::vector<double> result(const std::string& text, const std::vector<Tensor>& inputs) {
  const Outcome done = outcome(text, inputs);
  REQUIRE_MESSAGE(done.error.empty(), done.error);
  return doubles(done.results.at(0));
}

}  // namespace

TEST_CASE("nested comprehensions become one map, a sum of products one reduction over its space") {
  const Lowered program = compile(
      "main :: Mat n k Double -> Mat k m Double -> Mat n m Double\n"
      "main a b = [ [ sum [ a ! (i, q) * b ! (q, j) | q <- [0 .. k - 1] ] | j <- [0 .. m - 1] ] | "
      "i <- [0 .. n - 1] ]\n");
  REQUIRE_MESSAGE(program.ok, program.errors);
  CHECK(count_nodes(program.module, "map") == 0);
  CHECK(count_nodes(program.module, "reduce") == 1);
  CHECK(program.module.checks.empty());
  const Outcome done = run(program, {matrix(2, 2, {1, 2, 3, 4}), matrix(2, 1, {5, 6})});
  REQUIRE(done.error.empty());
  CHECK(doubles(done.results[0]) == std::vector<double>{17, 39});
}

TEST_CASE("views cost nothing and keep their order") {
  CHECK(result("main :: Vec n Double -> Vec n Double\nmain xs = reverse xs\n",
               {vector({1, 2, 3})}) == std::vector<double>{3, 2, 1});
  CHECK(result("main :: Mat n m Double -> Mat m n Double\nmain a = transpose a\n",
               {matrix(2, 3, {1, 2, 3, 4, 5, 6})}) == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(result("main :: Vec n Double -> Vec n Double\nmain xs = rotate 1 xs\n",
               {vector({1, 2, 3})}) == std::vector<double>{2, 3, 1});
  CHECK(result("main :: Vec n Double -> Vec 2 Double\nmain xs = take 2 (drop 1 xs)\n",
               {vector({1, 2, 3, 4})}) == std::vector<double>{2, 3});
  CHECK(result("main :: Vec n Double -> Vec (n - 2) Double\nmain xs = map sum (windows 3 xs)\n",
               {vector({1, 2, 3, 4})}) == std::vector<double>{6, 9});
  CHECK(result("main :: Vec n Double -> Vec (n + n) Double\nmain xs = xs ++ map (* 2) xs\n",
               {vector({1, 2})}) == std::vector<double>{1, 2, 2, 4});
  CHECK(result("main :: Vec n Double -> Vec (n + 3) Double\nmain xs = pad 1 2 9 xs\n",
               {vector({1, 2})}) == std::vector<double>{9, 1, 2, 9, 9});
  CHECK(result("main :: Vec n Double -> Vec n Double\nmain xs = update xs 1 7\n",
               {vector({1, 2, 3})}) == std::vector<double>{1, 7, 3});
}

TEST_CASE("what the type cannot promise is checked, with both numbers") {
  const std::string text = "main :: Vec n Double -> Int -> Double\nmain xs k = sum (take k xs)\n";
  CHECK(outcome(text, {vector({1, 2, 3}), integer(4)}).error ==
        "`take` of 4 elements of an array of size 3");
  CHECK(doubles(outcome(text, {vector({1, 2, 3}), integer(2)}).results.at(0)) ==
        std::vector<double>{3});
  CHECK(outcome("main :: Vec n Double -> Int -> Double\nmain xs i = xs ! i\n",
                {vector({1, 2}), integer(-1)})
            .error == "index -1 is out of range for size 2");
}

TEST_CASE("an index inside a guard needs no check") {
  const Lowered program = compile(
      "main :: Vec n Double -> Vec n Double\n"
      "main xs = [ if i == 0 || i == n - 1 then xs ! i else (xs ! (i - 1) + xs ! (i + 1)) / 2 | i "
      "<- [0 .. n - 1] ]\n");
  REQUIRE_MESSAGE(program.ok, program.errors);
  CHECK(program.module.checks.empty());
  CHECK(doubles(run(program, {vector({1, 2, 6, 4})}).results.at(0)) ==
        std::vector<double>{1, 3.5, 3, 4});
}

TEST_CASE("a stencil at its boundaries") {
  const std::string head = "main :: Vec n Double -> Vec n Double\nmain xs = stencil1 ";
  const std::string tail = " (\\u -> u (-1) + u 1) xs\n";
  CHECK(result(head + "Clamp" + tail, {vector({1, 2, 4})}) == std::vector<double>{3, 5, 6});
  CHECK(result(head + "Wrap" + tail, {vector({1, 2, 4})}) == std::vector<double>{6, 5, 3});
  CHECK(result(head + "(Constant 10)" + tail, {vector({1, 2, 4})}) ==
        std::vector<double>{12, 5, 12});
}

TEST_CASE("arrays of tuples and records are one array for each field") {
  const Outcome done = outcome(
      "data P = P { re, im :: Double }\n"
      "main :: Vec n Double -> Vec n P\n"
      "main xs = [ P { re = x, im = x * 2 } | x <- xs ]\n",
      {vector({1, 2})});
  REQUIRE(done.error.empty());
  REQUIRE(done.results.size() == 2);
  CHECK(doubles(done.results[1]) == std::vector<double>{2, 4});
}

TEST_CASE("filters know their size at run time") {
  const Outcome done = outcome(
      "main :: Vec n Double -> (Double, Int)\nmain xs = (sum kept, length kept)\n  where kept = "
      "filter (> 1) xs\n",
      {vector({3, 1, 2})});
  REQUIRE_MESSAGE(done.error.empty(), done.error);
  CHECK(doubles(done.results.at(0)) == std::vector<double>{5});
  CHECK(ints(done.results.at(1)) == std::vector<std::int64_t>{2});
  CHECK(result("main :: Vec n Double -> Double\nmain xs = sum [ x * x | x <- xs, x > 1 ]\n",
               {vector({3, 1, 2})}) == std::vector<double>{13});
}
