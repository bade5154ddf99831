// Parse trees to syntax, inside frontend/parse only. One Builder per file; split by construct into
// build_decl.cpp, build_module.cpp, build_type.cpp, build_pattern.cpp, build_expr.cpp,
// build_name.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/parse/fixity.hpp"
#include "frontend/parse/tree.hpp"

namespace dvm::parse {

class Builder {
 public:
  Builder(const LaidOut& source, ast::Arena& arena, FixityScopes& scopes, Chains& chains,
          Diagnostics& out);

  // The scope of the module's top level.
  ScopeId root() const { return root_; }
  void header(DvmParser::FileHeaderContext* tree, ast::Module& module);
  void item(DvmParser::TopItemContext* tree, ast::Module& module);
  // After the last item: groups clauses into functions.
  void finish(ast::Module& module);

 private:
  // One equation, before adjacent ones are grouped.
  struct Equation {
    bool is_function = false;
    ast::Name name;  // of a function
    ast::Clause clause;
    ast::PatternId pattern;        // otherwise
    std::vector<ast::Name> names;  // that the pattern binds
  };
  struct RawDecl {
    std::optional<Equation> equation;
    ast::Decl decl;  // otherwise
    Span span;
    std::string doc;
  };

  // ------------------------------------------------ places, names, literals (build_name.cpp)
  Span span_of(const antlr4::ParserRuleContext* tree) const;
  Span span_of(antlr4::tree::TerminalNode* node) const;
  std::string text_of(antlr4::tree::TerminalNode* node) const;
  const Lexeme& lexeme_of(antlr4::tree::TerminalNode* node) const;
  ast::Name simple_name(
      const antlr4::ParserRuleContext* tree) const;  // of a rule that is one token
  ast::Name name_at(Span span) const;
  ast::Name bracketed_name(const antlr4::ParserRuleContext* tree) const;  // var, qvar, con, qcon
  ChainOperator operator_of(const antlr4::ParserRuleContext* tree) const;
  ast::IntegerLiteral integer(Span span);
  ast::FloatLiteral floating(Span span);
  std::string string_value(Span span);
  std::string doc_before(const antlr4::ParserRuleContext* tree) const;
  std::string doc_at(std::size_t lexeme) const;
  Diagnostic& report(Span span, std::string code, std::string message, std::string label = "",
                     std::string help = "");
  void flush();

  // ------------------------------------------------ types (build_type.cpp)
  ast::QualifiedType qualified_type(DvmParser::QualifiedTypeContext* tree);
  ast::TypeId type(DvmParser::TypeContext* tree);
  ast::TypeId size_or_type(DvmParser::OpTypeContext* tree);
  ast::TypeId applied_type(DvmParser::AppTypeContext* tree);
  ast::TypeId atomic_type(DvmParser::AtypeContext* tree);
  ast::TypeId parens_type(DvmParser::TypeParensContext* tree);
  std::optional<ast::Name> size_binder(DvmParser::OpTypeContext* tree, ast::TypeId& param);
  std::vector<ast::Constraint> context(ast::TypeId type);
  void constraint(ast::TypeId type, std::vector<ast::Constraint>& into);
  ast::TypeId push_type(decltype(ast::Type::node) node, Span span);

  // ------------------------------------------------ patterns (build_pattern.cpp)
  ast::PatternId pattern(DvmParser::PatternContext* tree);
  ast::PatternId op_pattern(DvmParser::OpPatternContext* tree);
  ast::PatternId pattern_chain(const std::vector<DvmParser::AppPatternContext*>& operands,
                               const std::vector<DvmParser::PatternOpContext*>& operators);
  ast::PatternId app_pattern(DvmParser::AppPatternContext* tree);
  ast::PatternId apply_pattern(const std::vector<DvmParser::ApatternContext*>& parts);
  ast::PatternId apattern(DvmParser::ApatternContext* tree);
  ast::PatternId atom_pattern(DvmParser::AtomPatternContext* tree);
  ast::PatternId literal_pattern(DvmParser::LiteralContext* tree);
  ast::PatternId push_pattern(decltype(ast::Pattern::node) node, Span span);
  std::vector<ast::PatternId> apatterns(const std::vector<DvmParser::ApatternContext*>& trees,
                                        std::size_t from);
  // Patterns that were read as expressions: before `<-`.
  ast::PatternId pattern_of(DvmParser::ExprContext* tree);
  ast::PatternId pattern_of(DvmParser::OpExprContext* tree);
  ast::PatternId pattern_of(DvmParser::UnaryExprContext* tree);
  ast::PatternId pattern_of(DvmParser::AexprContext* tree);
  ast::PatternId pattern_of(DvmParser::PrimaryContext* tree);
  ast::PatternId not_a_pattern(Span span);
  ast::PatternId variable_pattern(ast::Name name, Span span);

