// Every diagnostic of the lexer, the layout and the grammar, whole, as the user sees it.
#include "parse_fixture.hpp"

namespace {

struct Message {
  const char* source;
  const char* rendered;
};

// clang-format off
const Message messages[] = {
    {R"(f x = g x +
)",
     R"(t.dvm:1:12: error: expected an expression after `+`, found the end of the declaration [unexpected-end]
  |
1 | f x = g x +
  |            ^ expected an expression
)"},
    {R"(f = (1 + 2
g = 3
)",
     R"(t.dvm:1:5: error: this `(` is never closed [unclosed-bracket]
  |
1 | f = (1 + 2
  |     ^ opened here
2 | g = 3
  | - a new declaration starts here
  help: add `)`
)"},
    {R"(f = 1)
)",
     R"(t.dvm:1:6: error: this `)` closes nothing [unopened-bracket]
  |
1 | f = 1)
  |      ^ no bracket is open here
)"},
    {R"(f = (1]
)",
     R"(t.dvm:1:7: error: `]` cannot close `(` [mismatched-bracket]
  |
1 | f = (1]
  |       ^ expected `)`
  |     - opened here
)"},
    {R"(f = if a then b
)",
     R"(t.dvm:1:16: error: this `if` has no `else` [missing-else]
  |
1 | f = if a then b
  |                ^ expected `else`, found the end of the declaration
  |     -- the `if` starts here
  help: every `if` has a `then` and an `else`
)"},
    {R"(f = if a
)",
     R"(t.dvm:1:9: error: this `if` has no `then` [missing-then]
  |
1 | f = if a
  |         ^ expected `then`, found the end of the declaration
  |     -- the `if` starts here
  help: write `if condition then value else value`
)"},
    {R"(f = if x = 1 then 2 else 3
)",
     R"(t.dvm:1:10: error: `=` defines a name, it does not compare [equals-in-expression]
  |
1 | f = if x = 1 then 2 else 3
  |          ^ inside an expression
  help: to compare, write `==`:
      |
    1 | f = if x == 1 then 2 else 3
      |          ~~
)"},
    {R"(f = let x = 1
)",
     R"(t.dvm:1:14: error: this `let` has no `in` [missing-in]
  |
1 | f = let x = 1
  |              ^ expected `in` after this
  |     --- the `let` starts here
  help: write `let … in …`, or put the definitions into a `where`
)"},
    {R"(f = let a = 1
          b = 2
    in a
)",
     R"(t.dvm:2:11: error: this line starts in column 11, the items of the `let` block start in column 9 [line-continues]
  |
1 | f = let a = 1
  |     --- the block starts after this
2 |           b = 2
  |           ^ so it continues the line above
  help: to start a new item, let the line start in column 9:
      |
    2 |         b = 2
)"},
    {R"(f = let a = 1
      b = 2
   c = 3
    in a
)",
     R"(t.dvm:2:7: error: this line starts in column 7, the items of the `let` block start in column 9 [block-ended]
  |
1 | f = let a = 1
  |     --- the block starts after this
2 |       b = 2
  |       ^ so it ends the block
  help: to start another item, let the line start in column 9:
      |
    2 |         b = 2
      |       ++
)"},
    {R"(f = case x
)",
     R"(t.dvm:1:11: error: this `case` has no `of` [missing-of]
  |
1 | f = case x
  |           ^ expected `of`, found the end of the declaration
  |     ---- the `case` starts here
  help: write `case value of`, then the alternatives
)"},
    {R"(f = case x of
)",
     R"(t.dvm:1:12: error: there are no alternatives after this [empty-case]
  |
1 | f = case x of
  |            ^~ expected alternatives `pattern -> expression`
  help: indent the alternatives more than the enclosing block
)"},
    {R"(f = case x of
  1 = 2
)",
     R"(t.dvm:2:5: error: an alternative of `case` has `->`, not `=` [equals-in-case]
  |
2 |   1 = 2
  |     ^ expected `->`
  help: write `->`:
      |
    2 |   1 -> 2
      |     ~~
)"},
    {R"(f = case x of
  1 -> a
  + 2
)",
     R"(t.dvm:3:3: error: a line that starts with `+` must be indented more than the items of the `of` block around it [not-indented]
  |
