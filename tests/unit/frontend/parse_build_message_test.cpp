// Every diagnostic of what follows the grammar and is wrong all the same, whole, as the user sees
// it.
#include "parse_fixture.hpp"

namespace {

struct Message {
  const char* source;
  const char* rendered;
};

// clang-format off
const Message messages[] = {
    {R"(f = x@y
)",
     R"(t.dvm:1:5: error: `@` belongs to patterns, not to expressions [as-pattern-in-expression]
  |
1 | f = x@y
  |     ^
  help: to index an array, write `xs ! i`
)"},
    {R"(f = [a | g x <- xs]
)",
     R"(t.dvm:1:10: error: what stands before `<-` must be a pattern [bad-pattern]
  |
1 | f = [a | g x <- xs]
  |          ^~~ not a pattern
  help: patterns are made of constructors, names and literals
)"},
    {R"(f ~x = 1
)",
     R"(t.dvm:1:3: error: lazy patterns are not supported [lazy-pattern]
  |
1 | f ~x = 1
  |   ^
  help: leave out the `~`: a `let` or `where` binding is evaluated only where it is used
)"},
    {R"(f x = 1
f x y = 2
)",
     R"(t.dvm:2:1: error: this clause of `f` has 2 arguments, the first has 1 argument [clause-arity]
  |
1 | f x = 1
  | - 1 argument
2 | f x y = 2
  | ^ 2 arguments
  help: all clauses of a function have the same number of arguments
)"},
    {R"(f = 1
g = 2
f = 3
)",
     R"(t.dvm:3:1: error: `f` is defined twice [duplicate-definition]
  |
1 | f = 1
  | - first defined here
  :
3 | f = 3
  | ^ defined again here
)"},
    {R"(f x = 1
g = 2
f y = 3
)",
     R"(t.dvm:3:1: error: `f` is defined twice [duplicate-definition]
  |
1 | f x = 1
  | - first defined here
  :
3 | f y = 3
  | ^ defined again here
  note: clauses of one function must follow each other directly
)"},
    {R"(f :: Int
f :: Int
f = 1
)",
     R"(t.dvm:2:1: error: `f` has two type signatures [duplicate-signature]
  |
1 | f :: Int
  | - first here
2 | f :: Int
  | ^ again here
)"},
    {R"(f (x + y) = 1
)",
     R"(t.dvm:1:6: error: `+` is not a constructor [operator-in-pattern]
  |
1 | f (x + y) = 1
  |      ^ patterns are made of constructors, names and literals
)"},
    {R"(f x + y * z = 1
)",
     R"(t.dvm:1:9: error: an equation defines one operator [bad-equation]
  |
1 | f x + y * z = 1
  |         ^ a second operator
  help: put parentheses around the arguments
)"},
    {R"(f 1 x = 2
1 2 = 3
)",
     R"(t.dvm:2:1: error: only a constructor can be applied in a pattern [bad-pattern]
  |
2 | 1 2 = 3
  | ^ not a constructor
  help: a pattern of several parts needs parentheses or commas
)"},
    {R"(f "a" = 1
)",
     R"(t.dvm:1:3: error: a string cannot be a pattern [string-in-pattern]
  |
1 | f "a" = 1
  |   ^~~
  help: strings occur only in `error` and `assert`
)"},
    {R"(f x :: Int
f = 1
)",
     R"(t.dvm:1:1: error: a type signature needs a plain name before `::` [bad-signature]
  |
1 | f x :: Int
  | ^~~ not a name
  help: arguments belong into the type: `f :: Double -> Double`
)"},
    {R"(infixl 12 +
)",
     R"(t.dvm:1:8: error: the precedence 12 does not exist [bad-precedence]
  |
1 | infixl 12 +
  |        ^~ precedences go from 0 to 9
)"},
    {R"(newtype T = A | B
)",
     R"(t.dvm:1:9: error: the newtype `T` needs one constructor with one field [invalid-newtype]
  |
1 | newtype T = A | B
  |         ^
  help: use `data`
)"},
    {R"(class C (Vec n a)
)",
     R"(t.dvm:1:9: error: a class has one type variable [bad-class]
  |
