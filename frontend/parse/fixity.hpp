// Operator chains and the fixities that turn them into trees.
//
// Chains are resolved after all modules are parsed, because fixities of operators may be imported.
// Method: Haskell 2010 Report, section 10.6, with two explicit stacks instead of recursion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/ast/node.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::parse {

struct Fixity {
  ast::Associativity associativity = ast::Associativity::Left;
  int precedence = 9;
};

using ScopeId = Id<struct FixityScopeTag>;

// Lexical scopes: a name bound in one hides the fixity of the same name further out.
class FixityScopes {
 public:
  ScopeId open(ScopeId parent);
  // A declaration wins over a binding in the same scope.
  void bind(ScopeId scope, const std::string& name);
  void declare(ScopeId scope, const std::string& name, Fixity fixity);
  // Names as the module's importer writes them, `+++` or `M.+++`; the scope's own names win.
  void import(ScopeId scope, const std::string& written, Fixity fixity);
  Fixity lookup(ScopeId scope, const ast::Name& name) const;
  std::optional<Fixity> imported(ScopeId scope, const std::string& written) const;
  // What the scope itself declares or binds.
  const std::map<std::string, std::optional<Fixity>>& own(ScopeId scope) const;

 private:
  struct Scope {
    ScopeId parent;
    std::map<std::string, std::optional<Fixity>> names;
    std::map<std::string, Fixity> imports;
  };
  IdVector<ScopeId, Scope> scopes_;
};

struct ChainOperator {
  ast::Name name;
  bool is_constructor = false;
};

enum class ChainKind : std::uint8_t { Whole, LeftSection, RightSection };

// operand (operator operand)*, each operand perhaps after a minus. A left section has one operator
// more at the end, a right section one more at the start.
struct ExprChain {
  ast::ExprId id;  // where the tree goes
  ScopeId scope;
  ChainKind kind = ChainKind::Whole;
  std::vector<ast::ExprId> operands;
  std::vector<Span> minuses;  // as many as operands; invalid: none
  std::vector<ChainOperator> operators;
};

struct PatternChain {
  ast::PatternId id;
  ScopeId scope;
  std::vector<ast::PatternId> operands;
  std::vector<ChainOperator> operators;
};

struct Chains {
  std::vector<ExprChain> exprs;
  std::vector<PatternChain> patterns;
};

// Errors: `ambiguous-operators`, `minus-after-operator`, `ambiguous-section`. The tree is built
// anyway.
void resolve(const Chains& chains, const FixityScopes& scopes, ast::Arena& arena, Diagnostics& out);

}  // namespace dvm::parse
