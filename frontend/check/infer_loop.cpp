// Loops whose state changes its size from step to step (a frontier): `until done step start` where
// an annotation in `start`, or of the whole loop, gives the state a `?`. The step is then a
// function from a state of one unknown size to a state of any size, and the result has a size of
// its own.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace dvm::check {

namespace {

// Positions of the arguments of a loop of the Prelude; -1: it has none.
struct LoopForm {
  const char* name;
  int done, step, state, array;
  bool element_first;  // the step takes the element before the state
};
constexpr LoopForm loop_forms[] = {
    {"iterateN", -1, 1, 2, -1, false}, {"until", 0, 1, 2, -1, false}, {"foldl", -1, 0, 1, 2, false},
    {"foldl'", -1, 0, 1, 2, false},    {"foldr", -1, 0, 1, 2, true},
};

const LoopForm* find_loop(const std::string& name) {
  for (const LoopForm& form : loop_forms)
    if (name == form.name) return &form;
  return nullptr;
}

}  // namespace

bool Checker::is_loop(const std::string& name) const { return find_loop(name) != nullptr; }

// The annotations with a `?` that the parts of a state have.
void Checker::open_annotations(ast::ExprId expr, std::vector<ast::ExprId>& found) const {
  expr = strip(expr);
  const auto& syntax = node(expr).node;
  if (std::holds_alternative<ast::Annotated>(syntax)) {
    auto scheme = expr_annotations_.find(expr.index);
    if (scheme != expr_annotations_.end() && !scheme->second.unknowns.empty())
      found.push_back(expr);
  } else if (auto* tuple = std::get_if<ast::Tuple>(&syntax)) {
    for (ast::ExprId part : tuple->parts) open_annotations(part, found);
  } else if (auto* record = std::get_if<ast::RecordConstruct>(&syntax)) {
    for (const auto& field : record->fields) open_annotations(field.value, found);
  } else if (std::holds_alternative<ast::Apply>(syntax)) {
    std::vector<ast::ExprId> args;
    ast::ExprId head = expr;
    for (; auto* apply = std::get_if<ast::Apply>(&node(head).node); head = strip(apply->fn))
      args.push_back(apply->arg);
    if (!std::holds_alternative<ast::Constructor>(node(head).node)) return;
    for (ast::ExprId arg : args) open_annotations(arg, found);
  }
}

// The type with other symbols for these sizes.
TypePtr Checker::with_sizes(TypePtr type, const std::vector<Symbol>& symbols,
                            const std::function<Size(Symbol)>& other) {
  for (Symbol symbol : symbols) store_.symbols[symbol].replacement = other(symbol);
  TypePtr result = store_.substitute(type);
  for (Symbol symbol : symbols) store_.symbols[symbol].replacement.reset();
  return result;
}

// The type of the state before the first step, and its sizes that may change.
TypePtr Checker::infer_state(ast::ExprId state, const Scheme* annotation, const Reason& reason,
                             std::vector<Symbol>& changing) {
  if (annotation) {
    Scheme inner = *annotation;
    inner.sizes.insert(inner.sizes.end(), annotation->unknowns.begin(), annotation->unknowns.end());
    UseInfo own;
    TypePtr wanted = instantiate(inner, &own, {reason.span, "this annotation"});
    check(state, wanted, reason);
    // The same type with sizes of its own for the `?`.
    std::size_t known = annotation->sizes.size();
    for (std::size_t i = 0; i < annotation->types.size(); ++i)
      store_.variables[annotation->types[i]].replacement = own.type_args[i];
    for (std::size_t i = 0; i < known; ++i)
      store_.symbols[inner.sizes[i]].replacement = own.size_args[i];
    for (std::size_t i = known; i < inner.sizes.size(); ++i) {
      changing.push_back(unknown("the unknown size of the annotation", reason.span));
      store_.symbols[inner.sizes[i]].replacement = Size::symbol(changing.back());
    }
    TypePtr type = store_.substitute(annotation->type);
    for (std::uint32_t id : annotation->types) store_.variables[id].replacement = nullptr;
    for (Symbol symbol : inner.sizes) store_.symbols[symbol].replacement.reset();
    return type;
  }
  TypePtr type = infer(state);
  std::vector<ast::ExprId> annotated;
  open_annotations(state, annotated);
  for (ast::ExprId expr : annotated)
    for (Symbol symbol : opened_[expr])
      if (store_.mentions(type, symbol)) changing.push_back(symbol);
  return type;
}

