// Every construct: parsed, printed, and parsed again from the print.
#include "parse_fixture.hpp"

using parse_test::load;

namespace {

// What a declaration looks like after parsing; the print must read back to the same print.
void round(const std::string& text, const std::string& expected) {
  CAPTURE(text);
  const parse_test::Loaded first = load(text);
  CHECK(first.printed() == expected);
  if (!first.program) return;
  CHECK(load(first.printed()).printed() == expected);
}
void same(const std::string& text) { round(text, text); }

}  // namespace

TEST_CASE("syntax: types and signatures") {
  same("f :: Double -> Double\n");
  same("f, g :: (Num a, Ord a) => (n :: Int) -> Vec (n + 1) a -> Vec ?k a\n");
  same("f :: Array [n, 2 * m - 1] (a, b) -> Mat ? k a -> ()\n");
  same("f :: Vec (n / 2) a\n");
  round("f :: Vec (n `div` 2) a\n", "f :: Vec (n / 2) a\n");
  round("f :: forall a b. Num a => a -> b\n", "f :: Num a => a -> b\n");
  same("f :: (a -> b) -> M.T a\n");
  same("(<+>) :: a -> a -> a\n");
  round("f :: Eq a => Ord b => a -> b\n", "f :: (Eq a, Ord b) => a -> b\n");
}

TEST_CASE("syntax: equations") {
  same("f (Just x) 0 = x\nf _ (-1) = 2\nf x@(a, b) !y = a\n");
  same("(a, b) = c\n");
  same("Just x = c\n");
  same("x <+> y = x\n");
  same("(x <+> y) z = x\n");
  round("x `op` y = x\n", "op x y = x\n");
  same("Just x `op` Nothing = x\n");
  round("(<+>) x y = x\n", "x <+> y = x\n");
  same("(+) = f\n");
  same("f x\n  | x > 0, Just y <- g x, let z = y = z\n  | otherwise = w\n  where\n    w = 1\n");
  same("f as hiding qualified forall = as hiding qualified forall\n");
  same("whe = thenx elsex inx ofx letx iff\n");
  same("μ' = λ\n");
}

TEST_CASE("syntax: expressions") {
  same("x = f a (g b) [1, 2.5e-3, 0x1F] \"a\\n\\\"\\1\\&2\"\n");
  same("x = \\(a, b) _ -> a\n");
  same("x = if a then b else if c then d else e\n");
  same("x =\n  let a = 1\n      b = 2\n  in a + b\n");
  same("x = let a = 1 in a\n");
  same("x = case y of\n  0 -> 1\n  _ -> y\n");
  round("x = case y of { 0 | a -> 1 | b -> 2; n -> n where { m = 1 } }\n",
        "x = case y of\n  0\n    | a -> 1\n    | b -> 2\n  n -> n\n    where\n      m = 1\n");
  round("x = \\case { 0 -> 1; n -> n }\n", "x = \\case\n  0 -> 1\n  n -> n\n");
  round("x = if | a -> b | otherwise -> c\n", "x =\n  if | a -> b\n     | otherwise -> c\n");
  same("x = P { a = 1, b = r { c = 2 } }\n");
  same("x = P {}\n");
  same("f P {} = 1\nf (Q { a = b, c = 1 }) = b\n");
  same("x = [1 .. n]\n");
  same("x = [1, 3 .. n]\n");
  same("x = [a ..]\n");
  same("x = [[1, 0], [0, 1]]\n");
  same("x = []\n");
  same("x = ()\n");
  same("x = [ f a b | (a, _) <- as, let c = a, c > 1 | b <- bs ]\n");
  same("x = [ y | Just y <- ys, P { a = 1 } <- zs, -1 <- ws, q@(r :+ s) <- ts ]\n");
  same("x = [ y | (t :: Int) <- us, [a, b] <- vs, !c <- ws ]\n");
  same("x = (e :: Num a => a)\n");
  same("x = (+) (M.+) (-) (+ 1) (1 +) (`f` 2) (2 `M.f`) (subtract 1)\n");
  same("x = (,) (,,) (a,) (, b) (a,, c)\n");
  same("x = f $ \\a -> a\n");
  same("x = _ + _y\n");
  same("x = M.f M.A\n");
  same("x = a ! i + m ! (i, j)\n");
  round("x = a !i\n", "x = a ! i\n");
  same("x = -a + b\n");
}

TEST_CASE("syntax: declarations") {
  same(
      "data Shape a = Circle a | Rect { w, h :: Double, n :: a } | a :+: Int deriving (Eq, Ord)\n");
  round("data T = A !Int deriving Eq\n", "data T = A Int deriving (Eq)\n");
  same("newtype X = X (Int -> Int)\n");
  same("type Image h w = Mat h w Float\n");
  same("class Eq a => Shape a where\n  area :: a -> Double\n  area _ = 0\n");
  same("class C a\n");
  same("instance (Shape a, C a) => Shape (Vec n a) where\n  area xs = sum xs\n");
  same("infixl 6 +, `plus`\ninfix 4 ==\n");
  round("infixr +++\n", "infixr 9 +++\n");
  same("{-# INLINE f #-}\n");
  same("f :: a\n");
  same("module A.B (f, T(..), U(A, b), (+)) where\n\nf = 1\n");
  const parse_test::Loaded pragma = load("f :: a {-# BUILTIN f #-}\n");
  REQUIRE(pragma.program);
  const auto& decls = pragma.program->modules.back().decls;
  REQUIRE(decls.size() == 2);
  const auto& node = std::get<dvm::ast::PragmaDecl>(pragma.program->arena.decls[decls[1]].node);
  CHECK(node.keyword == "BUILTIN");
  CHECK(node.text == "f");
}

TEST_CASE("syntax: literals and strings") {
  const parse_test::Loaded loaded = load(
      "x = [1_000, 0b101, 0o17, 0xff, 18446744073709551615, 18446744073709551616]\ny = error "
      "\"a\\\n  \\b\\t\\x41\\66\\DEL\\^A\\955\"\n");
  REQUIRE(loaded.program);
  std::vector<std::uint64_t> values;
  bool large = false;
  for (const auto& expr : loaded.program->arena.exprs) {
    if (const auto* literal = std::get_if<dvm::ast::IntegerLiteral>(&expr.node)) {
      values.push_back(literal->value);
      large = literal->too_large;
    }
    if (const auto* string = std::get_if<dvm::ast::StringLiteral>(&expr.node))
      CHECK(string->value == "ab\tAB\x7F\x01λ");
  }
  CHECK(values == std::vector<std::uint64_t>{1000, 5, 15, 255, 18446744073709551615u, 0});
  CHECK(large);
}

TEST_CASE("syntax: doc comments belong to the declaration after them") {
  const parse_test::Loaded loaded = load(
      "-- | The module.\nmodule M where\n-- plain\n-- | One\n-- two.\nf = 1\n{-| Block. -}\ng = "
      "2\n-- not doc\nh = 3\n");
  REQUIRE(loaded.program);
  const auto& module = loaded.program->modules.back();
  auto doc = [&](std::size_t i) { return loaded.program->arena.decls[module.decls[i]].doc; };
  CHECK(module.doc == "The module.");
  CHECK(doc(0) == "One\ntwo.");
  CHECK(doc(1) == "Block.");
  CHECK(doc(2) == "");
}
