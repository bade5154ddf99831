// Types of what is peculiar to arrays: literals, ranges, comprehensions, indexing.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace dvm::check {

TypePtr Checker::infer_list_literal(const ast::ArrayLiteral& array, TypePtr expected) {
  TypePtr element = fresh();
  if (expected && expected->kind == Kind::Array) {
    TypePtr known = TypeStore::prune(expected->parts[0]);
    if (store_.settled(known)) element = known;
  }
  int number = 0;
  for (ast::ExprId part : array.elements) {
    Reason reason;
    reason.where = Where::Element;
    reason.number = ++number;
    reason.span = node(part).span;
    if (number > 1) {
      reason.related = node(array.elements[0]).span;
      reason.related_text = "the first element";
    }
    check(part, element, reason);
  }
  return store_.array(Size(static_cast<std::int64_t>(array.elements.size())), element);
}

// A range whose bounds are sizes if they are Ints counts Ints unless something has said otherwise:
// `[0 .. n - 1]` for a parameter `n` without signature has n elements.
void Checker::settle_range(const ast::Range& range, TypePtr element) {
  element = TypeStore::prune(element);
  if (element->kind != Kind::Meta || range.next || !range.to) return;
  if (element->mask - scalar_classes_[static_cast<std::size_t>(ElementType::I64)]) return;
  if (size_of(range.from) && size_of(*range.to)) return;
  if (could_be_size(range.from, 200) && could_be_size(*range.to, 200)) element->link = int_type();
}

bool Checker::could_be_size(ast::ExprId id, int fuel) const {
  if (fuel <= 0) return false;
  id = strip(id);
  const ast::Expr& expr = node(id);
  if (std::holds_alternative<ast::IntegerLiteral>(expr.node)) return true;
  if (std::holds_alternative<ast::Variable>(expr.node)) {
    const Reference& reference = references_[id];
    if (reference.sort == Reference::SizeVariable) return true;
    if (reference.sort != Reference::Binding) return false;
    const BindingInfo& binding = info(BindingId{reference.id});
    return binding.value || (binding.kind == BindingKind::Local && !binding.has_scheme);
  }
  if (auto* negate = std::get_if<ast::Negate>(&expr.node))
    return could_be_size(negate->operand, fuel - 1);
  auto* binary = std::get_if<ast::Binary>(&expr.node);
  if (!binary) return false;
  std::string op = prelude_name(binary->op);
  if (op == "div") return could_be_size(binary->lhs, fuel - 1) && size_constant(binary->rhs);
  return (op == "+" || op == "-" || op == "*") && could_be_size(binary->lhs, fuel - 1) &&
         could_be_size(binary->rhs, fuel - 1);
}

bool Checker::size_constant(ast::ExprId id) const {
  auto* literal = std::get_if<ast::IntegerLiteral>(&node(strip(id)).node);
  return literal && !literal->too_large && literal->value > 0;
}

TypePtr Checker::infer_range(ast::ExprId expr, const ast::Range& range) {
  TypePtr element = infer(range.from);
  auto bound = [&](ast::ExprId part) {
    Reason reason;
    reason.where = Where::RangeBound;
    reason.span = node(part).span;
    reason.related = node(range.from).span;
    reason.related_text = "where the range starts";
    check(part, element, reason);
  };
  if (range.next) bound(*range.next);
  if (range.to) bound(*range.to);
  store_.needs.push_back({node(expr).span, "this range"});
  Reason reason;
  reason.where = Where::RangeBound;
  reason.span = node(range.from).span;
  failure_ = {};
  TypePtr known = TypeStore::prune(element);
  if (known->kind == Kind::Meta && known->mask.contains(typed::builtin_class::fractional)) {
    known->link = store_.scalar(ElementType::F64);  // no type of class Fractional has ranges
  }
  ClassSet needed = classes::enumeration;
  if (!range.to) needed |= classes::bounded;
  if (!require(element, needed, &store_.needs.back())) {
    Failure failure = failure_;
    report_class(reason, failure);
  }
  settle_range(range, element);
  if (!range.next && range.to) {
    auto from = size_of(range.from), to = size_of(*range.to);
    if (from && to) return store_.array(*to - *from + Size(1), element);
  }
  Symbol symbol = unknown("the unknown length of this range", node(expr).span);
  opened_[expr].push_back(symbol);
  return store_.array(Size::symbol(symbol), element);
}

