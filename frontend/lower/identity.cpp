// Which functions are the same: by what they were made from, not by when. A recursive function is
// one graph function for each function that it is given.
#include <algorithm>

#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

namespace {

using Uses = std::vector<ast::ExprId>;

bool before(const Span& a, const Span& b) {
  return std::make_pair(a.file.index, a.begin) < std::make_pair(b.file.index, b.begin);
}

}  // namespace

// The names used in a piece of the program, in the order of the text.
std::vector<ast::ExprId> Lowerer::uses_within(Span span) {
  const auto span_of = [&](ast::ExprId id) { return arena().exprs[id].span; };
  if (uses_in_order_.empty()) {
    for (std::uint32_t i = 0; i < program_.uses.size(); ++i)
      if (program_.uses[ast::ExprId{i}]) uses_in_order_.push_back(ast::ExprId{i});
    std::stable_sort(uses_in_order_.begin(), uses_in_order_.end(),
                     [&](ast::ExprId a, ast::ExprId b) { return before(span_of(a), span_of(b)); });
  }
  auto from = std::lower_bound(
      uses_in_order_.begin(), uses_in_order_.end(), span,
      [&](ast::ExprId id, const Span& wanted) { return before(span_of(id), wanted); });
  std::vector<ast::ExprId> found;
  for (; from != uses_in_order_.end(); ++from) {
    const Span place = span_of(*from);
    if (place.file != span.file || place.begin >= span.end) break;
    if (place.end <= span.end) found.push_back(*from);
  }
  return found;
}

// The innermost frame that an expression reads a name from, as far as that matters for what the
// expression means: names of the whole program are the same everywhere.
std::uint32_t Lowerer::scope_of(ast::ExprId expr, Env* env) {
  auto [found, fresh] = names_in_.try_emplace(expr);
  if (fresh) found->second = uses_within(arena().exprs[expr].span);
  for (ast::ExprId id : found->second)
    if (program_.uses[id]->size) return env == nullptr ? 0 : env->serial;
  for (Env* frame = env; frame != nullptr; frame = frame->parent)
    for (ast::ExprId id : found->second)
      if (frame->values.contains(program_.uses[id]->binding)) return frame->serial;
  return 0;
}

// The types that type variables in scope stand for.
std::string Lowerer::types_in(Env* env) {
  std::string key;
  for (; env != nullptr; env = env->parent) {
    std::vector<std::pair<TypeVarId, TypeRef>> sorted(env->types.begin(), env->types.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [variable, type] : sorted) write_key(type, key);
  }
  return key;
}

std::string Lowerer::key_of(Lazy* lazy) {
  for (const Lazy::Found& found : lazy->found)
    if (get_if<ClosureValue>(found.value) != nullptr) return key_of(found.value);
  if (lazy->expr.valid())
    return "e" + std::to_string(lazy->expr.index) + "@" +
           std::to_string(scope_of(lazy->expr, lazy->env)) + types_in(lazy->env);
  return "z" + std::to_string(lazy->serial);
}

std::string Lowerer::key_of(const ValueRef& function) {
  const auto* closure = get_if<ClosureValue>(function);
  if (closure == nullptr) return "?";
  const Origin& origin = closure->origin;
  std::string key;
  if (origin.binding.valid()) {
    key = "b" + std::to_string(origin.binding.index) + "@" +
          std::to_string(origin.env == nullptr ? 0 : origin.env->serial) + " ";
    for (const TypeRef& type : origin.types) write_key(type, key);
  } else if (origin.expr.valid()) {
    key = "l" + std::to_string(origin.expr.index) + "@" +
          std::to_string(scope_of(origin.expr, origin.env)) + types_in(origin.env);
  } else {
    key = "n" + std::to_string(origin.serial);
  }
  for (Lazy* arg : closure->args) key += "(" + key_of(arg) + ")";
  return key;
}

// The structure of a layout with the functions in it, apart from sizes.
void Lowerer::write_layout_key(const LayoutRef& layout, std::string& key) {
  if (std::holds_alternative<ScalarLayout>(layout->node)) {
    key += 's';
  } else if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    key += '(';
    for (const LayoutRef& part : tuple->parts) write_layout_key(part, key);
    key += ')';
  } else if (const auto* data = std::get_if<DataLayout>(&layout->node)) {
    key += data->constructor ? '#' + std::to_string(*data->constructor) : std::string("#?");
    key += '<';
    for (const auto& fields : data->fields)
      for (const LayoutRef& field : fields) write_layout_key(field, key);
    key += '>';
  } else if (const auto* array = std::get_if<ArrayLayout>(&layout->node)) {
    key += '[';
    write_layout_key(array->element, key);
  } else {
    key += "f{" + key_of(std::get<FunctionLayout>(layout->node).function) + '}';
  }
}

}  // namespace dvm::lower
