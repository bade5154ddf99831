// Types and sizes as text for messages.
#include "frontend/check/namer.hpp"

namespace dvm::check {

std::string Namer::name(Symbol symbol) {
  const SizeSymbol& entry = checker_.store_.symbols[symbol];
  if (entry.kind == SymbolKind::Meta) return "_";
  if (entry.kind == SymbolKind::Rigid) return entry.name;
  auto [place, fresh] = names_.emplace(symbol, "");
  if (fresh) {
    place->second = entry.name.empty() ? "?" + std::to_string(next_++) : entry.name;
    shown_.push_back(symbol);
  }
  return place->second;
}

std::string Namer::size(const Size& size) {
  return checker_.store_.zonk(size).to_text([&](Symbol symbol) { return name(symbol); });
}

std::string Namer::size_arg(const Size& value) {
  std::string text = size(value);
  bool atom = text.find(' ') == std::string::npos && text[0] != '-';
  return atom ? text : "(" + text + ")";
}

std::string Namer::text(TypePtr type, int precedence) {
  type = TypeStore::prune(type);
  auto wrap = [&](bool needed, std::string inner) { return needed ? "(" + inner + ")" : inner; };
  switch (type->kind) {
    case Kind::Error:
      return "_";
    case Kind::Meta:
      return type->mask.contains(typed::builtin_class::num) ? "number" : "_";
    case Kind::Variable:
      return checker_.store_.variables[type->id].name;
    case Kind::Scalar:
      return std::string(facts(type->element).surface);
    case Kind::String:
      return "String";
    case Kind::Tuple: {
      std::string inner;
      for (TypePtr part : type->parts) inner += (inner.empty() ? "" : ", ") + text(part, 0);
      return "(" + inner + ")";
    }
    case Kind::Array: {
      std::vector<Size> dims;
      for (; type->kind == Kind::Array; type = TypeStore::prune(type->parts[0]))
        dims.push_back(type->sizes[0]);
      std::string inner;
      if (dims.size() == 1) {
        inner = "Vec " + size_arg(dims[0]);
      } else if (dims.size() == 2) {
        inner = "Mat " + size_arg(dims[0]) + " " + size_arg(dims[1]);
      } else {
        std::string list;
        for (const Size& dim : dims) list += (list.empty() ? "" : ", ") + size(dim);
        inner = "Array [" + list + "]";
      }
      return wrap(precedence > 1, inner + " " + text(type, 2));
    }
    case Kind::Data: {
      const DataRecord& record = checker_.datas_[type->id];
      std::string inner = record.name;
      std::size_t next_type = 0, next_size = 0;
      for (bool is_size : record.param_is_size) {
        inner += " ";
        inner += is_size ? size_arg(type->sizes[next_size++]) : text(type->parts[next_type++], 2);
      }
      return wrap(precedence > 1 && !record.param_is_size.empty(), inner);
    }
    case Kind::Function: {
      for (Symbol bound : type->exists)
        names_.emplace(bound, type->exists.size() == 1 ? "?" : "?" + std::to_string(next_++));
      std::string param = text(type->parts[0], 1);
      if (!type->sizes.empty()) {
        auto symbol = checker_.store_.zonk(type->sizes[0]).as_symbol();
        if (symbol && checker_.store_.symbols[*symbol].kind != SymbolKind::Meta)
          param = "(" + name(*symbol) + " :: Int)";
      }
      return wrap(precedence > 0, param + " -> " + text(type->parts[1], 0));
    }
  }
  return "_";
}

void Namer::explain(Diagnostic& diagnostic) const {
  for (Symbol symbol : shown_) {
    const SizeSymbol& entry = checker_.store_.symbols[symbol];
    std::string text = "`" + names_.at(symbol) + "` is " + entry.origin;
    if (entry.span.valid())
      diagnostic.others.push_back({entry.span, text});
    else
      diagnostic.notes.push_back(text);
  }
}

}  // namespace dvm::check
