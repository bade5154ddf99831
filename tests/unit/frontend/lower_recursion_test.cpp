// Recursion: loops of tail calls, captured values, functions as arguments and results.
#include <doctest/doctest.h>

#include "lower_fixture.hpp"

using namespace dvm;
using namespace dvm::lower_test;

namespace {

std::vector<std::int64_t> results(const std::string& text, const std::vector<Tensor>& inputs) {
  const Lowered program = compile(text);
  REQUIRE_MESSAGE(program.ok, program.errors);
  const Outcome done = run(program, inputs);
  REQUIRE_MESSAGE(done.error.empty(), done.error);
  std::vector<std::int64_t> all;
  for (const Tensor& result : done.results)
    for (std::int64_t value : ints(result)) all.push_back(value);
  return all;
}

std::string error_of(const std::string& text) {
  const Lowered program = compile(text);
  CHECK(!program.ok);
  return program.errors;
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a function that calls only itself, last, is a loop") {
  const std::string text =
      "main :: Int -> Int -> Int\nmain n m = go n 0\n  where\n"
      "    go 0 acc = acc\n    go k acc\n      | odd k = go (k - 1) (acc + m)\n"
      "      | otherwise = let a = acc * 2 in go (k - 1) $ a\n";
  CHECK(results(text, {integer(5), integer(3)}) == Numbers{21});
  const Lowered program = compile(text);
  CHECK(count_nodes(program.module, "while") == 1);
  CHECK(count_nodes(program.module, "call") == 0);
  CHECK(results(text, {integer(100'000), integer(0)}) == Numbers{0});
}

TEST_CASE("a loop of tail calls may stand in the body of a map") {
  CHECK(results("main :: Vec n Int -> Vec n Int\nmain xs = map (\\x -> steps x 0) xs\n  where\n"
                "    steps x k\n      | x == 1 = k\n"
                "      | even x = steps (x `div` 2) (k + 1)\n"
                "      | otherwise = steps (3 * x + 1) (k + 1)\n",
                {integers({1, 2, 3, 27})}) == Numbers{0, 1, 7, 111});
  CHECK(results("main :: Vec n Int -> Vec n Int\nmain xs = map (\\x -> if prime x 2 then 1 else 0) "
                "xs\n  where\n    prime x d = x < d * d || (x `mod` d /= 0 && prime x (d + 1))\n",
                {integers({2, 9, 17, 25, 31})}) == Numbers{1, 0, 1, 0, 1});
}

TEST_CASE("a loop of tail calls keeps arrays and gives arrays") {
  CHECK(results("main :: Int -> Vec n Int -> Vec n Int\nmain k xs = go k xs\n  where\n"
                "    go i ys = if i == 0 then map (+ k) ys else go (i - 1) (map (* 2) ys)\n",
                {integer(3), integers({1, 2})}) == Numbers{11, 19});
}

TEST_CASE("tail calls at other sizes and between functions stay calls in constant depth") {
  CHECK(results("sumUp :: Vec n Int -> Int -> Int\nsumUp xs acc\n  | n == 0 = acc\n"
                "  | otherwise = sumUp (tail xs) (acc + head xs)\n"
                "main :: Vec n Int -> Int\nmain xs = sumUp xs 0\n",
                {integers({1, 2, 3})}) == Numbers{6});
  CHECK(results("main :: Int -> Int\nmain n = if isEven n then 1 else 0\n  where\n"
                "    isEven 0 = True\n    isEven k = isOdd (k - 1)\n"
                "    isOdd 0 = False\n    isOdd k = isEven (k - 1)\n",
                {integer(100'001)}) == Numbers{0});
}

TEST_CASE("local recursive functions capture") {
  const std::string text =
      "main :: Vec n Int -> Int -> (Int, Int, Int)\n"
      "main xs m = (fact m, hanoi m, walk 0)\n  where\n"
      "    table = map (* m) xs\n"
      "    fact k = if k <= 1 then 1 else k * fact (k - 1)\n"
      "    hanoi 0 = 0\n    hanoi k = hanoi (k - 1) + m + hanoi (k - 1)\n"
      "    walk i = if i >= length xs then 0 else table ! i + sub (i + 1)\n"
      "    sub i = if i >= length xs then 1 else 2 * table ! i + walk (i + 1)\n";
  CHECK(results(text, {integers({1, 2, 3, 4}), integer(3)}) == Numbers{6, 21, 48});
}

TEST_CASE("a local function in a recursive one captures its arguments") {
  CHECK(results("outer :: Int -> Vec n Int -> Int\nouter k xs = if k == 0 then 0 else inner 2\n"
                "  where\n    inner i = if i == 0 then outer (k - 1) xs\n"
                "              else inner (i - 1) + k * (xs ! 0)\n"
                "main :: Vec n Int -> Int\nmain xs = outer 3 xs\n",
                {integers({5, 7})}) == Numbers{60});
}

TEST_CASE("a signature of a local function lets it call itself at other sizes") {
  CHECK(results("main :: Vec n Int -> Int\nmain xs = go xs\n  where\n    go :: Vec m Int -> Int\n"
                "    go ys\n      | m == 0 = 0\n      | m == 1 = ys ! 0 * n\n"
                "      | otherwise = go (take h ys) + go (drop h ys)\n"
                "      where\n        h = m `div` 2\n",
                {integers({1, 2, 3, 4, 5})}) == Numbers{75});
}

TEST_CASE("results of unknown size: quicksort") {
  CHECK(results("quick :: Vec n Int -> Vec ? Int\nquick xs\n  | length xs <= 1 = xs\n"
                "  | otherwise = quick (filter (< p) rest) ++ [p] ++ quick (filter (>= p) rest)\n"
                "  where\n    p = head xs\n    rest = tail xs\n"
                "main :: Vec n Int -> Vec ? Int\nmain xs = quick xs\n",
                {integers({3, 1, 2, 5, 4, 3})}) == Numbers{1, 2, 3, 3, 4, 5});
}

TEST_CASE("recursive functions take functions") {
  CHECK(results("myFold :: (b -> a -> b) -> b -> Vec n a -> b\nmyFold f z xs\n"
                "  | length xs == 0 = z\n  | otherwise = myFold f (f z (head xs)) (tail xs)\n"
                "main :: Vec n Int -> Int -> (Int, Int)\n"
                "main xs k = (myFold (+) 0 xs, myFold (\\a x -> a * k + x) 1 xs)\n",
                {integers({1, 2, 3}), integer(10)}) == Numbers{6, 1123});
  CHECK(
      results("foldTree :: (a -> a -> a) -> (Int -> a) -> Int -> Int -> a\n"
              "foldTree f leaf d i\n  | d == 0 = leaf i\n"
              "  | otherwise = f (foldTree f leaf (d - 1) (2 * i)) (foldTree f leaf (d - 1) (2 * i "
              "+ 1))\n"
              "main :: Int -> Vec n Int -> Int\n"
              "main d xs = foldTree (\\a b -> a * 3 + b) (\\i -> xs ! (i `mod` n)) d 1\n",
              {integer(2), integers({1, 2})}) == Numbers{1 * 9 + 2 * 3 + 3 * 1 + 2});
}

TEST_CASE("recursive functions give functions") {
  CHECK(results("compose :: Int -> (a -> a) -> a -> a\n"
                "compose n f = if n == 0 then id else f . compose (n - 1) f\n"
                "main :: Int -> Int -> Int\nmain n m = compose n (\\x -> x * m + 1) 1\n",
                {integer(3), integer(2)}) == Numbers{15});
}

TEST_CASE("branches choose functions, also in tuples, records and Maybe") {
  const std::string text =
      "data Op = Op { run :: Int -> Int, weight :: Int }\n"
      "main :: Bool -> Int -> (Int, Int, Int)\n"
      "main c a = (run op a * weight op, snd pair (fst pair 1), use (if c then Just (+ a) else "
      "Nothing))\n"
      "  where\n"
      "    op = if c then Op { run = (* 2), weight = 1 } else Op { run = (+ 1), weight = 2 }\n"
      "    pair = if c then ((+ 10), (* 10)) else ((* 3), subtract 1)\n"
      "    use (Just f) = f 1\n    use Nothing = 0\n";
  const Tensor yes = Tensor::of_scalar(Scalar::of_bool(true));
  const Tensor no = Tensor::of_scalar(Scalar::of_bool(false));
  CHECK(results(text, {yes, integer(5)}) == Numbers{10, 110, 6});
  CHECK(results(text, {no, integer(5)}) == Numbers{12, 2, 0});
}

TEST_CASE("a function that would have to exist at run time is an error with both places") {
  const std::string grows = error_of(
      "go :: Int -> (Int -> Int) -> Int\n"
      "go n k = if n == 0 then k 1 else go (n - 1) (\\r -> k (r * n))\n"
      "main :: Int -> Int\nmain n = go n id\n");
  CHECK(grows.find("function-at-run-time") != std::string::npos);
  CHECK(grows.find("the function is made here") != std::string::npos);
  CHECK(error_of("main :: Int -> Int\nmain k = (fs ! k) 3\n  where\n    fs = [(+ 1), (* 2)]\n")
            .find("this is stored while the program runs") != std::string::npos);
}

TEST_CASE("recursion at ever new types is an error with the chain") {
  const std::string errors = error_of(
      "nest :: Eq a => Int -> a -> Int\n"
      "nest n x = if n == 0 then 0 else 1 + nest (n - 1) (x, x)\n"
      "main :: Int -> Int\nmain n = nest n n\n");
  CHECK(errors.find("growing-types") != std::string::npos);
  CHECK(errors.find("`Int`, then `(Int, Int)`") != std::string::npos);
}

TEST_CASE("long chains of one operator") {
  const auto chain = [](const std::string& part, const std::string& op, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part + op;
    return text;
  };
  CHECK(results("main :: Int -> Int\nmain x = if " + chain("x > 0", " && ", 20'000) +
                    "x `div` x == 1 then 1 else 0\n",
                {integer(0)}) == Numbers{0});
  CHECK(results("main :: Int -> Int\nmain x = if " + chain("x > 0", " || ", 20'000) +
                    "x == 0 then 1 else 0\n",
                {integer(0)}) == Numbers{1});
  CHECK(results("main :: Int -> Int\nmain x = " + chain("negate", " $ ", 20'001) + "x\n",
                {integer(5)}) == Numbers{-5});
  CHECK(results("main :: Int -> Int\nmain x = (" + chain("(+ 1)", " . ", 20'000) + "(* 2)) x\n",
                {integer(5)}) == Numbers{20'010});
  CHECK(results("main :: Int -> Int\nmain x = sum (" + chain("[x]", " ++ ", 600) + "[1])\n",
                {integer(5)}) == Numbers{3001});
}
