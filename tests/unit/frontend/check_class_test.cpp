// Classes and instances: inferred contexts, what is refused.
#include <doctest/doctest.h>

#include "tests/unit/frontend/check_program.hpp"

using namespace dvm::test;

namespace {

const std::string shape =
    "class Shape a where\n  area :: a -> Double\n  grow :: Double -> a -> a\n  double :: a -> a\n"
    "  double = grow 2\n";

}  // namespace

TEST_CASE("classes: contexts are inferred, small, and of superclasses only once") {
  const std::string text = shape +
                           "class Shape a => Solid a where\n  volume :: a -> Double\n"
                           "f x = area (double x)\n"
                           "g x = area x + volume x\n"
                           "h x y = (area x, y + 1)\n";
  CHECK(type_of(text, "f") == "Shape a => a -> Double");
  CHECK(type_of(text, "g") == "Solid a => a -> Double");
  CHECK(type_of(text, "h") == "(Shape a, Num b) => a -> b -> (Double, b)");
  CHECK(type_of(text, "double") == "Shape a => a -> a");
}

TEST_CASE("classes: instances settle what their contexts ask for") {
  const std::string text =
      "class Add a where\n  add :: a -> a -> a\n"
      "instance Add Int where\n  add = (+)\n"
      "instance Add a => Add (Vec n a) where\n  add = zipWith add\n"
      "instance (Add a, Add b) => Add (a, b) where\n  add (a, b) (c, d) = (add a c, add b d)\n"
      "f xs y = add xs [(y, 1 :: Int)]\n"
      "g m = add m (transpose m)\n"
      "h x = add x 1\n"
      "k = add 1 2\n";
  CHECK(type_of(text, "f") == "Add a => Vec 1 (a, Int) -> a -> Vec 1 (a, Int)");
  CHECK(type_of(text, "g") == "Add a => Mat n n a -> Mat n n a");
  CHECK(type_of(text, "h") == "(Num a, Add a) => a -> a");
  CHECK(type_of(text, "k") == "Int");
}

TEST_CASE("classes: an instance is chosen by types; then its sizes must agree") {
  const std::string text =
      "class Square a where\n  side :: a -> Int\n"
      "instance Square (Mat n n a) where\n  side _ = n\n"
      "class Wide a where\n  wide :: a -> Int\n"
      "instance Wide (Vec 3 a) where\n  wide _ = 3\n";
  CHECK(type_of(text + "f m = side m\ng :: Mat k k Int -> Int\ng m = f m\n", "g") ==
        "Mat k k Int -> Int");
  CHECK(codes(text + "g :: Mat k l Int -> Int\ng m = side m\n") == "size-mismatch@10:12");
  CHECK(codes(text + "g = wide [1, 2]\n") == "size-mismatch@9:10");
  CHECK(type_of(text + "g m = wide m + length m\n", "g") == "Vec 3 a -> Int");
}

TEST_CASE("classes: constraints on types that are no variables") {
  const std::string text =
      "class Conv a where\n  conv :: a -> Int\n"
      "instance Conv (Maybe Int) where\n  conv m = fromMaybe 3 m\n";
  CHECK(type_of(text + "f x = conv (Just x)\n", "f") == "Conv (Maybe a) => a -> Int");
  CHECK(type_of(text + "f :: Conv (Maybe a) => a -> Int\nf x = conv (Just x)\ng = f 3\n", "g") ==
        "Int");
  CHECK(codes(text + "f :: Conv (Maybe a) => a -> Int\nf x = conv (Just x)\ng = f True\n") ==
        "no-instance@7:5");
  CHECK(codes(text + "f :: a -> Int\nf x = conv (Just x)\n") == "no-instance@6:13");
  CHECK(codes(text + "f = conv Nothing\n") == "ambiguous-type@5:5");
  CHECK(codes("f :: Num Bool => Int\nf = 1\n") == "no-instance@1:10");
  CHECK(codes("f :: Num Int => Int\nf = 1\n") == "");
  // What is given comes before instances, which may ask for more.
  CHECK(codes("f :: Eq (Vec n a) => Vec n a -> Bool\nf xs = xs == xs\ng = f [1]\n") == "");
  CHECK(codes("f :: Eq (Vec n a) => Vec n a -> Bool\nf xs = xs == xs\ng = f [id]\n") ==
        "no-instance@3:5");
}

TEST_CASE(
    "classes: a local signature may ask for more of a variable around it, where it is there") {
  const std::string text = "f :: a -> a -> Bool\nf x y = go x\n  where\n";
  CHECK(codes(text + "    go :: Eq a => a -> Bool\n    go z = z == y\n") == "no-instance@2:9");
  CHECK(codes("f :: Eq a => a -> a -> Bool\nf x y = go x\n  where\n"
              "    go :: Eq a => a -> Bool\n    go z = z == y\n") == "");
}

TEST_CASE("classes: defaulting is Int, then Double, whatever the other classes") {
  const std::string text =
      "class Show' a where\n  show' :: a -> Int\n"
      "instance Show' Double where\n  show' _ = 2\n";
  CHECK(type_of(text + "f = show' 1\n", "f") == "Int");
  CHECK(type_of(text + "f = show' 1.5\n", "f") == "Int");
  CHECK(codes(text + "f = show' (minBound + 1)\n") == "ambiguous-type@5:21");
  CHECK(codes("class D a where\n  d :: a\n  e :: a -> Int\nf = e d\n") == "ambiguous-type@4:7");
}

