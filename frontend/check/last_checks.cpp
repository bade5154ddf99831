// What can only be said when all types are known: literals out of their type's range, and sizes
// that nothing settles.
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/check/namer.hpp"

namespace dvm::check {

void Checker::finish_literals() {
  for (const LiteralUse& use : literals_) {
    TypePtr type = TypeStore::prune(use.type);
    if (type->kind != Kind::Scalar || type->element == ElementType::Bool) {
      if (use.too_large && type->kind != Kind::Error)
        error("literal-out-of-range", "the literal `" + use.text + "` is too large", use.span,
              "more than 64 bits");
      continue;
    }
    ElementType element = type->element;
    std::string shown = (use.negative ? "-" : "") + use.text;
    std::string name(facts(element).surface);
    bool fits = true;
    std::string range;
    if (is_float(element)) {
      double value = use.is_float ? use.real : static_cast<double>(use.value);
      fits = !use.too_large && std::isfinite(value);
      if (element == ElementType::F32) fits = fits && std::isfinite(static_cast<float>(value));
      range = "too large for a `" + name + "`";
    } else {
      int bits = byte_size(element) * 8;
      std::uint64_t top = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      if (is_signed(element)) top >>= 1;
      std::uint64_t limit = use.negative ? (is_signed(element) ? top + 1 : 0) : top;
      fits = !use.too_large && use.value <= limit;
      range = is_signed(element) ? "-" + std::to_string(top + 1) : "0";
      range = std::string(name[0] == 'I' ? "an" : "a") + " `" + name + "` goes from " + range +
              " to " + std::to_string(top);
    }
    if (!fits)
      error("literal-out-of-range", "`" + shown + "` is no `" + name + "`", use.span, range);
  }
}

void Checker::finish_uses() {
  for (std::size_t e = 0; e < use_index_.size(); ++e) {
    ast::ExprId expr{static_cast<std::uint32_t>(e)};
    if (use_index_[expr] < 0) continue;
    const UseInfo& use = uses_[static_cast<std::size_t>(use_index_[expr])];
    if (use.binding.valid()) finish_use(expr, use);
  }
}

// Sizes that only the result of a function has must be settled, and so must those of a type by
// which a method is found that only its result has (`zero` of arrays).
void Checker::finish_use(ast::ExprId expr, const UseInfo& use) {
  const Scheme& scheme = info(use.binding).scheme;
  const std::string& name = info(use.binding).name;
  auto open = [&](const Size& size) {
    bool meta = false;
    store_.zonk(size).symbols(
        [&](Symbol symbol) { meta |= store_.symbols[symbol].kind == SymbolKind::Meta; });
    return meta;
  };
  auto in_param = [&](auto&& mentions) {
    TypePtr type = scheme.type ? TypeStore::prune(scheme.type) : store_.error();
    for (; type->kind == Kind::Function; type = TypeStore::prune(type->parts[1]))
      if (mentions(type)) return true;
    return false;
  };
  for (std::size_t i = 0; i < use.size_args.size() && i < scheme.sizes.size(); ++i) {
    if (!open(use.size_args[i])) continue;
    bool settled = in_param([&](TypePtr arrow) {
      bool found = store_.mentions(arrow->parts[0], scheme.sizes[i]);
      for (const Size& size : arrow->sizes) found |= store_.zonk(size).mentions(scheme.sizes[i]);
      return found;
    });
    if (settled) continue;
    const SizeSymbol& size = store_.symbols[scheme.sizes[i]];
    ambiguous_size(expr, use, "the size `" + size.name + "` of `" + name + "` is not settled",
                   {size.span, "`" + size.name + "` stands in the result of `" + name + "` alone"});
  }
  for (std::size_t i = 0; i < use.type_args.size() && i < scheme.types.size(); ++i) {
    if (!store_.variables[scheme.types[i]].mask) continue;
    auto any_open = [&](auto&& self, TypePtr type) -> bool {
      type = TypeStore::prune(type);
      return std::any_of(type->sizes.begin(), type->sizes.end(), open) ||
             std::any_of(type->parts.begin(), type->parts.end(),
                         [&](TypePtr part) { return self(self, part); });
    };
    auto is_in = [&](auto&& self, TypePtr type) -> bool {
      type = TypeStore::prune(type);
      if (type->kind == Kind::Variable) return type->id == scheme.types[i];
      return std::any_of(type->parts.begin(), type->parts.end(),
                         [&](TypePtr part) { return self(self, part); });
    };
    if (!TypeStore::prune(use.type_args[i])->generic || !any_open(any_open, use.type_args[i]))
      continue;
    if (!in_param([&](TypePtr arrow) { return is_in(is_in, arrow->parts[0]); }))
      ambiguous_size(expr, use, "the size of the array that `" + name + "` gives is not settled",
                     {info(use.binding).span,
                      "it gives any type, here `" + Namer(*this).type(use.type_args[i]) + "`"});
  }
}

// `from` is where the size is declared; of the Prelude's functions the type says it.
void Checker::ambiguous_size(ast::ExprId expr, const UseInfo& use, const std::string& message,
                             Label from) {
  Diagnostic diagnostic;
  diagnostic.code = "ambiguous-size";
  diagnostic.message = message;
  diagnostic.span = node(expr).span;
  diagnostic.label = "nothing around this says which size is meant";
  const BindingInfo& binding = info(use.binding);
  if (binding.module != "Prelude" && from.span.valid())
    diagnostic.others.push_back(std::move(from));
  else if (binding.scheme.type)
    diagnostic.notes.push_back("`" + binding.name +
                               " :: " + Namer(*this).type(binding.scheme.type) + "`");
  diagnostic.help.push_back("give the result a type with an annotation `(… :: T)`");
  out_.add(std::move(diagnostic));
}

}  // namespace dvm::check
