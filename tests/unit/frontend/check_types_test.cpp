// Inferred types: Hindley-Milner, classes, defaulting, signatures.
#include <doctest/doctest.h>

#include "check_program.hpp"

using dvm::test::codes;
using dvm::test::type_of;

TEST_CASE("inference finds principal types") {
  CHECK(type_of("f x = x\n", "f") == "a -> a");
  CHECK(type_of("f x y = (y, x)\n", "f") == "a -> b -> (b, a)");
  CHECK(type_of("f x = x + 1\n", "f") == "Num a => a -> a");
  CHECK(type_of("f x = x / 2\n", "f") == "Fractional a => a -> a");
  CHECK(type_of("f x y = x < y && x == 0\n", "f") == "(Ord a, Num a) => a -> a -> Bool");
  CHECK(type_of("twice f x = f (f x)\n", "twice") == "(a -> a) -> a -> a");
  CHECK(type_of("f = \\x -> x + (1 :: Int)\n", "f") == "Int -> Int");
  CHECK(type_of("f x | x > 0 = 1\n    | otherwise = x\n", "f") == "(Ord a, Num a) => a -> a");
  CHECK(type_of("f = sum . map (* 2)\ng = f [1.5]\n", "f") == "Vec 1 Double -> Double");
}

TEST_CASE("let functions generalise, values do not") {
  CHECK(type_of("main = let i x = x in ((i i) 3, i True, fst (i (4, False)))\n", "main") ==
        "(Int, Bool, Int)");
  CHECK(type_of("f x = let pair y = (x, y) in (pair 1, pair True)\n", "f") ==
        "Num b => a -> ((a, b), (a, Bool))");
  CHECK(codes("main = let f = \\x -> x in (f (1 :: Int), f True)\n") != "");
}

TEST_CASE("numbers default to Int, then Double") {
  CHECK(type_of("main = 1 + 2\n", "main") == "Int");
  CHECK(type_of("main = 1 + 2.5\n", "main") == "Double");
  CHECK(type_of("eps = 1e-6\nf :: Float -> Bool\nf x = x < eps\n", "eps") == "Float");
}

TEST_CASE("groups are inferred together, in any order") {
  CHECK(type_of("main = (foo 4 1 10, foo 3 0.5 2.0)\n"
                "foo 0 x _ = x\nfoo n x y = x + bar (n - 1) x y\n"
                "bar 0 x _ = x\nbar n x y = y + foo (n - 1) x y\n",
                "main") == "(Int, Double)");
}

TEST_CASE("signatures are rigid") {
  CHECK(codes("swap' :: a -> b -> (a, b)\nswap' x y = (y, x)\n") != "");
  CHECK(codes("f :: a -> Int\nf x = case x of { 1 -> 10; _ -> 20 }\n") == "no-instance@2:19");
  CHECK(codes("f :: a -> a\nf x = x + x\n") == "no-instance@2:7");
  CHECK(codes("f x = let g :: b -> b\n          g y = if True then y else x\n      in g x\nmain = "
              "f 1\n") != "");
  CHECK(type_of("f :: Num a => a -> a\nf x = g x\n  where\n    g :: a -> a\n    g y = x + y\n",
                "f") == "Num a => a -> a");
}

TEST_CASE("data types, records and sums") {
  const char* shapes = "data Shape = Circle Double | Rect { w, h :: Double } deriving (Eq)\n";
  CHECK(type_of(
            std::string(shapes) + "area s = case s of\n  Circle r -> r * r\n  Rect a b -> a * b\n",
            "area") == "Shape -> Double");
  CHECK(type_of(std::string(shapes) + "f s = s { w = 2 }\n", "f") == "Shape -> Shape");
  CHECK(type_of(std::string(shapes) + "f = Rect { w = 1, h = 2 }\n", "f") == "Shape");
  CHECK(codes(std::string(shapes) + "f = Rect { w = 1 }\n") == "missing-field@2:5");
  CHECK(type_of(std::string(shapes) + "f s = (w s, s == s)\n", "f") == "Shape -> (Double, Bool)");
  CHECK(codes(std::string(shapes) + "f s = Circle 1 < s\n") != "");
  CHECK(codes("type A = B\ntype B = (A, Int)\nmain = 0\n") != "");
  CHECK(codes("data T = T T\nmain = 0\n") != "");
  CHECK(type_of("data Field n m = Field { ex :: Mat n m Double }\nf :: Field n m -> Double\nf x = "
                "ex x ! (0, n - 1)\n",
                "f") == "Field n m -> Double");
}

TEST_CASE("names") {
  CHECK(codes("f x = lenght x\n") == "unknown-name@1:7");
  CHECK(dvm::test::messages("f x = lenght x\n").find("did you mean `length`?") !=
        std::string::npos);
  CHECK(codes("f x x = x\nmain = f 1 2\n") == "duplicate-definition@1:5");
  CHECK(codes("foo = a where\n  a = 1\n  b = 2\n  a = 3\n") == "duplicate-definition@4:3");
  CHECK(codes("f :: Int -> Int\nmain = 1\n") == "missing-definition@1:1");
  CHECK(codes("x = x + 1\n") == "cyclic-value@1:1");
  CHECK(codes("main = let x = x + 1 in x\n") == "cyclic-value@1:12");
  // A module's own name wins over the Prelude's.
  CHECK(type_of("sum x = x\nmain = sum True\n", "main") == "Bool");
}

TEST_CASE("literals are in range") {
  CHECK(codes("x = 300 :: Word8\n") == "literal-out-of-range@1:5");
  CHECK(codes("x = -128 :: Int8\n") == "");
  CHECK(codes("x = -129 :: Int8\n") == "literal-out-of-range@1:5");
  CHECK(codes("x = 9.7e42 :: Float\n") == "literal-out-of-range@1:5");
}

TEST_CASE("each mistake is reported once, and checking goes on") {
  CHECK(codes("main = if True then 1 else True\n") == "no-instance@1:28");
  CHECK(codes("wrong f = (f 1, f True)\nmain = 0\n") != "");
  CHECK(codes("f :: Int -> Int\nf x = x + True\ng = lenght 3\nh = f 1.5\n") ==
        "type-mismatch@2:11 unknown-name@3:5 no-instance@4:7");
  CHECK(codes("f :: Int -> Double -> Double\nf x y = x * y\n") == "type-mismatch@2:13");
  CHECK(codes("main = \"text\"\n") == "string-type@1:8");
  CHECK(codes("f x = error \"no\"\n") == "");
}

TEST_CASE("patterns: what is missed and what is never reached") {
  CHECK(codes("f :: Int -> Int\nf x | x == 1 = x\n") == "non-exhaustive@2:1");
  CHECK(codes("f :: Bool -> Int\nf True = 1\nf False = 2\n") == "");
  CHECK(dvm::test::messages("f :: Maybe Bool -> Int\nf Nothing = 1\nf (Just True) = 2\n")
            .find("`f (Just False)` is not covered") != std::string::npos);
  CHECK(codes("f :: Int -> Int\nf _ = 1\nf 2 = 3\n") == "redundant-pattern@3:1");
}

TEST_CASE("long flat chains") {
  std::string sum = "main = 1";
  for (int i = 0; i < 100000; ++i) sum += " + 1";
  CHECK(type_of(sum + "\n", "main") == "Int");
}
