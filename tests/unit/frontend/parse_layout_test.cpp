// The layout rule: sources beside the braces it adds.
#include "parse_fixture.hpp"

using parse_test::codes;
using parse_test::layout;

TEST_CASE("layout: blocks after where, let and of") {
  CHECK(layout("f x = y\n  where\n    y = 1\n    z = 2\ng = 1\n") ==
        "{f x = y\n  where{\n    y = 1;\n    z = 2};\ng = 1}\n");
  CHECK(layout("module M where\nf = 1\n") == "module M where{\nf = 1}\n");
  CHECK(layout("f = case x of\n  1 -> 2\n  _ -> 3\n") ==
        "{f = case x of{\n  1 -> 2;\n  _ -> 3}}\n");
  CHECK(layout("f = \\case\n  1 -> 2\n") == "{f = \\case{\n  1 -> 2}}\n");
}

TEST_CASE("layout: a let block closed by offside is not closed again by its in") {
  CHECK(layout("x = let a = 1\n        b = 2\n    in a + b\n") ==
        "{x = let{ a = 1;\n        b = 2}\n    in a + b}\n");
  CHECK(layout("x = let a = 1 in a\n") == "{x = let{ a = 1} in a}\n");
  CHECK(layout("x = let a = 1; b = 2 in let c = 3 in c\n") ==
        "{x = let{ a = 1; b = 2} in let{ c = 3} in c}\n");
  CHECK(layout("x = let {a = 1} in a\n") == "{x = let {a = 1} in a}\n");
  CHECK(layout("x = let y = let {a = 1} in a in y\n") == "{x = let{ y = let {a = 1} in a} in y}\n");
}

TEST_CASE("layout: brackets, commas and keywords close blocks on one line") {
  CHECK(layout("f = (case y of A -> 1) 2\n") == "{f = (case y of{ A -> 1}) 2}\n");
  CHECK(layout("f = [case y of A -> 1, 2]\n") == "{f = [case y of{ A -> 1}, 2]}\n");
  CHECK(layout("f = (case y of A -> 1, 2)\n") == "{f = (case y of{ A -> 1}, 2)}\n");
  CHECK(layout("f = if case x of A -> b then 1 else 2\n") ==
        "{f = if case x of{ A -> b} then 1 else 2}\n");
  CHECK(layout("f = if a then case x of A -> b else 2\n") ==
        "{f = if a then case x of{ A -> b} else 2}\n");
  CHECK(layout("f = map (\\y -> case y of A -> 1) xs\n") ==
        "{f = map (\\y -> case y of{ A -> 1}) xs}\n");
  CHECK(layout("f = case case x of A -> B of B -> 1\n") ==
        "{f = case case x of{ A -> B} of{ B -> 1}}\n");
  CHECK(layout("f = [case m of k -> k * 2 | m <- xs]\n") ==
        "{f = [case m of{ k -> k * 2} | m <- xs]}\n");
  CHECK(layout("f = [y | x <- xs, let y = x, y > 1]\n") ==
        "{f = [y | x <- xs, let{ y = x}, y > 1]}\n");
  CHECK(layout("f = [y | x <- xs, let y = x | z <- zs]\n") ==
        "{f = [y | x <- xs, let{ y = x} | z <- zs]}\n");
  CHECK(layout("f = (let a, b :: Int; a = 1; b = 2 in a, 3)\n") ==
        "{f = (let{ a, b :: Int; a = 1; b = 2} in a, 3)}\n");
}

