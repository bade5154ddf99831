// Unification of types: in place, with levels for generalisation (Rémy 1992) and depths that keep
// unknown sizes of a function's body from leaking into what surrounds it.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace dvm::check {

Symbol Checker::unknown(std::string origin, Span span) {
  return store_.symbol(SymbolKind::Unknown, "", std::move(origin), span, level_, depth_);
}

bool Checker::unify(TypePtr expected, TypePtr actual) {
  expected = TypeStore::prune(expected);
  actual = TypeStore::prune(actual);
  if (expected == actual || expected->kind == Kind::Error || actual->kind == Kind::Error)
    return true;
  if (expected->kind == Kind::Meta) return bind(expected, actual, true);
  if (actual->kind == Kind::Meta) return bind(actual, expected, false);
  auto mismatch = [&] {
    if (failure_.sort == Failure::None)
      failure_ = {Failure::Mismatch, expected, actual, {}, {}, {}, nullptr, nullptr};
    return false;
  };
  if (expected->kind != actual->kind) return mismatch();
  switch (expected->kind) {
    case Kind::Variable:
      return expected->id == actual->id || mismatch();
    case Kind::Scalar:
      return expected->element == actual->element || mismatch();
    case Kind::String:
      return true;
    case Kind::Function:
      return unify_functions(expected, actual);
    case Kind::Array: {
      bool same = unify(expected->parts[0], actual->parts[0]);
      if (!same && failure_.sort == Failure::Mismatch) return false;
      return unify_sizes(expected->sizes[0], actual->sizes[0]) && same;
    }
    case Kind::Tuple:
    case Kind::Data: {
      if (expected->id != actual->id || expected->parts.size() != actual->parts.size())
        return mismatch();
      bool same = true;
      for (std::size_t i = 0; i < expected->parts.size(); ++i)
        same = unify(expected->parts[i], actual->parts[i]) && same;
      for (std::size_t i = 0; i < expected->sizes.size(); ++i)
        same = unify_sizes(expected->sizes[i], actual->sizes[i]) && same;
      return same;
    }
    default:
      return true;
  }
}

// A function of a size used as a plain function has an unknown size there, and so has the result of
// one whose result is declared with `?`; two such results are one when both sides have them.
bool Checker::unify_functions(TypePtr expected, TypePtr actual) {
  bool same = unify(expected->parts[0], actual->parts[0]);
  bool sized_expected = !expected->sizes.empty(), sized_actual = !actual->sizes.empty();
  if (sized_expected && sized_actual) {
    same = unify_sizes(expected->sizes[0], actual->sizes[0]) && same;
  } else if (sized_expected || sized_actual) {
    Size size = store_.zonk((sized_expected ? expected : actual)->sizes[0]);
    auto symbol = size.as_symbol();
    if (symbol && store_.symbols[*symbol].kind == SymbolKind::Meta) {
      Symbol fresh = unknown("the size that the function is applied to", reason_.span);
      coerced_.push_back(fresh);
      store_.symbols[*symbol].solution = Size::symbol(fresh);
    }
  }
  TypePtr expected_result = expected->parts[1], actual_result = actual->parts[1];
  auto open = [&](TypePtr function, const std::function<Size(Symbol)>& with) {
    for (Symbol bound : function->exists) store_.symbols[bound].replacement = with(bound);
    TypePtr opened = store_.substitute(function->parts[1]);
    for (Symbol bound : function->exists) store_.symbols[bound].replacement.reset();
    return opened;
  };
  if (expected->exists.size() == actual->exists.size()) {
    std::size_t next = 0;
    if (!actual->exists.empty())
      actual_result = open(actual, [&](Symbol) { return Size::symbol(expected->exists[next++]); });
  } else {
    auto fresh = [&](Symbol bound) {
      SizeSymbol from = store_.symbols[bound];
      Symbol symbol = unknown(from.origin, from.span.valid() ? from.span : reason_.span);
      coerced_.push_back(symbol);
      return Size::symbol(symbol);
    };
    // What declares `?` accepts any size.
    auto any = [&](Symbol) { return store_.size_meta(level_, depth_); };
    if (!actual->exists.empty()) actual_result = open(actual, fresh);
    if (!expected->exists.empty()) expected_result = open(expected, any);
  }
  return unify(expected_result, actual_result) && same;
}