TEST_CASE("classes: what an instance must and must not define") {
  CHECK(codes(shape + "instance Shape Int where\n  area _ = 1\n") == "missing-method@6:10");
  CHECK(codes(shape + "instance Shape Int where\n  area _ = 1\n  grow _ x = x\n  volume _ = 3\n") ==
        "not-a-method@9:3");
  CHECK(codes("data P = P Int\ninstance Num P where\n  P a + P b = P (a + b)\n") ==
        "missing-method@2:10");
  CHECK(codes("data P = P Int\ninstance Eq P where\n") == "missing-method@2:10");
  CHECK(codes("data P = P Int\ninstance Ord P where\n  P a <= P b = a <= b\n") ==
        "missing-superclass@2:10");
  CHECK(codes(shape + "instance Shape Int where\n  area x = x\n  grow _ x = x\n") ==
        "type-mismatch@7:12");
  CHECK(codes("class C a where\n  {-# MINIMAL f | g #-}\n  f, g :: a -> Int\n  f = g\n  g = f\n"
              "instance C Int where\n") == "missing-method@6:10");
}

TEST_CASE("classes: one instance for each type") {
  CHECK(codes(shape + "instance Shape Int where\n  area _ = 1\n  grow _ x = x\n"
                      "instance Shape Int where\n  area _ = 1\n  grow _ x = x\n") ==
        "overlapping-instances@9:10");
  const std::string any = "class C a where\n  c :: a -> Int\n  c _ = 1\n";
  CHECK(codes(any + "instance C (Vec n a) where\ninstance C (Mat n m Int) where\n") ==
        "overlapping-instances@5:10");
  CHECK(codes(any + "instance C (Vec n Int) where\ninstance C (Vec n Bool) where\n") == "");
  CHECK(codes(any + "instance C (Vec 2 Int) where\ninstance C (Vec 3 Int) where\n") ==
        "overlapping-instances@5:10");
  CHECK(codes(any + "instance C a where\ninstance C Int where\n") == "overlapping-instances@5:10");
  CHECK(codes("instance Eq (Vec n a) where\n  x == y = True\n") == "overlapping-instances@1:10");
  CHECK(codes("instance Num Int where\n  x + y = x\n") == "overlapping-instances@1:10");
  CHECK(codes("data P = P Int deriving (Eq)\ninstance Eq P where\n  P a == P b = a == b\n") ==
        "overlapping-instances@1:26");
}

TEST_CASE("classes: heads and declarations that make no sense") {
  const std::string any = "class C a where\n  c :: a -> Int\n  c _ = 1\n";
  CHECK(codes(any + "instance C (a, a) where\n") == "bad-instance@4:12");
  CHECK(codes(any + "instance Num a => C a where\n") == "bad-instance@4:19");
  CHECK(codes(any + "instance C (Vec ? a) where\n") == "bad-instance@4:12");
  CHECK(codes(any + "instance D Int where\n") == "unknown-name@4:10");
  CHECK(codes(any + "instance Maybe Int where\n") == "not-a-class@4:10");
  CHECK(codes("f :: Num -> Int\nf _ = 1\n") == "class-as-type@1:6");
  CHECK(codes("class C a where\n  c :: Int\n") == "ambiguous-method@2:3");
  CHECK(codes("class D a => C a where\n  c :: a\nclass C a => D a where\n  d :: a\n") ==
        "class-cycle@3:14");
  CHECK(codes("class Eq Int => C a where\n  c :: a\n") == "bad-superclass@1:10");
  CHECK(codes("class C a where\n  c :: a\n  d _ = 1\n") == "not-a-method@3:3");
}

TEST_CASE("classes: deriving asks the fields") {
  CHECK(codes("data P = P (Int -> Int) deriving (Eq)\n") == "cannot-derive@1:35");
  CHECK(codes("data Q = Q Int\ndata P = P Q deriving (Eq)\n") == "cannot-derive@2:24");
  CHECK(codes("data P = P Q deriving (Eq)\ndata Q = Q Int deriving (Eq)\n") == "");
  CHECK(codes("data P = P Q deriving (Eq)\ndata Q = Q Int\n"
              "instance Eq Q where\n  Q a == Q b = a < b\n") == "");
  CHECK(codes("data P = P Int | Q deriving (Enum)\n") == "cannot-derive@1:30");
  CHECK(codes("data P = P Int | Q deriving (Bounded)\n") == "cannot-derive@1:30");
  CHECK(codes("data P = P Int deriving (Ord)\n") == "missing-superclass@1:26");
  CHECK(type_of("data P a = P Int deriving (Eq)\nf :: P (Int -> Int) -> Bool\nf x = x == x\n",
                "f") == "P (Int -> Int) -> Bool");
}

TEST_CASE("classes: signatures in instances, names of the head in scope") {
  const std::string text =
      "class C a where\n  c :: (k :: Int) -> a -> Vec k Int\n"
      "instance C (Vec n b) where\n";
  CHECK(codes(text + "  c :: (l :: Int) -> Vec n b -> Vec l Int\n  c l _ = replicate l n\n") == "");
  CHECK(codes(text + "  c k xs = replicate k (count (const True) (xs :: Vec n b))\n") == "");
  CHECK(codes(text + "  c :: Int -> Vec n b -> Int\n  c l _ = 1\n").substr(0, 13) ==
        "type-mismatch");
}

TEST_CASE("classes: the size of a value found by its type must be settled") {
  const std::string text =
      "class Zero a where\n  zero :: a\n"
      "instance Zero Int where\n  zero = 0\n"
      "instance Zero a => Zero (Vec n a) where\n  zero = replicate n zero\n";
  CHECK(codes(text + "f = length (zero :: Vec n Int)\n") == "ambiguous-size@7:13");
  CHECK(codes(text + "f :: Vec n Int -> Vec n Int\nf xs = zipWith (+) xs zero\n") == "");
}