// Infers the qualifiers of one branch and gives the number of elements it draws; none when a guard
// or a pattern filters or a generator depends on another.
std::optional<Size> Checker::infer_branch_size(const std::vector<ast::Qualifier>& qualifiers,
                                               int outer) {
  std::optional<Size> total = Size(1);
  for (const ast::Qualifier& qualifier : qualifiers) {
    auto* generator = std::get_if<ast::Generator>(&qualifier);
    if (!generator) {
      if (std::holds_alternative<ast::Guard>(qualifier)) total.reset();
      infer_guard(qualifier);
      continue;
    }
    TypePtr source = TypeStore::prune(infer(generator->source));
    if (source->kind != Kind::Array) {
      TypePtr array = store_.array(store_.size_meta(level_, depth_), fresh());
      Reason reason;
      reason.where = Where::Generator;
      reason.span = node(generator->source).span;
      source =
          unify_or_report(array, source, reason) ? array : store_.array(Size(0), store_.error());
    }
    Size length = store_.zonk(source->sizes[0]);
    length.symbols([&](Symbol symbol) {
      const SizeSymbol& entry = store_.symbols[symbol];
      if (entry.kind != SymbolKind::Meta && entry.depth > outer) total.reset();
    });
    if (total) total = *total * length;
    ++depth_;  // what is drawn differs from element to element
    check_pattern(generator->pattern, source->parts[0], depth_);
    if (can_fail(generator->pattern)) total.reset();
  }
  return total;
}

TypePtr Checker::infer_comprehension(ast::ExprId expr, const ast::Comprehension& comprehension,
                                     TypePtr expected) {
  int outer = depth_;
  std::optional<Size> length;
  Span first;
  int deepest = outer;
  for (const auto& branch : comprehension.branches) {
    depth_ = outer;
    std::optional<Size> own = infer_branch_size(branch, outer);
    deepest = std::max(deepest, depth_);
    Span place = node(expr).span;
    if (!branch.empty())
      if (auto* generator = std::get_if<ast::Generator>(&branch[0]))
        place = node(generator->source).span;
    if (own && length) {
      Reason reason;
      reason.where = Where::Parallel;
      reason.span = place;
      reason.related = first;
      reason.related_text = "the first generator";
      Reason saved = std::move(reason_);
      reason_ = reason;
      failure_ = {};
      if (!unify_sizes(*length, *own)) {
        Failure failure = failure_;
        report_sizes(reason, nullptr, nullptr, failure.expected_size, failure.actual_size);
      }
      reason_ = std::move(saved);
    } else if (own) {
      length = own;
      first = place;
    }
  }
  depth_ = std::max(deepest, outer + 1);
  TypePtr element = nullptr;
  if (expected && expected->kind == Kind::Array) {
    TypePtr known = TypeStore::prune(expected->parts[0]);
    if (store_.settled(known)) {
      Reason reason;
      reason.where = Where::Expression;
      reason.span = node(comprehension.body).span;
      check(comprehension.body, known, reason);
      element = known;
    }
  }
  if (!element) element = infer(comprehension.body);
  depth_ = outer;
  bool irregular = false;
  store_.each_symbol(element, false, [&](Symbol symbol) {
    const SizeSymbol& entry = store_.symbols[symbol];
    if (entry.kind != SymbolKind::Unknown || entry.depth <= outer || irregular) return;
    irregular = true;
    report_irregular(store_.array(Size(0), element), symbol, comprehension.body);
  });
  if (irregular) element = store_.error();
  lower_depth(element, outer);
  if (!length) {
    Symbol symbol = unknown("the unknown length of this comprehension", node(expr).span);
    opened_[expr].push_back(symbol);
    length = Size::symbol(symbol);
  }
  return store_.array(*length, element);
}