3 |   + 2
  |   ^ starts in column 3, like a new item
  help: indent the line:
      |
    3 |     + 2
      |   ++
)"},
    {R"(f -> 1
)",
     R"(t.dvm:1:3: error: a definition has `=`, not `->` [arrow-in-definition]
  |
1 | f -> 1
  |   ^~ expected `=`
  help: write `=`:
      |
    1 | f = 1
      |   ~
)"},
    {R"(f : Int -> Int
)",
     R"(t.dvm:1:3: error: a type follows `::`, not `:` [single-colon]
  |
1 | f : Int -> Int
  |   ^ expected `::`
  help: write `::`:
      |
    1 | f :: Int -> Int
      |   ~~
)"},
    {R"(data T = T { a : Int }
)",
     R"(t.dvm:1:16: error: a type follows `::`, not `:` [single-colon]
  |
1 | data T = T { a : Int }
  |                ^ expected `::`
  help: write `::`:
      |
    1 | data T = T { a :: Int }
      |                ~~
)"},
    {R"(f = do
  x <- y
)",
     R"(t.dvm:1:5: error: there is no `do` [no-do]
  |
1 | f = do
  |     ^~ everything is an expression
  help: name intermediate values with `let … in` or `where`
)"},
    {R"(f type = 1
)",
     R"(t.dvm:1:3: error: `type` is a reserved word and cannot be a name [reserved-word]
  |
1 | f type = 1
  |   ^~~~ reserved
  help: choose another name, for example `type'`
)"},
    {R"(f = 1
where x = 2
)",
     R"(t.dvm:2:1: error: a line that starts with `where` must be indented more than the definitions around it [not-indented]
  |
2 | where x = 2
  | ^~~~~ starts in column 1, like a new item
  help: indent the line:
      |
    2 |   where x = 2
      | ++
)"},
    {R"(f = x
  where
    data T = A
)",
     R"(t.dvm:3:5: error: `data` stands at the top level of a module only [not-top-level]
  |
3 |     data T = A
  |     ^~~~ inside a block
)"},
    {R"(f = 1 + in 2
)",
     R"(t.dvm:1:9: error: expected an expression after `+`, found `in` [unexpected-token]
  |
1 | f = 1 + in 2
  |         ^~ expected an expression
)"},
    {R"(f = [x | y <- ]
)",
     R"(t.dvm:1:15: error: expected an expression, found `]` [unexpected-token]
  |
1 | f = [x | y <- ]
  |               ^ expected an expression
  |     - in this bracket
)"},
    {R"(f = g x, y
)",
     R"(t.dvm:1:8: error: unexpected `,` [unexpected-token]
  |
1 | f = g x, y
  |        ^
)"},
    {R"(f = 12abc
)",
     R"(t.dvm:1:5: error: this is not a number [malformed-number]
  |
1 | f = 12abc
  |     ^~~~~
  help: put a space between a number and a name
)"},
    {R"(f = "abc
)",
     R"(t.dvm:1:5: error: this string has no closing quote [unterminated-string]
  |
1 | f = "abc
  |     ^~~~ a string ends on the line where it starts
  help: add `"`
)"},
    {R"(f = 'c'
)",
     R"(t.dvm:1:5: error: there are no character literals [no-characters]
  |
1 | f = 'c'
  |     ^~~
  help: strings, in `error` and `assert`, have double quotes
)"},
    {R"(f = a “b” c
)",
     R"(t.dvm:1:7: error: `“` cannot stand here [invalid-character]
  |
1 | f = a “b” c
  |       ^ not part of any name, operator or number
  help: use the straight quote `"`

t.dvm:1:9: error: `”` cannot stand here [invalid-character]
  |
1 | f = a “b” c
  |         ^ not part of any name, operator or number
  help: use the straight quote `"`
)"},
    {R"(f = 1 {- x
)",
     R"(t.dvm:1:7: error: this comment has no end [unterminated-comment]
  |
1 | f = 1 {- x
  |       ^~ opened here
  help: close it with `-}`
)"},
    {R"(f = "a\qb"
)",
     R"(t.dvm:1:7: error: this is not an escape sequence [bad-escape]
  |
