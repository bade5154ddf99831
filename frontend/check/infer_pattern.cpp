// Types of patterns.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace dvm::check {

// `slot`: the parameter position whose size symbol a plain variable shares with other clauses; -1:
// none.
void Checker::check_pattern(ast::PatternId id, TypePtr type, int depth, int slot) {
  const ast::Pattern& pattern = node(id);
  pattern_types_[id] = type;
  Reason reason;
  reason.where = Where::Pattern;
  reason.span = pattern.span;
  auto bind_variable = [&](TypePtr bound) {
    BindingId binding = pattern_bindings_[id];
    if (!binding.valid()) return;
    BindingInfo& target = info(binding);
    target.type = bound;
    target.has_scheme = false;
    target.depth = depth;
    target.slot = slot;
  };
  if (std::holds_alternative<ast::VariablePattern>(pattern.node)) {
    bind_variable(type);
  } else if (auto* as = std::get_if<ast::AsPattern>(&pattern.node)) {
    bind_variable(type);
    check_pattern(as->pattern, type, depth);
  } else if (auto* bang = std::get_if<ast::BangPattern>(&pattern.node)) {
    check_pattern(bang->pattern, type, depth, slot);
  } else if (auto* paren = std::get_if<ast::ParenPattern>(&pattern.node)) {
    check_pattern(paren->pattern, type, depth, slot);
  } else if (auto* typed = std::get_if<ast::AnnotatedPattern>(&pattern.node)) {
    Scheme scheme = pattern_annotations_[id.index];
    scheme.sizes.insert(scheme.sizes.end(), scheme.unknowns.begin(), scheme.unknowns.end());
    TypePtr written = instantiate(scheme, nullptr, {pattern.span, "this annotation"});
    reason.where = Where::Annotation;
    unify_or_report(written, type, reason);
    check_pattern(typed->pattern, written, depth, slot);
  } else if (auto* literal_node = std::get_if<ast::LiteralPattern>(&pattern.node)) {
    LiteralUse use;
    use.type = type;
    use.span = pattern.span;
    use.negative = literal_node->negative;
    ClassSet mask = classes::num | classes::eq;
    if (auto* integer = std::get_if<ast::IntegerLiteral>(&literal_node->value)) {
      use.value = integer->value;
      use.text = integer->text;
      use.too_large = integer->too_large;
    } else {
      const auto& real = std::get<ast::FloatLiteral>(literal_node->value);
      use.is_float = true;
      use.real = real.value;
      use.text = real.text;
      mask |= classes::fractional;
    }
    literals_.push_back(use);
    store_.needs.push_back({pattern.span, "the literal `" + use.text + "`"});
    failure_ = {};
    if (!require(type, mask, &store_.needs.back())) {
      Failure failure = failure_;
      report_class(reason, failure);
    }
  } else if (auto* tuple = std::get_if<ast::TuplePattern>(&pattern.node)) {
    std::vector<TypePtr> parts;
    TypePtr known = TypeStore::prune(type);
    if (known->kind == Kind::Tuple && known->parts.size() == tuple->parts.size()) {
      parts = known->parts;
    } else {
      for (std::size_t i = 0; i < tuple->parts.size(); ++i)
        parts.push_back(store_.meta(level_, depth));
      if (!unify_or_report(type, store_.tuple(parts), reason))
        std::fill(parts.begin(), parts.end(), store_.error());
    }
    for (std::size_t i = 0; i < parts.size(); ++i) check_pattern(tuple->parts[i], parts[i], depth);
  } else if (auto* list = std::get_if<ast::ListPattern>(&pattern.node)) {
    TypePtr element = store_.meta(level_, depth);
    TypePtr known = TypeStore::prune(type);
    if (known->kind == Kind::Array) {
      element = known->parts[0];  // its length is compared when the pattern is matched
    } else {
      TypePtr array = store_.array(Size(static_cast<std::int64_t>(list->parts.size())), element);
      if (!unify_or_report(type, array, reason)) element = store_.error();
    }
    for (auto part : list->parts) check_pattern(part, element, depth);
  } else if (auto* constructor = std::get_if<ast::ConstructorPattern>(&pattern.node)) {
    check_constructor(id, constructor->args, type, depth);
  } else if (auto* record = std::get_if<ast::RecordPattern>(&pattern.node)) {
    check_record(id, *record, type, depth);
  }
}