1 | class C (Vec n a)
  |         ^~~~~~~~~ expected a type variable
)"},
    {R"(f :: Vec (n ^ 2) a
f = 1
)",
     R"(t.dvm:1:13: error: `^` is not an operator on sizes [bad-size-operator]
  |
1 | f :: Vec (n ^ 2) a
  |             ^ sizes are made with `+`, `-`, `*` and `/`
)"},
    {R"(f :: Vec (k :: Int) a
f = 1
)",
     R"(t.dvm:1:10: error: `(name :: Int)` can only be a parameter of a function type [misplaced-size-binder]
  |
1 | f :: Vec (k :: Int) a
  |          ^~~~~~~~~~
  help: write `(k :: Int) -> …`
)"},
    {R"(f :: (2 :: Int) -> a
f = 1
)",
     R"(t.dvm:1:7: error: only a name can be bound to an argument [bad-size-binder]
  |
1 | f :: (2 :: Int) -> a
  |       ^ expected a name before `::`
)"},
    {R"(f :: Vec 99999999999999999999 a
f = 1
)",
     R"(t.dvm:1:10: error: the size 99999999999999999999 is larger than 2^63 - 1 [size-too-large]
  |
1 | f :: Vec 99999999999999999999 a
  |          ^~~~~~~~~~~~~~~~~~~~
)"},
    {R"(f :: a => b
f = 1
)",
     R"(t.dvm:1:6: error: this is not a class constraint [bad-context]
  |
1 | f :: a => b
  |      ^ expected a class and one type, like `Num a`
)"},
    {R"(f = [1, 2, 3 .. 4]
)",
     R"(t.dvm:1:14: error: a range has one or two values before `..` [bad-range]
  |
1 | f = [1, 2, 3 .. 4]
  |              ^~
  help: write `[a .. b]` or `[a, b .. c]`
)"},
    {R"(f = r {}
)",
     R"(t.dvm:1:7: error: a record update needs at least one field [empty-update]
  |
1 | f = r {}
  |       ^~
)"},
    {R"(f = 1
import Foo
)",
     R"(t.dvm:2:1: error: imports stand before all declarations [import-after-declaration]
  |
1 | f = 1
  | ----- the first declaration
2 | import Foo
  | ^~~~~~~~~~ too late
  help: move it up, below the module header

t.dvm:2:8: error: there is no module `Foo` [module-not-found]
  |
2 | import Foo
  |        ^~~ not found
  note: looked at Foo.dvm
  help: name its root folder with `-I`
)"},
    {R"(f = a * -b
)",
     R"(t.dvm:1:9: error: a minus cannot follow `*` [infixl 9] directly [minus-after-operator]
  |
1 | f = a * -b
  |         ^ prefix minus has precedence 6
  help: put the negative operand in parentheses:
      |
    1 | f = a * (-b)
      |         +  +
)"},
    {R"(f = (* a + b)
)",
     R"(t.dvm:1:6: error: the operand of the section of `*` [infixl 9] contains `+` [infixl 9], which binds no tighter [ambiguous-section]
  |
1 | f = (* a + b)
  |      ^ section of this operator
  |          - infixl 9
  help: put the operand in parentheses
)"},
    {R"(import A.B
)",
     R"(t.dvm:1:8: error: there is no module `A.B` [module-not-found]
  |
1 | import A.B
  |        ^~~ not found
  note: looked at A/B.dvm
  help: name its root folder with `-I`
)"},
    {R"(infix 4 ==
f = a == b == c
)",
     R"(t.dvm:2:12: error: `==` [infix 4] cannot follow itself without parentheses [ambiguous-operators]
  |
2 | f = a == b == c
  |            ^~ needs parentheses on one side
  |       -- infix 4
  help: put parentheses around the part that belongs together
)"},
};
// clang-format on

}  // namespace

TEST_CASE("messages: what reads well and means nothing") {
  for (const Message& message : messages) {
    CAPTURE(message.source);
    CHECK(parse_test::load(message.source).messages() == message.rendered);
  }
}