bool Checker::bind(TypePtr meta, TypePtr type, bool meta_is_expected) {
  auto fail = [&](Failure::Sort sort) {
    if (failure_.sort == Failure::None)
      failure_ = {sort,
                  meta_is_expected ? meta : type,
                  meta_is_expected ? type : meta,
                  {},
                  {},
                  {},
                  nullptr,
                  nullptr};
    return false;
  };
  if (type->kind == Kind::Meta) {
    if (type->level > meta->level || (type->level == meta->level && type->depth > meta->depth))
      std::swap(meta, type);  // the outer one stays
    type->level = std::min(type->level, meta->level);
    type->depth = std::min(type->depth, meta->depth);
    if (!type->need || meta->mask.contains(typed::builtin_class::num))
      type->need = meta->need ? meta->need : type->need;
    type->mask |= meta->mask;
    meta->link = type;
    return true;
  }
  if (type->kind == Kind::Variable && store_.variables[type->id].level > meta->level)
    return fail(Failure::Escape);
  bool ok = true;
  TypePtr adjusted = adjust(type, meta, ok);
  if (!ok) return fail(Failure::Infinite);
  if (adjusted->kind == Kind::String) {
    // Strings are no values: nothing generic may hold one.
    return fail(Failure::Mismatch);
  }
  if (meta->mask && !require(adjusted, meta->mask, meta->need)) {
    meta->link = store_.error();  // said once
    return false;
  }
  meta->link = adjusted;
  return true;
}

// The type as the meta may hold it: without the meta itself, with all metas inside at most as deep,
// and with sizes that are too deep replaced by new metas that must be found equal to them later.
TypePtr Checker::adjust(TypePtr type, TypePtr meta, bool& ok) {
  type = TypeStore::prune(type);
  if (type == meta) {
    ok = false;
    return type;
  }
  if (!type->generic) return type;
  if (type->kind == Kind::Meta) {
    type->level = std::min(type->level, meta->level);
    type->depth = std::min(type->depth, meta->depth);
    return type;
  }
  if (type->kind == Kind::Variable) {
    if (store_.variables[type->id].level > meta->level) ok = false;
    return type;
  }
  bool changed = false;
  std::vector<TypePtr> parts;
  for (TypePtr part : type->parts) {
    parts.push_back(adjust(part, meta, ok));
    changed |= parts.back() != part;
  }
  std::vector<Size> sizes;
  for (const Size& size : type->sizes) {
    Size looked = store_.zonk(size);
    bool deep = false;
    looked.symbols([&](Symbol symbol) {
      SizeSymbol& entry = store_.symbols[symbol];
      if (entry.kind == SymbolKind::Meta) {
        entry.level = std::min(entry.level, meta->level);
        entry.depth = std::min(entry.depth, meta->depth);
      } else if (entry.depth > meta->depth) {
        deep = true;
      }
    });
    if (deep) {
      Size stand_in = store_.size_meta(meta->level, meta->depth, reason_.span);
      equations_.push_back(
          {stand_in, looked, whole_expected_, whole_actual_, reason_, meta->level});
      looked = stand_in;
    }
    changed |= !(looked == size);
    sizes.push_back(looked);
  }
  if (!changed) return type;
  switch (type->kind) {
    case Kind::Array:
      return store_.array(sizes[0], parts[0]);
    case Kind::Tuple:
      return store_.tuple(std::move(parts));
    case Kind::Data:
      return store_.data(type->id, std::move(parts), std::move(sizes));
    case Kind::Function:
      return store_.function(parts[0], parts[1],
                             sizes.empty() ? std::nullopt : std::optional<Size>(sizes[0]),
                             type->exists);
    default:
      return type;
  }
}

void Checker::lower_level(TypePtr type, int level) {
  type = TypeStore::prune(type);
  if (!type->generic) return;
  if (type->kind == Kind::Meta) type->level = std::min(type->level, level);
  for (TypePtr part : type->parts) lower_level(part, level);
  for (const Size& size : type->sizes)
    store_.zonk(size).symbols([&](Symbol symbol) {
      SizeSymbol& entry = store_.symbols[symbol];
      if (entry.kind == SymbolKind::Meta) entry.level = std::min(entry.level, level);
    });
}