void Checker::check_constructor(ast::PatternId id, const std::vector<ast::PatternId>& args,
                                TypePtr type, int depth) {
  BindingId binding = pattern_constructors_[id];
  std::vector<TypePtr> fields;
  TypePtr whole = store_.error();
  if (binding.valid() && info(binding).scheme.type) {
    whole =
        instantiate(info(binding).scheme, nullptr, {node(id).span, "`" + info(binding).name + "`"});
    for (; whole->kind == Kind::Function; whole = whole->parts[1])
      fields.push_back(whole->parts[0]);
  }
  if (binding.valid() && fields.size() != args.size()) {
    const std::string& name = info(binding).name;
    error("constructor-arity",
          "`" + name + "` has " + std::to_string(fields.size()) +
              (fields.size() == 1 ? " field" : " fields") + ", but the pattern has " +
              std::to_string(args.size()),
          node(id).span, "a pattern names every field");
  }
  Reason reason;
  reason.where = Where::Pattern;
  reason.span = node(id).span;
  unify_or_report(type, whole, reason);
  for (std::size_t i = 0; i < args.size(); ++i)
    check_pattern(args[i], i < fields.size() ? fields[i] : store_.error(), depth);
}

void Checker::check_record(ast::PatternId id, const ast::RecordPattern& record, TypePtr type,
                           int depth) {
  BindingId binding = pattern_constructors_[id];
  std::vector<TypePtr> fields;
  std::vector<std::string> names;
  TypePtr whole = store_.error();
  if (binding.valid() && info(binding).scheme.type) {
    whole =
        instantiate(info(binding).scheme, nullptr, {node(id).span, "`" + info(binding).name + "`"});
    for (; whole->kind == Kind::Function; whole = whole->parts[1])
      fields.push_back(whole->parts[0]);
    if (info(binding).data.valid())
      names = datas_[info(binding).data.index].constructors[info(binding).part].field_names;
  }
  Reason reason;
  reason.where = Where::Pattern;
  reason.span = node(id).span;
  unify_or_report(type, whole, reason);
  for (const auto& field : record.fields) {
    auto place = std::find(names.begin(), names.end(), field.field.text);
    TypePtr field_type = store_.error();
    if (place != names.end())
      field_type = fields[static_cast<std::size_t>(place - names.begin())];
    else if (binding.valid())
      unknown_name(field.field, "field", names);
    check_pattern(field.pattern, field_type, depth);
  }
}

// Whether a value of the right type may fail to match.
bool Checker::can_fail(ast::PatternId id) const {
  const ast::Pattern& pattern = node(id);
  auto any = [&](const std::vector<ast::PatternId>& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](ast::PatternId part) { return can_fail(part); });
  };
  auto single = [&] {
    BindingId binding = pattern_constructors_[id];
    if (!binding.valid() || !info(binding).data.valid()) return false;
    return datas_[info(binding).data.index].constructors.size() == 1;
  };
  if (auto* as = std::get_if<ast::AsPattern>(&pattern.node)) return can_fail(as->pattern);
  if (auto* bang = std::get_if<ast::BangPattern>(&pattern.node)) return can_fail(bang->pattern);
  if (auto* paren = std::get_if<ast::ParenPattern>(&pattern.node)) return can_fail(paren->pattern);
  if (auto* typed = std::get_if<ast::AnnotatedPattern>(&pattern.node))
    return can_fail(typed->pattern);
  if (auto* tuple = std::get_if<ast::TuplePattern>(&pattern.node)) return any(tuple->parts);
  if (std::holds_alternative<ast::LiteralPattern>(pattern.node)) return true;
  if (auto* list = std::get_if<ast::ListPattern>(&pattern.node)) {
    TypePtr type = pattern_types_[id];
    if (!type) return true;
    type = TypeStore::prune(type);
    if (type->kind != Kind::Array) return true;
    auto length = type->sizes[0].constant();
    return !length || *length != static_cast<std::int64_t>(list->parts.size()) || any(list->parts);
  }
  if (auto* constructor = std::get_if<ast::ConstructorPattern>(&pattern.node))
    return !single() || any(constructor->args);
  if (auto* record = std::get_if<ast::RecordPattern>(&pattern.node)) {
    bool fails = !single();
    for (const auto& field : record->fields) fails |= can_fail(field.pattern);
    return fails;
  }
  return false;
}

}  // namespace dvm::check
