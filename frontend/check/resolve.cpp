// Binds every name of every body to its binding, before types are found: scopes of local names,
// duplicate bindings, and the groups of declarations that depend on each other.
#include "frontend/check/resolve.hpp"

#include <algorithm>

#include "frontend/check/components.hpp"

namespace dvm::check {

std::size_t ResolveWalk::open() { return checker_.local_undo_.size(); }

void ResolveWalk::close(std::size_t mark) {
  while (checker_.local_undo_.size() > mark) {
    checker_.locals_[checker_.local_undo_.back()].pop_back();
    checker_.local_undo_.pop_back();
  }
}

void ResolveWalk::push(const std::string& name, Reference reference) {
  checker_.locals_[name].push_back(reference);
  checker_.local_undo_.push_back(name);
}

void ResolveWalk::use(ast::ExprId id, const ast::Name& name, bool constructor) {
  Reference reference{Reference::Broken, 0};
  auto local = checker_.locals_.find(name.text);
  if (!constructor && name.qualifier.empty() && local != checker_.locals_.end() &&
      !local->second.empty()) {
    reference = local->second.back();
  } else if (name.text[0] == '_' && name.qualifier.empty() &&
             !checker_.scope_->own.contains(name.text)) {
    reference.sort = Reference::Hole;
    checker_.note_hole(id);
  } else if (auto binding = checker_.find_global(name, constructor)) {
    reference = {Reference::Binding, binding->index};
  }
  checker_.references_[id] = reference;
  if (reference.sort != Reference::Binding) return;
  const BindingInfo& binding = checker_.info(BindingId{reference.id});
  if (binding.list < 0) return;
  DeclList& list = checker_.lists_[static_cast<std::size_t>(binding.list)];
  if (list.current >= 0)
    list.edges[static_cast<std::size_t>(list.current)].push_back(binding.index);
}

void ResolveWalk::bind(ast::PatternId id, const ast::Name& name, Bound& bound) {
  auto first = std::find_if(bound.begin(), bound.end(),
                            [&](const auto& entry) { return entry.first == name.text; });
  if (first != bound.end()) {
    checker_.duplicate(name.text, name.span, checker_.info(first->second).span, "the variable");
    checker_.pattern_bindings_[id] = first->second;
    return;
  }
  BindingId binding = checker_.pattern_bindings_[id];
  if (!binding.valid()) {
    binding = checker_.new_binding(name.text, BindingKind::Local, name.span);
    checker_.pattern_bindings_[id] = binding;
  }
  bound.emplace_back(name.text, binding);
}

void ResolveWalk::pattern(ast::PatternId id, Bound& bound) {
  const ast::Pattern& node = checker_.node(id);
  auto constructor = [&](const ast::Name& name) {
    if (auto binding = checker_.find_global(name, true))
      checker_.pattern_constructors_[id] = *binding;
  };
  if (auto* variable = std::get_if<ast::VariablePattern>(&node.node)) {
    bind(id, variable->name, bound);
  } else if (auto* as = std::get_if<ast::AsPattern>(&node.node)) {
    bind(id, as->name, bound);
    pattern(as->pattern, bound);
  } else if (auto* tuple = std::get_if<ast::TuplePattern>(&node.node)) {
    for (auto part : tuple->parts) pattern(part, bound);
  } else if (auto* list = std::get_if<ast::ListPattern>(&node.node)) {
    for (auto part : list->parts) pattern(part, bound);
  } else if (auto* application = std::get_if<ast::ConstructorPattern>(&node.node)) {
    constructor(application->constructor);
    for (auto part : application->args) pattern(part, bound);
  } else if (auto* record = std::get_if<ast::RecordPattern>(&node.node)) {
    constructor(record->constructor);
    for (const auto& field : record->fields) pattern(field.pattern, bound);
  } else if (auto* bang = std::get_if<ast::BangPattern>(&node.node)) {
    pattern(bang->pattern, bound);
  } else if (auto* paren = std::get_if<ast::ParenPattern>(&node.node)) {
    pattern(paren->pattern, bound);
  } else if (auto* typed = std::get_if<ast::AnnotatedPattern>(&node.node)) {
    TypeNames own;
    ast::QualifiedType type{{}, typed->type};
    checker_.pattern_annotations_[id.index] = checker_.convert_signature(type, own);
    pattern(typed->pattern, bound);
  }
}

void ResolveWalk::enter(const Bound& bound) {
  for (const auto& [name, binding] : bound) push(name, {Reference::Binding, binding.index});
}

void ResolveWalk::qualifier(const ast::Qualifier& node) {
  if (auto* generator = std::get_if<ast::Generator>(&node)) {
    expr(generator->source);
    Bound bound;
    pattern(generator->pattern, bound);
    enter(bound);
  } else if (auto* let = std::get_if<ast::LetQualifier>(&node)) {
    declarations(let->decls);
  } else {
    expr(std::get<ast::Guard>(node).condition);
  }
}

void ResolveWalk::declarations(const std::vector<ast::DeclId>& decls) {
  if (decls.empty()) return;
  checker_.resolve_list(decls, false);
}

void ResolveWalk::rhs(const ast::Rhs& node) {
  std::size_t mark = open();
  declarations(node.where);
  for (const ast::Guarded& guarded : node.alternatives) {
    std::size_t inner = open();
    for (const auto& guard : guarded.guards) qualifier(guard);
    expr(guarded.body);
    close(inner);
  }
  close(mark);
}

void ResolveWalk::alternatives(const std::vector<ast::Alternative>& list) {
  for (const ast::Alternative& alternative : list) {
    std::size_t mark = open();
    Bound bound;
    pattern(alternative.pattern, bound);
    enter(bound);
    rhs(alternative.rhs);
    close(mark);
  }
}

void ResolveWalk::parts(const std::vector<ast::ExprId>& list) {
  for (ast::ExprId part : list) expr(part);
}

// Operator chains and application spines can be very long; they are walked with a list of work
// instead of recursion, operands from left to right.
void ResolveWalk::expr(ast::ExprId root) {
  std::vector<ast::ExprId> work{root};
  while (!work.empty()) {
    ast::ExprId id = work.back();
    work.pop_back();
    const ast::Expr& node = checker_.node(id);
    if (auto* binary = std::get_if<ast::Binary>(&node.node)) {
      work.push_back(binary->rhs);
      work.push_back(binary->lhs);
      work.push_back(binary->op);
    } else if (auto* apply = std::get_if<ast::Apply>(&node.node)) {
      work.push_back(apply->arg);
      work.push_back(apply->fn);
    } else if (auto* paren = std::get_if<ast::Paren>(&node.node)) {
      work.push_back(paren->inner);
    } else {
      single(id, node);
    }
  }
}

void ResolveWalk::single(ast::ExprId id, const ast::Expr& node) {
  if (auto* variable = std::get_if<ast::Variable>(&node.node)) {
    use(id, variable->name, false);
  } else if (std::holds_alternative<ast::Hole>(node.node)) {
    checker_.note_hole(id);
  } else if (auto* constructor = std::get_if<ast::Constructor>(&node.node)) {
    use(id, constructor->name, true);
  } else if (auto* negate = std::get_if<ast::Negate>(&node.node)) {
    use_negate(id, node.span);
    expr(negate->operand);
  } else if (auto* left = std::get_if<ast::LeftSection>(&node.node)) {
    expr(left->lhs);
    expr(left->op);
  } else if (auto* right = std::get_if<ast::RightSection>(&node.node)) {
    expr(right->op);
    expr(right->rhs);
  } else if (auto* lambda = std::get_if<ast::Lambda>(&node.node)) {
    std::size_t mark = open();
    Bound bound;
    for (auto param : lambda->params) pattern(param, bound);
    enter(bound);
    expr(lambda->body);
    close(mark);
  } else if (auto* lambda_case = std::get_if<ast::LambdaCase>(&node.node)) {
    alternatives(lambda_case->alternatives);
  } else if (auto* let = std::get_if<ast::Let>(&node.node)) {
    std::size_t mark = open();
    declarations(let->decls);
    expr(let->body);
    close(mark);
  } else if (auto* condition = std::get_if<ast::If>(&node.node)) {
    expr(condition->condition);
    expr(condition->then_branch);
    expr(condition->else_branch);
  } else if (auto* multi = std::get_if<ast::MultiIf>(&node.node)) {
    for (const ast::Guarded& guarded : multi->alternatives) {
      std::size_t mark = open();
      for (const auto& guard : guarded.guards) qualifier(guard);
      expr(guarded.body);
      close(mark);
    }
  } else if (auto* cases = std::get_if<ast::Case>(&node.node)) {
    expr(cases->scrutinee);
    alternatives(cases->alternatives);
  } else if (auto* tuple = std::get_if<ast::Tuple>(&node.node)) {
    parts(tuple->parts);
  } else if (auto* array = std::get_if<ast::ArrayLiteral>(&node.node)) {
    parts(array->elements);
  } else if (auto* range = std::get_if<ast::Range>(&node.node)) {
    expr(range->from);
    if (range->next) expr(*range->next);
    if (range->to) expr(*range->to);
  } else if (auto* comprehension = std::get_if<ast::Comprehension>(&node.node)) {
    resolve_comprehension(*comprehension);
  } else if (auto* annotated = std::get_if<ast::Annotated>(&node.node)) {
    TypeNames own;
    checker_.expr_annotations_[id.index] = checker_.convert_signature(annotated->type, own);
    expr(annotated->expr);
  } else if (auto* construct = std::get_if<ast::RecordConstruct>(&node.node)) {
    use(id, construct->constructor, true);
    for (const auto& field : construct->fields) expr(field.value);
  } else if (auto* update = std::get_if<ast::RecordUpdate>(&node.node)) {
    expr(update->record);
    for (const auto& field : update->fields) expr(field.value);
    if (!update->fields.empty())
      if (auto selector = checker_.find_global(update->fields[0].field, false))
        checker_.update_selectors_[id.index] = *selector;
  }
}

void ResolveWalk::use_negate(ast::ExprId id, Span span) {
  // Unary minus means the Prelude's `negate`, whatever that name means here.
  ModuleScope* prelude = checker_.module_scope("Prelude");
  if (prelude) {
    auto own = prelude->own.find("negate");
    if (own != prelude->own.end()) {
      checker_.references_[id] = {Reference::Binding, own->second.index};
      return;
    }
  }
  use(id, {"", "negate", span}, false);
}

void ResolveWalk::resolve_comprehension(const ast::Comprehension& node) {
  // The branches run side by side: none sees the names of another, the body sees all.
  std::size_t mark = open();
  std::vector<std::pair<std::string, Reference>> all;
  for (const auto& branch : node.branches) {
    std::size_t inner = open();
    for (const auto& part : branch) qualifier(part);
    for (std::size_t i = inner; i < checker_.local_undo_.size(); ++i) {
      const std::string& name = checker_.local_undo_[i];
      Reference reference = checker_.locals_[name].back();
      if (node.branches.size() > 1)
        for (const auto& [other, earlier] : all)
          if (other == name && reference.sort == Reference::Binding &&
              !(earlier.id == reference.id))
            checker_.duplicate(name, checker_.info(BindingId{reference.id}).span,
                               checker_.info(BindingId{earlier.id}).span, "the variable");
      all.emplace_back(name, reference);
    }
    close(inner);
  }
  for (const auto& [name, reference] : all) push(name, reference);
  expr(node.body);
  close(mark);
}

}  // namespace dvm::check