void Checker::lower_depth(TypePtr type, int depth) {
  type = TypeStore::prune(type);
  if (!type->generic) return;
  if (type->kind == Kind::Meta) type->depth = std::min(type->depth, depth);
  for (TypePtr part : type->parts) lower_depth(part, depth);
  for (const Size& size : type->sizes)
    store_.zonk(size).symbols([&](Symbol symbol) {
      SizeSymbol& entry = store_.symbols[symbol];
      if (entry.kind == SymbolKind::Meta) entry.depth = std::min(entry.depth, depth);
    });
}

bool Checker::unify_or_report(TypePtr expected, TypePtr actual, const Reason& reason) {
  Reason outer_reason = std::move(reason_);
  TypePtr outer_expected = whole_expected_, outer_actual = whole_actual_;
  reason_ = reason;
  whole_expected_ = expected;
  whole_actual_ = actual;
  failure_ = {};
  bool ok = unify(expected, actual);
  if (!ok) {
    Failure failure = failure_;
    report(reason, expected, actual, failure);
  }
  reason_ = std::move(outer_reason);
  whole_expected_ = outer_expected;
  whole_actual_ = outer_actual;
  return ok;
}

// The type of a value that is one of two: sizes that differ become unknown.
TypePtr Checker::join(TypePtr first, TypePtr second, Span place, const char* construct) {
  first = TypeStore::prune(first);
  second = TypeStore::prune(second);
  if (first == second || second->kind == Kind::Error) return first;
  if (first->kind == Kind::Error) return second;
  auto join_size = [&](const Size& a, const Size& b) {
    Size left = store_.zonk(a), right = store_.zonk(b);
    if (left == right) return left;
    if (solve_sizes(left, right) == Solved::Yes) return store_.zonk(left);
    Symbol symbol =
        unknown(std::string("the size of this ") + construct + ", whose branches differ", place);
    return Size::symbol(symbol);
  };
  if (first->kind == Kind::Array && second->kind == Kind::Array) {
    Size length = join_size(first->sizes[0], second->sizes[0]);
    return store_.array(length, join(first->parts[0], second->parts[0], place, construct));
  }
  bool same_head = first->kind == second->kind && first->id == second->id &&
                   first->parts.size() == second->parts.size() &&
                   (first->kind == Kind::Tuple || first->kind == Kind::Data);
  if (same_head) {
    std::vector<TypePtr> parts;
    std::vector<Size> sizes;
    for (std::size_t i = 0; i < first->parts.size(); ++i)
      parts.push_back(join(first->parts[i], second->parts[i], place, construct));
    for (std::size_t i = 0; i < first->sizes.size(); ++i)
      sizes.push_back(join_size(first->sizes[i], second->sizes[i]));
    if (first->kind == Kind::Tuple) return store_.tuple(std::move(parts));
    return store_.data(first->id, std::move(parts), std::move(sizes));
  }
  unify(first, second);  // the caller looks at failure_
  return first;
}

// The type with unsolved metas replaced by new ones of the same classes: what a branch is checked
// against whose sizes may differ from its siblings'.
TypePtr Checker::refresh(TypePtr type) {
  type = TypeStore::prune(type);
  if (!type->generic || type->kind == Kind::Variable) return type;
  if (type->kind == Kind::Meta) {
    TypePtr copy = store_.meta(level_, depth_);
    copy->mask = type->mask;
    copy->need = type->need;
    return copy;
  }
  auto refresh_size = [&](const Size& size) {
    Size looked = store_.zonk(size);
    bool meta = false;
    looked.symbols([&](Symbol symbol) { meta |= store_.symbols[symbol].kind == SymbolKind::Meta; });
    return meta ? store_.size_meta(level_, depth_) : looked;
  };
  std::vector<TypePtr> parts;
  for (TypePtr part : type->parts) parts.push_back(refresh(part));
  switch (type->kind) {
    case Kind::Array:
      return store_.array(refresh_size(type->sizes[0]), parts[0]);
    case Kind::Tuple:
      return store_.tuple(std::move(parts));
    case Kind::Data: {
      std::vector<Size> sizes;
      for (const Size& size : type->sizes) sizes.push_back(refresh_size(size));
      return store_.data(type->id, std::move(parts), std::move(sizes));
    }
    case Kind::Function:
      return store_.function(
          parts[0], parts[1],
          type->sizes.empty() ? std::nullopt : std::optional<Size>(type->sizes[0]), type->exists);
    default:
      return type;
  }
}

}  // namespace dvm::check