// A loop with a `?` in its state; null when it is none. `applications` are its partial
// applications, the outermost first; only the array of a fold may be missing.
TypePtr Checker::infer_frontier(ast::ExprId head, const std::vector<ast::ExprId>& applications,
                                const Scheme* annotation) {
  const LoopForm* form = find_loop(prelude_name(head));
  if (!form) return nullptr;
  const bool open = form->array == 2 && applications.size() == 2;
  if (applications.size() != 3 && !open) return nullptr;
  std::vector<ast::ExprId> args;
  for (std::size_t i = applications.size(); i-- > 0;)
    args.push_back(std::get<ast::Apply>(node(applications[i]).node).arg);
  auto arg = [&](int position) { return args[static_cast<std::size_t>(position)]; };
  std::vector<ast::ExprId> annotated;
  open_annotations(arg(form->state), annotated);
  if (!annotation && annotated.empty()) return nullptr;
  auto reason_of = [&](int position) {
    Reason reason;
    reason.where = Where::Argument;
    reason.span = node(arg(position)).span;
    reason.name = form->name;
    reason.number = position + 1;
    return reason;
  };
  std::vector<Symbol> changing;
  TypePtr state = infer_state(arg(form->state), annotation, reason_of(form->state), changing);

  // Inside, the sizes are deeper than everything around: nothing outside may depend on them.
  ++depth_;
  std::string during = "the size of the state of `" + std::string(form->name) + "` at a step";
  std::vector<Symbol> at_step, after_step;
  TypePtr before = with_sizes(state, changing, [&](Symbol symbol) {
    at_step.push_back(unknown(during, store_.symbols[symbol].span));
    store_.symbols[at_step.back()].changes = true;
    return Size::symbol(at_step.back());
  });
  TypePtr after = with_sizes(state, changing, [&](Symbol symbol) {
    after_step.push_back(unknown("the size after a step", store_.symbols[symbol].span));
    return Size::symbol(after_step.back());
  });
  TypePtr fn = infer(head);
  std::vector<TypePtr> params;
  for (TypePtr at = fn; at->kind == Kind::Function; at = at->parts[1])
    params.push_back(at->parts[0]);
  if (params.size() < 3) {
    --depth_;
    return store_.error();
  }
  auto param = [&](int position) { return params[static_cast<std::size_t>(position)]; };
  unify_or_report(param(form->state), before, reason_of(form->state));
  for (int position = 0; position < static_cast<int>(args.size()); ++position)
    if (position != form->state && position != form->step && position != form->done)
      check(arg(position), param(position), reason_of(position));
  TypePtr step = store_.function(before, after, {}, after_step);
  if (form->array >= 0) {
    TypePtr element = TypeStore::prune(TypeStore::prune(param(form->array))->parts[0]);
    step = form->element_first
               ? store_.function(element, store_.function(before, after, {}, after_step))
               : store_.function(before, store_.function(element, after, {}, after_step));
  }
  check(arg(form->step), step, reason_of(form->step));
  if (form->done >= 0)
    check(arg(form->done), store_.function(before, bool_type()), reason_of(form->done));
  --depth_;
  std::vector<Symbol> at_end;
  TypePtr result = with_sizes(state, changing, [&](Symbol symbol) {
    at_end.push_back(
        unknown("the unknown size of the state after `" + std::string(form->name) + "`",
                store_.symbols[symbol].span));
    return Size::symbol(at_end.back());
  });
  if (open)  // the size is another one for each array
    result = store_.function(param(form->array), result, {}, at_end);
  else
    opened_[applications[0]] = at_end;
  for (ast::ExprId application : applications) expr_types_[application] = result;
  return result;
}

}  // namespace dvm::check