  // ------------------------------------------------ expressions (build_expr.cpp, build_block.cpp)
  ast::ExprId expr(DvmParser::ExprContext* tree);
  ast::ExprId op_expr(DvmParser::OpExprContext* tree);
  void fill_chain(DvmParser::OpExprContext* tree, ExprChain& chain);
  ast::ExprId unary(DvmParser::UnaryExprContext* tree);
  ast::ExprId operand(DvmParser::OperandContext* tree);
  ast::ExprId let_in(DvmParser::LetInContext* tree);
  ast::ExprId lambda(DvmParser::LambdaContext* tree);
  ast::ExprId application(DvmParser::ApplicationContext* tree);
  ast::ExprId aexpr(DvmParser::AexprContext* tree);
  ast::ExprId primary(DvmParser::PrimaryContext* tree);
  ast::ExprId literal(DvmParser::LiteralContext* tree);
  ast::ExprId parens(DvmParser::ParensContext* tree);
  ast::ExprId tuple_section(const std::vector<ast::ExprId>& parts, Span span);
  ast::ExprId section(DvmParser::ParensContext* tree, DvmParser::ExprContext* inner,
                      ChainOperator op);
  ast::ExprId right_section(DvmParser::RightSectionContext* tree);
  ast::ExprId brackets(DvmParser::BracketsContext* tree);
  ast::ExprId operator_name(ChainOperator op, Span span);
  ast::ExprId push_expr(decltype(ast::Expr::node) node, Span span);
  std::vector<ast::Qualifier> qualifiers(DvmParser::QualifiersContext* tree);
  ast::Qualifier qualifier(DvmParser::QualifierContext* tree);
  std::vector<ast::Alternative> alternatives(DvmParser::AltBlockContext* tree);
  ast::Alternative alternative(DvmParser::AlternativeContext* tree);
  template <class Tree>  // GuardedArrowContext, GuardedEquationContext
  ast::Guarded guarded(Tree* tree);
  ast::Rhs rhs(DvmParser::RhsContext* tree);

  // ------------------------------------------------ declarations (build_decl.cpp,
  // build_clause.cpp)
  RawDecl raw_decl(DvmParser::DeclContext* tree);
  RawDecl binding_decl(DvmParser::BindingDeclContext* tree);
  ast::Decl signature(DvmParser::BindingDeclContext* tree, DvmParser::SignatureContext* binding);
  Equation equation(DvmParser::OpPatternContext* lhs, DvmParser::EquationContext* binding);
  bool infix_clause(DvmParser::OpPatternContext* lhs, Equation& result);
  bool prefix_clause(const std::vector<DvmParser::ApatternContext*>& parts, Equation& result);
  ast::Decl fixity_decl(DvmParser::FixityDeclContext* tree);
  ast::Decl pragma(Span span);
  // Fixities go to `fixities`; the names defined are bound there too, unless they are methods.
  std::vector<ast::DeclId> block(DvmParser::DeclBlockContext* tree, ScopeId fixities,
                                 bool methods = false);
  std::vector<ast::DeclId> group(std::vector<RawDecl> raw, ScopeId fixities, bool methods);
  void add_clause(ast::FunctionDecl& function, Equation equation);
  void check_duplicates(const std::vector<RawDecl>& raw);
  void bind_pattern_names(ScopeId scope, std::size_t since);
  RawDecl data_decl(DvmParser::DataDeclContext* tree);
  ast::ConstructorDecl constructor(DvmParser::ConstructorContext* tree);
  RawDecl type_synonym(DvmParser::TypeSynonymContext* tree);
  RawDecl class_decl(DvmParser::ClassDeclContext* tree);
  RawDecl instance_decl(DvmParser::InstanceDeclContext* tree);

  // ------------------------------------------------ modules (build_module.cpp)
  void import_decl(DvmParser::ImportDeclContext* tree, ast::Module& module);
  ast::ImportItem entity(DvmParser::EntityContext* tree);

  const LaidOut& source_;
  ast::Arena& arena_;
  FixityScopes& scopes_;
  Chains& chains_;
  Diagnostics& out_;
  ScopeId root_;
  ScopeId scope_;                 // where the construct being built looks up fixities
  std::vector<ast::Name> bound_;  // by the patterns built so far, innermost construct last
  std::vector<RawDecl> top_;
  std::optional<Diagnostic> pending_;  // the report being filled in
};

}  // namespace dvm::parse
