// Nodes and symbols of inference: making, pruning, substituting.
#include "frontend/check/type.hpp"

#include <algorithm>

namespace dvm::check {

TypeStore::TypeStore() {
  for (int i = 0; i < element_type_count; ++i) {
    scalars_.push_back(make(Kind::Scalar));
    scalars_.back()->element = static_cast<ElementType>(i);
  }
  string_ = make(Kind::String);
  error_ = make(Kind::Error);
  unit_ = make(Kind::Tuple);
}

TypePtr TypeStore::make(Kind kind) {
  nodes_.emplace_back();
  nodes_.back().kind = kind;
  return &nodes_.back();
}

TypePtr TypeStore::meta(int level, int depth) {
  TypePtr type = make(Kind::Meta);
  type->generic = true;
  type->level = level;
  type->depth = depth;
  metas.push_back(type);
  return type;
}

TypePtr TypeStore::variable(std::uint32_t id) {
  if (variable_nodes_.size() <= id) variable_nodes_.resize(id + 1, nullptr);
  if (!variable_nodes_[id]) {
    TypePtr type = make(Kind::Variable);
    type->generic = true;
    type->id = id;
    variable_nodes_[id] = type;
  }
  return variable_nodes_[id];
}

TypePtr TypeStore::array(Size length, TypePtr element) {
  TypePtr type = make(Kind::Array);
  type->generic = element->generic || !length.constant();
  type->sizes.push_back(std::move(length));
  type->parts.push_back(element);
  return type;
}

TypePtr TypeStore::tuple(std::vector<TypePtr> parts) {
  if (parts.empty()) return unit_;
  TypePtr type = make(Kind::Tuple);
  for (TypePtr part : parts) type->generic |= part->generic;
  type->parts = std::move(parts);
  return type;
}

TypePtr TypeStore::function(TypePtr param, TypePtr result, std::optional<Size> arg_size,
                            std::vector<Symbol> exists) {
  TypePtr type = make(Kind::Function);
  type->generic = param->generic || result->generic || arg_size || !exists.empty();
  type->parts = {param, result};
  if (arg_size) type->sizes.push_back(*arg_size);
  type->exists = std::move(exists);
  return type;
}

TypePtr TypeStore::data(std::uint32_t id, std::vector<TypePtr> types, std::vector<Size> sizes) {
  TypePtr type = make(Kind::Data);
  type->id = id;
  for (TypePtr part : types) type->generic |= part->generic;
  for (const Size& size : sizes) type->generic |= !size.constant();
  type->parts = std::move(types);
  type->sizes = std::move(sizes);
  return type;
}

Symbol TypeStore::symbol(SymbolKind kind, std::string name, std::string origin, Span span,
                         int level, int depth) {
  symbols.emplace_back();
  SizeSymbol& fresh = symbols.back();
  fresh.kind = kind;
  fresh.name = std::move(name);
  fresh.origin = std::move(origin);
  fresh.span = span;
  fresh.level = level;
  fresh.depth = depth;
  return static_cast<Symbol>(symbols.size() - 1);
}

Size TypeStore::size_meta(int level, int depth, Span span) {
  return Size::symbol(symbol(SymbolKind::Meta, "", "", span, level, depth));
}

TypePtr TypeStore::prune(TypePtr type) {
  TypePtr root = type;
  while (root->link) root = root->link;
  while (type->link && type->link != root) {
    TypePtr next = type->link;
    type->link = root;
    type = next;
  }
  return root;
}

Size TypeStore::zonk(const Size& size) {
  bool solved = false;
  size.symbols([&](Symbol symbol) { solved |= symbols[symbol].solution.has_value(); });
  if (!solved) return size;
  return size.substitute([&](Symbol symbol) {
    SizeSymbol& entry = symbols[symbol];
    if (!entry.solution) return Size::symbol(symbol);
    Size found = zonk(*entry.solution);
    entry.solution = found;
    return found;
  });
}

namespace {

// `type` with `change` applied to its parts and sizes; itself when nothing changes. `exists` gives
// the unknown sizes that a changed function still binds.
template <class Change, class Exists>
TypePtr rebuilt(TypeStore& store, TypePtr type, const Change& change, const Exists& exists) {
  bool changed = false;
  std::vector<TypePtr> parts;
  std::vector<Size> sizes;
  for (TypePtr part : type->parts) {
    parts.push_back(change(part));
    changed |= parts.back() != part;
  }
  for (const Size& size : type->sizes) {
    sizes.push_back(change(size));
    changed |= !(sizes.back() == size);
  }
  if (!changed) return type;
  switch (type->kind) {
    case Kind::Array:
      return store.array(sizes[0], parts[0]);
    case Kind::Tuple:
      return store.tuple(std::move(parts));
    case Kind::Data:
      return store.data(type->id, std::move(parts), std::move(sizes));
    case Kind::Function:
      return store.function(parts[0], parts[1],
                            sizes.empty() ? std::nullopt : std::optional<Size>(sizes[0]), exists());
    default:
      return type;
  }
}

}  // namespace

TypePtr TypeStore::zonk(TypePtr type) {
  type = prune(type);
  if (!type->generic || type->kind == Kind::Meta || type->kind == Kind::Variable) return type;
  return rebuilt(
      *this, type, [&](const auto& inside) { return zonk(inside); }, [&] { return type->exists; });
}

Size TypeStore::substitute(const Size& size) {
  Size looked = zonk(size);
  bool hit = false;
  looked.symbols([&](Symbol symbol) { hit |= symbols[symbol].replacement.has_value(); });
  if (!hit) return looked;
  return looked.substitute([&](Symbol symbol) {
    const auto& replacement = symbols[symbol].replacement;
    return replacement ? *replacement : Size::symbol(symbol);
  });
}

TypePtr TypeStore::substitute(TypePtr type) {
  type = prune(type);
  if (!type->generic || type->kind == Kind::Meta) return type;
  if (type->kind == Kind::Variable) {
    TypePtr replacement = variables[type->id].replacement;
    return replacement ? replacement : type;
  }
  return rebuilt(
      *this, type, [&](const auto& inside) { return substitute(inside); },
      [&] {
        std::vector<Symbol> exists = type->exists;
        std::erase_if(exists,
                      [&](Symbol symbol) { return symbols[symbol].replacement.has_value(); });
        return exists;
      });
}

bool TypeStore::mentions(TypePtr type, Symbol wanted) {
  bool found = false;
  each_symbol(type, false, [&](Symbol symbol) { found |= symbol == wanted; });
  return found;
}

bool TypeStore::settled(TypePtr type) {
  type = prune(type);
  if (!type->generic) return true;
  if (type->kind == Kind::Meta) return false;
  for (const Size& size : type->sizes) {
    bool meta = false;
    zonk(size).symbols([&](Symbol symbol) { meta |= symbols[symbol].kind == SymbolKind::Meta; });
    if (meta) return false;
  }
  return std::all_of(type->parts.begin(), type->parts.end(),
                     [&](TypePtr part) { return settled(part); });
}

}  // namespace dvm::check