// ---- indexing
// `array ! index`: as soon as enough is known of both. With `last_chance` the usual
// case is assumed.
bool Checker::try_index(IndexWant& want, bool last_chance) {
  TypePtr array = TypeStore::prune(want.array), index = TypeStore::prune(want.index);
  if (array->kind == Kind::Error || index->kind == Kind::Error) {
    TypePtr result = TypeStore::prune(want.result);
    if (result->kind == Kind::Meta) result->link = store_.error();
    return true;
  }
  Reason reason;
  reason.where = Where::Index;
  reason.span = want.span;
  if (index->kind == Kind::Meta) {
    bool number = (index->mask - (classes::eq | classes::ord)).any();
    bool vector = array->kind == Kind::Array &&
                  TypeStore::prune(array->parts[0])->kind != Kind::Array &&
                  TypeStore::prune(array->parts[0])->kind != Kind::Meta;
    bool guess = last_chance && array->kind == Kind::Array && (vector || index->mask.any());
    if (!number && !guess) return false;
    unify_or_report(int_type(), index, reason);
    index = int_type();
  }
  std::size_t count = index->kind == Kind::Tuple ? index->parts.size() : 1;
  if (index->kind == Kind::Tuple) {
    for (TypePtr part : index->parts) unify_or_report(int_type(), part, reason);
  } else {
    unify_or_report(int_type(), index, reason);
  }
  if (array->kind == Kind::Meta) {
    // An array of as many dimensions as there are indices, at least.
    if (!last_chance) return false;
    TypePtr type = store_.meta(array->level, array->depth);
    for (std::size_t i = 0; i < count; ++i)
      type = store_.array(store_.size_meta(array->level, array->depth), type);
    unify_or_report(array, type, reason);
    array = TypeStore::prune(array);
  }
  TypePtr rest = array;
  for (std::size_t i = 0; i < count; ++i) {
    rest = TypeStore::prune(rest);
    if (rest->kind == Kind::Meta) {
      TypePtr row = store_.array(store_.size_meta(rest->level, rest->depth),
                                 store_.meta(rest->level, rest->depth));
      unify_or_report(rest, row, reason);
      rest = row;
    }
    if (rest->kind == Kind::Error) break;
    if (rest->kind != Kind::Array) {
      report_index(array, count, i, want.span);
      rest = store_.error();
      break;
    }
    rest = rest->parts[0];
  }
  unify_or_report(want.result, rest, reason);
  return true;
}

void Checker::retry_indices(std::size_t mark, bool last_chance) {
  if (indices_.size() <= mark) return;
  bool progress = true;
  while (progress) {
    progress = false;
    std::size_t kept = mark;
    for (std::size_t i = mark; i < indices_.size(); ++i) {
      IndexWant want = indices_[i];
      // Variables of what surrounds a finished group may still be found.
      auto open_outside = [&](TypePtr type) {
        type = TypeStore::prune(type);
        return type->kind == Kind::Meta && type->level <= level_ && level_ > 0;
      };
      bool wait = last_chance && (open_outside(want.array) || open_outside(want.index));
      if (try_index(want, last_chance && !wait)) {
        progress = true;
        continue;
      }
      if (last_chance && !wait) {
        error("ambiguous-index", "it is not settled what is indexed here, and by what", want.span,
              "an array and an `Int`, or a tuple of them?");
        TypePtr result = TypeStore::prune(want.result);
        if (result->kind == Kind::Meta) result->link = store_.error();
        continue;
      }
      if (wait) {
        // What the index gives hangs on them, so it is not this group's to generalise or default.
        lower_level(want.index, level_);
        lower_level(want.result, level_);
      }
      indices_[kept++] = want;
    }
    indices_.resize(kept);
  }
}

}  // namespace dvm::check
