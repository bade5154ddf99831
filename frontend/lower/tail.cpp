// Finding tail calls in the syntax.
#include "frontend/lower/tail.hpp"

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

class TailFinder {
 public:
  TailFinder(const typed::Program& program, BindingId binding, std::size_t arity)
      : program_(program), binding_(binding), arity_(arity) {}

  void rhs(const ast::Rhs& rhs) {
    for (const ast::Guarded& alternative : rhs.alternatives) expr(alternative.body);
  }
  TailCalls found;

 private:
  const ast::Expr& node(ast::ExprId id) const { return program_.ast->arena.exprs[id]; }
  ast::ExprId strip(ast::ExprId id) const {
    while (const auto* paren = std::get_if<ast::Paren>(&node(id).node)) id = paren->inner;
    return id;
  }
  bool is_prelude(ast::ExprId op, std::string_view name) const {
    const auto& use = program_.uses[strip(op)];
    if (!use || !use->binding.valid()) return false;
    const typed::Binding& binding = program_.bindings[use->binding];
    return binding.module == "Prelude" && binding.name == name &&
           binding.kind != typed::BindingKind::Local;
  }
  void application(ast::ExprId id, std::size_t args) {
    id = strip(id);
    while (const auto* apply = std::get_if<ast::Apply>(&node(id).node)) {
      ++args;
      id = strip(apply->fn);
    }
    const auto& use = program_.uses[id];
    if (args == arity_ && use && use->binding == binding_) found.insert(id);
  }
  void expr(ast::ExprId id) {
    // Right-nested operators and blocks may be long: no recursion along them.
    while (true) {
      id = strip(id);
      const auto& any = node(id).node;
      if (const auto* annotated = std::get_if<ast::Annotated>(&any)) {
        id = annotated->expr;
      } else if (const auto* let = std::get_if<ast::Let>(&any)) {
        id = let->body;
      } else if (const auto* choice = std::get_if<ast::If>(&any)) {
        expr(choice->then_branch);
        id = choice->else_branch;
      } else if (const auto* multi = std::get_if<ast::MultiIf>(&any)) {
        for (const ast::Guarded& alternative : multi->alternatives) expr(alternative.body);
        return;
      } else if (const auto* cases = std::get_if<ast::Case>(&any)) {
        for (const ast::Alternative& alternative : cases->alternatives) rhs(alternative.rhs);
        return;
      } else if (const auto* binary = std::get_if<ast::Binary>(&any)) {
        if (is_prelude(binary->op, "$")) return application(binary->lhs, 1);
        if (!is_prelude(binary->op, "&&") && !is_prelude(binary->op, "||")) return;
        id = binary->rhs;
      } else {
        return application(id, 0);
      }
    }
  }

  const typed::Program& program_;
  BindingId binding_;
  std::size_t arity_;
};

bool mentions_type(const TypeRef& type, SizeVarId size) {
  if (const auto* array = std::get_if<typed::ArrayType>(&type->node)) {
    for (const Size& extent : array->shape)
      if (extent.mentions(size.index)) return true;
    return mentions_type(array->element, size);
  }
  if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
    for (const TypeRef& part : tuple->parts)
      if (mentions_type(part, size)) return true;
  } else if (const auto* function = std::get_if<typed::FunctionType>(&type->node)) {
    return mentions_type(function->param, size) || mentions_type(function->result, size);
  } else if (const auto* data = std::get_if<typed::DataType>(&type->node)) {
    for (const Size& arg : data->size_args)
      if (arg.mentions(size.index)) return true;
    for (const TypeRef& arg : data->type_args)
      if (mentions_type(arg, size)) return true;
  }
  return false;
}

// The use is at the types and sizes of the function itself.
bool at_same_type(const typed::Scheme& scheme, const RecursiveType& type, const typed::Use& use) {
  for (std::size_t i = 0; i < use.type_args.size() && i < scheme.types.size(); ++i) {
    const auto* variable = std::get_if<typed::VariableType>(&use.type_args[i]->node);
    if (variable == nullptr || variable->variable != scheme.types[i]) return false;
  }
  for (std::size_t i = 0; i < use.size_args.size() && i < scheme.sizes.size(); ++i) {
    if (use.size_args[i] == Size::symbol(scheme.sizes[i].index)) continue;
    // A size that is an argument may change where nothing has it.
    bool binder = false;
    for (SizeVarId bound : type.binders) binder |= bound == scheme.sizes[i];
    if (!binder) return false;
    for (const TypeRef& param : type.params)
      if (mentions_type(param, scheme.sizes[i])) return false;
  }
  return true;
}

}  // namespace

// Recursive functions that `from` uses, directly or by others.
void Lowerer::reached_from(BindingId from, std::set<BindingId>& reached) {
  std::vector<BindingId> open{from};
  while (!open.empty()) {
    const typed::Binding& binding = program_.bindings[open.back()];
    open.pop_back();
    if (!binding.decl) continue;
    for (ast::ExprId id : uses_within(arena().decls[*binding.decl].span)) {
      const BindingId next = program_.uses[id]->binding;
      if (!next.valid() || !program_.bindings[next].recursive) continue;
      if (reached.insert(next).second) open.push_back(next);
    }
  }
}

// Null: it is no loop.
const TailCalls* Lowerer::tail_calls(BindingId id, ast::DeclId decl) {
  auto [found, fresh] = tail_calls_.try_emplace(id);
  if (!fresh) return found->second ? &*found->second : nullptr;
  const auto& function = std::get<ast::FunctionDecl>(arena().decls[decl].node);
  const std::size_t arity = function.clauses.at(0).params.size();
  const RecursiveType type = recursive_type(id, arity, {});
  if (arity == 0 || type.params.size() != arity) return nullptr;
  TailFinder finder(program_, id, arity);
  for (const ast::Clause& clause : function.clauses) finder.rhs(clause.rhs);
  for (ast::ExprId use : uses_within(arena().decls[decl].span)) {
    const typed::Use& used = *program_.uses[use];
    if (!used.binding.valid()) continue;
    if (used.binding == id) {
      if (!finder.found.contains(use) || !at_same_type(program_.bindings[id].scheme, type, used))
        return nullptr;
    } else if (program_.bindings[used.binding].recursive) {
      std::set<BindingId> reached;
      reached_from(used.binding, reached);
      if (reached.contains(id)) return nullptr;
    }
  }
  if (finder.found.empty()) return nullptr;
  return &*(tail_calls_[id] = std::move(finder.found));
}

}  // namespace dvm::lower