TEST_CASE("layout: guards keep their commas and end their blocks") {
  CHECK(layout("f = [case x of y | y > 1, z -> 2]\n") == "{f = [case x of{ y | y > 1, z -> 2}]}\n");
  CHECK(layout("f x | let y = x = y\n") == "{f x | let{ y = x} = y}\n");
  CHECK(layout("f x | let y = x, y = y\n") == "{f x | let{ y = x}, y = y}\n");
  CHECK(layout("f x | case x of A -> b = 1\n") == "{f x | case x of{ A -> b} = 1}\n");
  CHECK(layout("f = case x of\n  A | let y = 1 -> y\n    | b -> 2\n") ==
        "{f = case x of{\n  A | let{ y = 1} -> y\n    | b -> 2}}\n");
  CHECK(layout("f = if | a -> case x of A -> 1 | b -> 2\n") ==
        "{f = if | a -> case x of{ A -> 1} | b -> 2}\n");
}

TEST_CASE("layout: where beside and below the alternatives") {
  CHECK(layout("f a = case a of\n  0 -> b\n  _ -> c\n  where b = 10\n        c = 20\n") ==
        "{f a = case a of{\n  0 -> b;\n  _ -> c}\n  where{ b = 10;\n        c = 20}}\n");
  CHECK(layout("f x = case x of\n  0 -> c\n    where\n      c = 7\n  n -> n * 2\n") ==
        "{f x = case x of{\n  0 -> c\n    where{\n      c = 7};\n  n -> n * 2}}\n");
  CHECK(layout("f x = x + 1\n  where\ng = f 2\n") == "{f x = x + 1\n  where{};\ng = f 2}\n");
}

TEST_CASE("layout: lines left of the alternatives carry on with the expression around") {
  CHECK(layout("f x = case x of\n    1 -> 10\n    _ -> 20\n  + 1\n") ==
        "{f x = case x of{\n    1 -> 10;\n    _ -> 20}\n  + 1}\n");
}

TEST_CASE("layout: a closing bracket in column 1 belongs to its bracket") {
  CHECK(layout("xs = [\n  1,\n  2\n]\ny = 1\n") == "{xs = [\n  1,\n  2\n];\ny = 1}\n");
  CHECK(layout("xs = [ 1\n, 2\n]\n") == "{xs = [ 1\n, 2\n]}\n");
}

TEST_CASE("layout: tabs, carriage returns, byte-order mark, comments") {
  CHECK(layout("f x = case x of\n\t0 -> 1\n        _ -> 2\n") ==
        "{f x = case x of{\n        0 -> 1;\n        _ -> 2}}\n");
  CHECK(layout("f = case x of\r\n  0 -> 1\r\n  _ -> y\r\n") ==
        "{f = case x of{\n  0 -> 1;\n  _ -> y}}\n");
  CHECK(layout("\xEF\xBB\xBF"
               "f = 1\n") == "{f = 1}\n");
  CHECK(layout("f = 1 {- a\n{- nested -} -}\n-- end") == "{f = 1}\n");
  CHECK(layout("x --> y = 1\n") == "{x --> y = 1}\n");
  CHECK(layout("x = 1 --- y\n") == "{x = 1}\n");
  CHECK(layout("") == "{}\n");
}

TEST_CASE("layout: pragmas are items, or comments where none can be") {
  CHECK(layout("{-# LANGUAGE X #-}\nmodule M where\n{-# INLINE f #-}\nf = 1\n") ==
        "module M where{\n{-# INLINE f #-};\nf = 1}\n");
  CHECK(layout("f :: a {-# BUILTIN f #-}\ng = 1\n") == "{f :: a; {-# BUILTIN f #-};\ng = 1}\n");
  CHECK(layout("f =\n  {-# SCC x #-}\n  1\n") == "{f =\n  1}\n");
}

TEST_CASE("layout: one unbalanced bracket costs one declaration") {
  CHECK(codes("f = (1 + 2\ng = 3\nh = [1\ni = 2\n") == "unclosed-bracket unclosed-bracket");
  CHECK(codes("f = 1)\ng = 3\n") == "unopened-bracket");
  CHECK(codes("f = (1]\ng = 3\n") == "mismatched-bracket");
  CHECK(codes("f = [(1]\ng = 3 +\n") == "mismatched-bracket unexpected-end");
  CHECK(codes("  f = 1\ng = 2\n") == "bad-indentation");
}
