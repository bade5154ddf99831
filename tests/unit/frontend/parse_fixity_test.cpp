// How operators group, and what cannot be grouped.
#include <variant>

#include "parse_fixture.hpp"

using namespace dvm;
using parse_test::codes;

namespace {

const std::string header =
    "infixr 9 .\ninfixr 8 ^\ninfixl 7 *, `div`\ninfixl 6 +, -\ninfixr 5 ++\ninfix 4 ==, <\ninfixr "
    "3 &&\ninfixr 0 $\n";

std::string grouped(const ast::Program& program, ast::ExprId id) {
  const auto& node = program.arena.exprs[id].node;
  auto name = [&](ast::ExprId op) {
    if (const auto* variable = std::get_if<ast::Variable>(&program.arena.exprs[op].node))
      return variable->name.text;
    return std::get<ast::Constructor>(program.arena.exprs[op].node).name.text;
  };
  if (const auto* binary = std::get_if<ast::Binary>(&node)) {
    return "(" + grouped(program, binary->lhs) + " " + name(binary->op) + " " +
           grouped(program, binary->rhs) + ")";
  }
  if (const auto* negate = std::get_if<ast::Negate>(&node))
    return "(-" + grouped(program, negate->operand) + ")";
  if (const auto* paren = std::get_if<ast::Paren>(&node)) return grouped(program, paren->inner);
  if (const auto* left = std::get_if<ast::LeftSection>(&node))
    return "(" + grouped(program, left->lhs) + " " + name(left->op) + ")";
  if (const auto* right = std::get_if<ast::RightSection>(&node))
    return "(" + name(right->op) + " " + grouped(program, right->rhs) + ")";
  if (const auto* variable = std::get_if<ast::Variable>(&node)) return variable->name.text;
  if (const auto* literal = std::get_if<ast::IntegerLiteral>(&node)) return literal->text;
  return "?";
}

// The grouping of the last declaration's right side.
std::string group_of(const std::string& text) {
  const parse_test::Loaded loaded = parse_test::load(text);
  if (!loaded.program) return loaded.messages();
  const ast::Decl& last = loaded.program->arena.decls[loaded.program->modules.back().decls.back()];
  return grouped(*loaded.program,
                 std::get<ast::FunctionDecl>(last.node).clauses[0].rhs.alternatives[0].body);
}

std::string group(const std::string& expr) { return group_of(header + "x = " + expr + "\n"); }

}  // namespace

TEST_CASE("fixity: precedence and associativity") {
  CHECK(group("a + b * c") == "(a + (b * c))");
  CHECK(group("a - b - c") == "((a - b) - c)");
  CHECK(group("a ^ b ^ c") == "(a ^ (b ^ c))");
  CHECK(group("f . g $ a + b") == "((f . g) $ (a + b))");
  CHECK(group("a == b && c < d") == "((a == b) && (c < d))");
  CHECK(group("a `div` b * c") == "((a div b) * c)");
  CHECK(group("a ++ b ++ c") == "(a ++ (b ++ c))");
  CHECK(group("a <+> b <+> c + d") == "(((a <+> b) <+> c) + d)");  // undeclared: infixl 9
  CHECK(group("n-1") == "(n - 1)");
  CHECK(group("n -1") == "(n - 1)");
}

TEST_CASE("fixity: prefix minus") {
  CHECK(group("-128") == "(-128)");
  CHECK(group("- a * b") == "(-(a * b))");
  CHECK(group("- a + b") == "((-a) + b)");
  CHECK(group("- a ^ b") == "(-(a ^ b))");
  CHECK(group("a == -1") == "(a == (-1))");
  CHECK(group("(- 1)") == "(-1)");
  CHECK(codes(header + "x = a * -b\n") == "minus-after-operator");
  CHECK(codes(header + "x = a + -b\n") == "minus-after-operator");
  CHECK(codes("infixr 6 #\nx = - a # b\n") == "ambiguous-operators");
}

TEST_CASE("fixity: sections are checked after resolution") {
  CHECK(group("(+ a * b)") == "(+ (a * b))");
  CHECK(group("(a * b +)") == "((a * b) +)");
  CHECK(group("(a - b -)") == "((a - b) -)");
  CHECK(group("(subtract 1 +)") == "(? +)");
  CHECK(group("(`div` 2)") == "(div 2)");
  CHECK(group("(2 -)") == "(2 -)");
  CHECK(codes(header + "x = (* a + b)\n") == "ambiguous-section");
  CHECK(codes(header + "x = (a + b *)\n") == "ambiguous-section");
  CHECK(codes(header + "x = (- a - b -)\n") == "");
  CHECK(codes(header + "x = (== a == b)\n") == "ambiguous-section");
}

TEST_CASE("fixity: what cannot be mixed") {
  CHECK(codes(header + "x = a == b == c\n") == "ambiguous-operators");
  CHECK(codes(header + "x = a == b < c\n") == "ambiguous-operators");
  CHECK(codes("infixl 5 #\ninfixr 5 %\nx = a # b % c\n") == "ambiguous-operators");
  CHECK(codes("infixl 10 #\n") == "bad-precedence");
}

TEST_CASE("fixity: local declarations and local names hide outer ones") {
  CHECK(group_of("infixl 6 +\ninfixl 7 #\nx = let { infixr 1 #; a # b = a } in a # b + c # d\n") ==
        "?");
  const parse_test::Loaded loaded =
      parse_test::load("infixr 1 #\nf (#) = a # b # c\ng = a # b # c\n");
  REQUIRE(loaded.program);
  const auto& decls = loaded.program->modules.back().decls;
  auto body = [&](std::size_t i) {
    return std::get<ast::FunctionDecl>(loaded.program->arena.decls[decls[i]].node)
        .clauses[0]
        .rhs.alternatives[0]
        .body;
  };
  CHECK(grouped(*loaded.program, body(1)) == "((a # b) # c)");
  CHECK(grouped(*loaded.program, body(2)) == "(a # (b # c))");
}

TEST_CASE("fixity: patterns") {
  const parse_test::Loaded loaded =
      parse_test::load("infixr 5 :+\nf (a :+ b :+ c) = a\na :* b <+> c = b\n");
  REQUIRE(loaded.program);
  CHECK(loaded.printed() == "infixr 5 :+\n\nf (a :+ b :+ c) = a\n\na :* b <+> c = b\n");
}

TEST_CASE("fixity: a chain of 100,000 operands") {
  std::string text = header + "x = 1";
  for (int i = 1; i < 100000; ++i) text += " + 1";
  const parse_test::Loaded loaded = parse_test::load(text + "\n");
  REQUIRE(loaded.program);
  const auto& decl = loaded.program->arena.decls[loaded.program->modules.back().decls.back()];
  ast::ExprId at = std::get<ast::FunctionDecl>(decl.node).clauses[0].rhs.alternatives[0].body;
  int depth = 0;
  while (const auto* binary = std::get_if<ast::Binary>(&loaded.program->arena.exprs[at].node)) {
    at = binary->lhs;
    ++depth;
  }
  CHECK(depth == 99999);  // left-deep
}
