// Types of names, applications, operators and sections.
#include <utility>

#include "frontend/check/checker.hpp"
#include "frontend/check/mend.hpp"

namespace dvm::check {

ast::ExprId Checker::strip(ast::ExprId expr) const {
  while (auto* paren = std::get_if<ast::Paren>(&node(expr).node)) expr = paren->inner;
  return expr;
}

// How messages call the function that is applied: its name, or nothing.
std::string Checker::head_name(ast::ExprId head) const {
  head = strip(head);
  for (;;) {
    auto* apply = std::get_if<ast::Apply>(&node(head).node);
    if (!apply) break;
    head = strip(apply->fn);
  }
  if (auto* variable = std::get_if<ast::Variable>(&node(head).node)) return variable->name.text;
  if (auto* constructor = std::get_if<ast::Constructor>(&node(head).node))
    return constructor->name.text;
  return "";
}

// The name, when the expression is one of the Prelude's.
std::string Checker::prelude_name(ast::ExprId expr) const {
  expr = strip(expr);
  const Reference& reference = references_[expr];
  if (reference.sort != Reference::Binding) return "";
  const BindingInfo& binding = info(BindingId{reference.id});
  return binding.module == "Prelude" ? binding.name : "";
}

TypePtr Checker::instantiate(const Scheme& scheme, UseInfo* use, const Need& need) {
  if (scheme.types.empty() && scheme.sizes.empty() && scheme.context.empty()) return scheme.type;
  const Need* shared = nullptr;
  for (std::uint32_t id : scheme.types) {
    TypeVariable& variable = store_.variables[id];
    TypePtr meta = fresh();
    meta->mask = variable.mask;
    if (variable.mask) {
      if (!shared) {
        store_.needs.push_back(need);
        shared = &store_.needs.back();
      }
      meta->need = shared;
    }
    variable.replacement = meta;
    if (use) use->type_args.push_back(meta);
  }
  for (Symbol symbol : scheme.sizes) {
    Size meta = store_.size_meta(level_, depth_, need.span);
    store_.symbols[symbol].replacement = meta;
    if (use) use->size_args.push_back(meta);
  }
  TypePtr type = store_.substitute(scheme.type);
  std::vector<Constraint> context;
  for (const Constraint& constraint : scheme.context)
    context.push_back({constraint.of, store_.substitute(constraint.type)});
  for (std::uint32_t id : scheme.types) store_.variables[id].replacement = nullptr;
  for (Symbol symbol : scheme.sizes) store_.symbols[symbol].replacement.reset();
  if (!context.empty()) require_context(context, need);
  return type;
}

// Constraints on types that are no variables: they wait until the types are known.
void Checker::require_context(const std::vector<Constraint>& context, const Need& need) {
  store_.needs.push_back(need);
  for (const Constraint& constraint : context) {
    Reason reason;
    reason.span = need.span;
    wanted_.push_back({constraint.type, constraint.of, &store_.needs.back(), reason});
  }
}

TypePtr Checker::instantiate(ast::ExprId expr, BindingId id) {
  BindingInfo& binding = info(id);
  if (binding.reported) return store_.error();
  uses_.emplace_back();
  UseInfo& use = uses_.back();
  use.binding = id;
  use_index_[expr] = static_cast<std::int32_t>(uses_.size() - 1);
  Span span = node(expr).span;
  if (binding.kind == BindingKind::Builtin && binding.name == "!") {
    TypePtr array = fresh(), index = fresh(), result = fresh();
    use.type_args = {array, index, result};
    indices_.push_back({array, index, result, span, level_, depth_});
    return store_.function(array, store_.function(index, result));
  }
  if (binding.has_scheme) {
    if (!binding.scheme.type) return store_.error();
    return instantiate(binding.scheme, &use, {span, "`" + binding.name + "`"});
  }
  if (!binding.type)
    binding.type = store_.meta(level_, depth_);  // in a cycle that has been reported
  if (binding.is_function) recursive_uses_.emplace_back(use_index_[expr], id);
  return binding.type;
}

TypePtr Checker::infer_variable(ast::ExprId expr) {
  const Reference& reference = references_[expr];
  switch (reference.sort) {
    case Reference::Binding:
      return instantiate(expr, BindingId{reference.id});
    case Reference::SizeVariable: {
      uses_.emplace_back();
      uses_.back().size = reference.id;
      use_index_[expr] = static_cast<std::int32_t>(uses_.size() - 1);
      return int_type();
    }
    case Reference::Hole:
      return infer_hole(expr);
    default:
      return store_.error();
  }
}

// The type as a function; an error is reported when it cannot be one.
TypePtr Checker::expect_function(TypePtr fn, ast::ExprId head, int number, Span arg_span) {
  fn = TypeStore::prune(fn);
  if (fn->kind == Kind::Function || fn->kind == Kind::Error) return fn;
  if (fn->kind == Kind::Meta && (fn->mask & classes::num) && number == 1) {
    Diagnostic diagnostic;
    diagnostic.code = "not-a-function";
    diagnostic.message = "a number is applied to an argument like a function";
    diagnostic.span = node(head).span;
    diagnostic.label = "this is a number";
    const Span before{arg_span.file, arg_span.begin, arg_span.begin};
    diagnostic.suggestions.push_back({"to multiply, write `*`", {{before, "* "}}, true});
    out_.add(std::move(diagnostic));
    return store_.error();
  }
  if (fn->kind == Kind::Meta) {
    TypePtr function =
        store_.function(store_.meta(fn->level, fn->depth), store_.meta(fn->level, fn->depth));
    Reason reason;
    reason.span = node(head).span;
    unify_or_report(fn, function, reason);
    return function;
  }
  std::string name = head_name(head);
  std::string subject = name.empty() ? "this expression" : "`" + name + "`";
  if (number == 1) {
    error("not-a-function", subject + " is no function, but is applied to an argument",
          node(head).span, "this is no function");
  } else {
    std::string count = number == 2 ? "1 argument" : std::to_string(number - 1) + " arguments";
    error("too-many-arguments", subject + " takes " + count + ", but is given more", arg_span,
          "one argument too many");
  }
  return store_.error();
}

// Checks one argument; `arg_type` is its type when it has been inferred already.
void Checker::check_argument(TypePtr fn, ast::ExprId arg, TypePtr arg_type, const Reason& reason) {
  if (arg_type)
    unify_or_report(fn->parts[0], arg_type, reason);
  else
    check(arg, fn->parts[0], reason);
  if (fn->sizes.empty()) return;
  std::optional<Size> size = size_of(arg);
  if (!size) {
    Symbol symbol = unknown("the value of this argument", node(arg).span);
    opened_[arg].push_back(symbol);
    size = Size::symbol(symbol);
  }
  Reason outer = std::move(reason_);
  reason_ = reason;
  failure_ = {};
  if (!unify_sizes(fn->sizes[0], *size)) {
    Failure failure = failure_;
    report_sizes(reason, nullptr, nullptr, failure.expected_size, failure.actual_size);
  }
  reason_ = std::move(outer);
}

// The result of a call: unknown sizes of it come into being.
TypePtr Checker::open_result(TypePtr fn, ast::ExprId result_expr, const std::string& name) {
  if (fn->exists.empty()) return fn->parts[1];
  for (Symbol bound : fn->exists) {
    std::string origin = name.empty() ? "an unknown size returned here"
                                      : "the unknown size returned by `" + name + "`";
    Symbol symbol = unknown(std::move(origin), node(result_expr).span);
    opened_[result_expr].push_back(symbol);
    store_.symbols[bound].replacement = Size::symbol(symbol);
  }
  TypePtr result = store_.substitute(fn->parts[1]);
  for (Symbol bound : fn->exists) store_.symbols[bound].replacement.reset();
  return result;
}

// Unknown sizes that stand for results of functions given as arguments belong to each application
// of the result when that is a function, to this value otherwise; the elements of an array cannot
// have them.
TypePtr Checker::finish_application(ast::ExprId expr, TypePtr type, std::size_t mark) {
  if (coerced_.size() <= mark) return type;
  std::vector<Symbol> mine(coerced_.begin() + static_cast<std::ptrdiff_t>(mark), coerced_.end());
  coerced_.resize(mark);
  std::erase_if(mine, [&](Symbol symbol) { return !store_.mentions(type, symbol); });
  if (mine.empty()) return type;
  type = TypeStore::prune(type);
  if (type->kind == Kind::Function) {
    std::vector<TypePtr> arrows;
    TypePtr last = type;
    for (; last->kind == Kind::Function; last = TypeStore::prune(last->parts[1]))
      arrows.push_back(last);
    for (TypePtr arrow : arrows)
      for (Symbol symbol : mine)
        if (store_.mentions(arrow->parts[0], symbol)) return type;
    TypePtr result = last;
    for (std::size_t i = arrows.size(); i-- > 0;) {
      std::vector<Symbol> exists = arrows[i]->exists;
      if (i + 1 == arrows.size()) exists.insert(exists.end(), mine.begin(), mine.end());
      std::optional<Size> size;
      if (!arrows[i]->sizes.empty()) size = arrows[i]->sizes[0];
      result = store_.function(arrows[i]->parts[0], result, size, std::move(exists));
    }
    return result;
  }
  for (Symbol symbol : mine) {
    opened_[expr].push_back(symbol);
    report_irregular(type, symbol, expr);
  }
  return type;
}

TypePtr Checker::infer_spine(ast::ExprId expr) {
  std::vector<ast::ExprId> applications;
  ast::ExprId head = expr;
  while (auto* apply = std::get_if<ast::Apply>(&node(head).node)) {
    applications.push_back(head);
    head = apply->fn;
  }
  std::size_t coerced_mark = coerced_.size(), index_mark = indices_.size();
  std::size_t errors = out_.error_count();
  if (TypePtr loop = infer_frontier(head, applications, std::exchange(loop_annotation_, nullptr))) {
    retry_indices(index_mark, false);
    loop = finish_application(expr, loop, coerced_mark);
    return out_.error_count() > errors ? store_.error() : loop;
  }
  TypePtr type = infer(head);
  std::string name = head_name(head);
  struct Delayed {
    TypePtr fn;
    ast::ExprId arg;
    Reason reason;
  };
  std::vector<Delayed>
      delayed;  // lambdas wait until the other arguments say what they are applied to
  std::vector<ast::ExprId> args;
  std::optional<Span> wrong;  // the first argument that does not fit; the others are not held to it
  auto run_delayed = [&] {
    for (Delayed& entry : delayed) {
      if (wrong)
        infer(entry.arg);
      else
        check_argument(entry.fn, entry.arg, nullptr, entry.reason);
    }
    delayed.clear();
  };
  int number = 0;
  for (std::size_t i = applications.size(); i-- > 0;) {
    ast::ExprId application = applications[i];
    ast::ExprId arg = std::get<ast::Apply>(node(application).node).arg;
    ++number;
    args.push_back(arg);
    if (TypeStore::prune(type)->kind == Kind::Meta) run_delayed();
    TypePtr fn = expect_function(type, head, number, node(arg).span);
    if (fn->kind == Kind::Error) {
      infer(arg);
      type = fn;
    } else {
      Reason reason;
      reason.where = Where::Argument;
      reason.span = node(arg).span;
      reason.name = name;
      reason.number = number;
      const ast::Expr& bare = node(strip(arg));
      bool lambda = std::holds_alternative<ast::Lambda>(bare.node) ||
                    std::holds_alternative<ast::LambdaCase>(bare.node);
      const std::size_t before = out_.error_count();
      if (wrong)
        infer(arg);
      else if (lambda)
        delayed.push_back({fn, arg, reason});
      else
        check_argument(fn, arg, nullptr, reason);
      if (!wrong && out_.error_count() > before) wrong = reason.span;
      type = open_result(fn, application, name);
    }
    expr_types_[application] = type;
  }
  run_delayed();
  if (wrong) Mend(*this).swapped(strip(head), args, *wrong);
  retry_indices(index_mark, false);
  type = finish_application(expr, type, coerced_mark);
  // After a mistake in an argument the result may be wrong too: nothing is said about it.
  return out_.error_count() > errors ? store_.error() : type;
}

}  // namespace dvm::check