1 | f = "a\qb"
  |       ^~
  help: a backslash is written `\\`
)"},
    {R"(  f = 1
g = 2
)",
     R"(t.dvm:2:1: error: this line starts in column 1, but the declarations of this file start in column 3 [bad-indentation]
  |
2 | g = 2
  | ^ left of the first declaration
  help: let all top-level declarations start in the same column
)"},
    {R"(f | !x = 1
)",
     R"(t.dvm:1:5: error: `!` cannot start an expression [bang-in-expression]
  |
1 | f | !x = 1
  |     ^
  help: negation is `not`, an index is `xs ! i`
)"},
    {R"(f = \x = 2
)",
     R"(t.dvm:1:8: error: `=` defines a name, it does not compare [equals-in-expression]
  |
1 | f = \x = 2
  |        ^ inside an expression
  help: a lambda has `->`:
      |
    1 | f = \x -> 2
      |        ~~
)"},
    {R"(f = ^
)",
     R"(t.dvm:1:6: error: expected an expression after `^`, found the end of the declaration [unexpected-end]
  |
1 | f = ^
  |      ^ expected an expression
)"},
    {R"(module M
f = 1
)",
     R"(t.dvm:1:9: error: expected `where`, found the end of the declaration [unexpected-end]
  |
1 | module M
  |         ^ expected `where`
  | ------ in this module header
)"},
    {R"(f = g x
  where
    g = 1
   h = 2
)",
     R"(t.dvm:4:4: error: this line starts in column 4, the items of the `where` block start in column 5 [block-ended]
  |
2 |   where
  |   ----- the block starts after this
  :
4 |    h = 2
  |    ^ so it ends the block
  help: to start another item, let the line start in column 5:
      |
    4 |     h = 2
      |    +
)"},
    {R"(f = 1 in 2
)",
     R"(t.dvm:1:7: error: this `in` belongs to no `let` [in-without-let]
  |
1 | f = 1 in 2
  |       ^~ no `let` is open here
)"},
    {R"(f = [x |
)",
     R"(t.dvm:1:5: error: this `[` is never closed [unclosed-bracket]
  |
1 | f = [x |
  |     ^ opened here
  note: the file ends before it is closed
  help: add `]`
)"},
    {R"(f | a -> 1
)",
     R"(t.dvm:1:7: error: a definition has `=`, not `->` [arrow-in-definition]
  |
1 | f | a -> 1
  |       ^~ expected `=`
  help: write `=`:
      |
    1 | f | a = 1
      |       ~
)"},
    {R"(f P {x} = x
)",
     R"(t.dvm:1:6: error: the field `x` is given no value or pattern [record-pun]
  |
1 | f P {x} = x
  |      ^ does not stand for `x = x`
  help: write both sides:
      |
    1 | f P {x = x} = x
      |      ~~~~~
)"},
    {R"(f y = P {x = 1, y, z = 2}
)",
     R"(t.dvm:1:17: error: the field `y` is given no value or pattern [record-pun]
  |
1 | f y = P {x = 1, y, z = 2}
  |                 ^ does not stand for `y = y`
  help: write both sides:
      |
    1 | f y = P {x = 1, y = y, z = 2}
      |                 ~~~~~
)"},
    {R"(f P {..} = x
)",
     R"(t.dvm:1:6: error: `..` does not stand for the fields of a record [record-wildcard]
  |
1 | f P {..} = x
  |      ^~ expected `field = …`
  help: name the fields that are needed: `{ x = a, y = b }`
)"},
    {R"(f = P {x = 1, ..}
)",
     R"(t.dvm:1:15: error: `..` does not stand for the fields of a record [record-wildcard]
  |
1 | f = P {x = 1, ..}
  |               ^~ expected `field = …`
  help: name the fields that are needed: `{ x = a, y = b }`
)"},
};
// clang-format on

}  // namespace

TEST_CASE("messages: what cannot be read") {
  for (const Message& message : messages) {
    CAPTURE(message.source);
    CHECK(parse_test::load(message.source).messages() == message.rendered);
  }
}
