// Unification on the side: what variables stand for is kept in tables of its own.
#include "frontend/check/fit.hpp"

namespace dvm::check {
namespace {
constexpr int deepest_type = 40;
}  // namespace

bool Fit::match(TypePtr a, TypePtr b, int depth) {
  a = resolve(a);
  b = resolve(b);
  if (a == b) return true;
  if (depth > deepest_type) return false;
  if (a->kind == Kind::Meta) return bind(a, b);
  if (b->kind == Kind::Meta) return bind(b, a);
  if (a->kind != b->kind || a->parts.size() != b->parts.size()) return false;
  if (a->kind == Kind::Scalar && a->element != b->element) return false;
  if ((a->kind == Kind::Variable || a->kind == Kind::Data) && a->id != b->id) return false;
  if (a->kind != Kind::Function)
    for (std::size_t i = 0; i < a->sizes.size(); ++i)
      if (!match_size(a->sizes[i], b->sizes[i])) return false;
  for (std::size_t i = 0; i < a->parts.size(); ++i)
    if (!match(a->parts[i], b->parts[i], depth + 1)) return false;
  return true;
}

TypePtr Fit::resolve(TypePtr type) const {
  type = TypeStore::prune(type);
  for (auto found = types_.find(type); found != types_.end(); found = types_.find(type))
    type = TypeStore::prune(found->second);
  return type;
}

bool Fit::bind(TypePtr meta, TypePtr type) {
  // Of two variables the one with more classes stays, so that none is forgotten.
  if (type->kind == Kind::Meta && (meta->mask - type->mask)) std::swap(meta, type);
  if (!admits(meta->mask, type)) return false;
  if (!meta->mask) ++loose_;
  types_[meta] = type;
  return true;
}

// Instances that the program writes are taken to hold.
bool Fit::admits(const ClassSet& mask, TypePtr type) const {
  ClassSet builtin;
  for (std::uint32_t i = 0; i < typed::builtin_class::count; ++i) builtin |= ClassSet{ClassId{i}};
  const ClassSet wanted = mask & builtin;
  switch (type->kind) {
    case Kind::Meta:
      return true;
    case Kind::Scalar:
      return !(wanted - classes::of_scalar(type->element));
    case Kind::Variable:
      return !(mask - store_.variables[type->id].mask);
    case Kind::Data: {
      ClassSet derived;
      for (const auto& [of, span] : datas_[type->id].deriving) derived |= ClassSet{of};
      return !(wanted - derived);
    }
    case Kind::Array:
    case Kind::Tuple:
      return !(wanted - (classes::eq | classes::ord));
    default:
      return !mask;
  }
}

Size Fit::resolve(const Size& size) const {
  return store_.zonk(size).substitute([&](Symbol symbol) {
    const auto found = sizes_.find(symbol);
    return found == sizes_.end() ? Size::symbol(symbol) : found->second;
  });
}

bool Fit::match_size(const Size& left, const Size& right) {
  const Size a = resolve(left), b = resolve(right);
  if (a == b) return true;
  for (const auto& [side, other] : {std::pair(a, b), std::pair(b, a)}) {
    const auto symbol = side.as_symbol();
    if (!symbol || store_.symbols[*symbol].kind != SymbolKind::Meta) continue;
    if (!other.mentions(*symbol)) sizes_.emplace(*symbol, other);
    return true;
  }
  bool open = false;  // an equation that other arguments would decide
  for (const Size& side : {a, b})
    side.symbols([&](Symbol symbol) { open |= store_.symbols[symbol].kind == SymbolKind::Meta; });
  return open;
}

}  // namespace dvm::check
