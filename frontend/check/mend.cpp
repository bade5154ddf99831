// Edits are made of the source text, so that they keep what people wrote.
#include "frontend/check/mend.hpp"

#include <algorithm>

#include "frontend/check/fit.hpp"
#include "frontend/check/namer.hpp"

namespace dvm::check {
namespace {

bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'' || c == '.';
}

// One name or number, or something in one pair of brackets: it needs no parentheses as an argument.
bool is_atom(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] != '(' && text[0] != '[') return std::all_of(text.begin(), text.end(), part_of_name);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

// The parts of `(a, b)`; empty when the text is no tuple.
std::vector<std::string> tuple_parts(std::string_view text) {
  if (!is_atom(text) || text[0] != '(' || text.find('"') != std::string_view::npos) return {};
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text.substr(1, text.size() - 2)) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) {
    part.erase(0, part.find_first_not_of(" \n"));
    part.erase(part.find_last_not_of(" \n") + 1);
    if (part.empty()) return {};
    if (!is_atom(part)) part = "(" + part + ")";
  }
  return parts.size() > 1 ? parts : std::vector<std::string>{};
}

Span before(Span span) { return {span.file, span.begin, span.begin}; }
Span behind(Span span) { return {span.file, span.end, span.end}; }

}  // namespace

Suggestion Mend::apply(const std::string& function, std::string why, const Reason& reason) const {
  const std::string& all = checker_.sources_.file(reason.span.file).text;
  const bool enclosed = reason.span.begin > 0 && reason.span.end < all.size() &&
                        all[reason.span.begin - 1] == '(' && all[reason.span.end] == ')';
  const bool argument = reason.where == Where::Argument && !enclosed;
  const bool atom = is_atom(text(reason.span));
  std::string open = (argument ? "(" : "") + function + (atom ? " " : " (");
  std::string close = std::string(atom ? "" : ")") + (argument ? ")" : "");
  Suggestion suggestion{std::move(why), {{before(reason.span), std::move(open)}}, true};
  if (!close.empty()) suggestion.edits.push_back({behind(reason.span), std::move(close)});
  return suggestion;
}

bool Mend::conversion(Diagnostic& diagnostic, const Reason& reason, ElementType from,
                      ElementType to) {
  if (from == ElementType::Bool || to == ElementType::Bool) return false;
  if (is_float(from) && is_float(to)) {
    diagnostic.suggestions.push_back(
        apply("realToFrac", "`realToFrac` converts between `Float` and `Double`", reason));
  } else if (is_float(from)) {
    diagnostic.help.push_back("`truncate`, `round`, `floor` and `ceiling` make integers of floats");
  } else {
    diagnostic.suggestions.push_back(apply("fromIntegral",
                                           is_float(to)
                                               ? "`fromIntegral` makes a float of an integer"
                                               : "`fromIntegral` converts between integer types",
                                           reason));
  }
  return true;
}

// `f (a, b)` for `f a b`.
void Mend::tuple_argument(Diagnostic& diagnostic, const Reason& reason, TypePtr expected,
                          TypePtr actual) {
  Fit fit(checker_.store_, checker_.datas_);
  if (reason.where != Where::Argument || reason.name.empty() || actual->parts.empty() ||
      !fit.match(expected, actual->parts[0]))
    return;
  const std::vector<std::string> parts = tuple_parts(text(reason.span));
  const std::string advice = "`" + reason.name + "` takes its arguments one by one";
  if (parts.empty()) {
    diagnostic.help.push_back(advice);
    return;
  }
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : " ") + part;
  diagnostic.suggestions.push_back({advice, {{reason.span, joined}}, true});
}

void Mend::missing_argument(Diagnostic& diagnostic, const Reason& reason, TypePtr function) {
  const std::string shown(text(reason.span));
  Namer namer(checker_);
  diagnostic.help.push_back(shown.empty() || shown.size() > 40 ||
                                    shown.find('\n') != std::string::npos
                                ? "is an argument missing?"
                                : "`" + shown + "` still waits for an argument of type `" +
                                      namer.type(TypeStore::prune(function)->parts[0]) + "`");
}

void Mend::mismatch(Diagnostic& diagnostic, const Reason& reason, TypePtr expected,
                    TypePtr actual) {
  expected = TypeStore::prune(expected);
  actual = TypeStore::prune(actual);
  if (expected->kind == Kind::Scalar && actual->kind == Kind::Scalar) {
    conversion(diagnostic, reason, actual->element, expected->element);
  } else if (actual->kind == Kind::Function && expected->kind != Kind::Function &&
             expected->kind != Kind::Variable) {
    missing_argument(diagnostic, reason, actual);
  } else if (actual->kind == Kind::Tuple && expected->kind != Kind::Tuple) {
    tuple_argument(diagnostic, reason, expected, actual);
  } else if (expected->kind == Kind::Tuple && actual->kind != Kind::Tuple &&
             reason.where == Where::Argument && !reason.name.empty()) {
    diagnostic.help.push_back("`" + reason.name + "` takes one tuple: `" + reason.name +
                              " (…, …)`");
  }
}

void Mend::number(Diagnostic& diagnostic, TypePtr actual, const ClassSet& needed, const Need* need,
                  bool inside) {
  const bool integer = is_integer(actual->element) && actual->element != ElementType::Bool;
  if (integer && (needed & (classes::fractional | classes::floating | classes::real_frac))) {
    const std::string_view op = need ? text(need->span) : std::string_view();
    if (inside && op != "/")
      diagnostic.help.push_back(
          "`truncate`, `round`, `floor` and `ceiling` make integers of floats");
    if (!inside) diagnostic.help.push_back("`fromIntegral` makes floats of integers");
    if (op == "/")
      diagnostic.suggestions.push_back(
          {"`div` divides integers, rounding down", {{need->span, "`div`"}}, false});
  } else if (is_float(actual->element) && (needed & (classes::integral | classes::bits))) {
    diagnostic.help.push_back("`truncate`, `round`, `floor` and `ceiling` make integers of floats");
  }
}

bool Mend::class_failure(Diagnostic& diagnostic, const Reason& reason, const Failure& failure,
                         bool inside) {
  const TypePtr type = TypeStore::prune(failure.actual);
  const ClassSet missing = checker_.classes_.minimal(failure.mask);
  const std::string names = checker_.classes_.names(missing);
  const ClassSet derivable = classes::eq | classes::ord | classes::bounded | classes::enumeration;
  const ClassSet numbers = classes::integral | classes::fractional | classes::floating |
                           classes::real_frac | classes::bits;
  if (type->kind == Kind::Variable) {
    constraint(diagnostic, checker_.store_.variables[type->id], names);
  } else if (type->kind == Kind::Scalar && (missing & numbers) && !(missing - numbers)) {
    number(diagnostic, type, missing, failure.need, inside);
  } else if (type->kind == Kind::Array && (failure.mask & classes::num)) {
    diagnostic.help.push_back(
        "`map` computes with each element, `zipWith` with the elements of two arrays");
  } else if (type->kind == Kind::Data && !(missing - derivable)) {
    deriving(diagnostic, checker_.datas_[type->id], names);
  } else if (type->kind == Kind::Function) {
    if (!minus_argument(diagnostic, reason)) diagnostic.help.push_back("is an argument missing?");
  } else {
    return false;
  }
  return true;
}

bool Mend::minus_argument(Diagnostic& diagnostic, const Reason& reason) {
  if (reason.where != Where::LeftOperand || reason.name != "-" || !reason.span.valid())
    return false;
  const std::string& all = checker_.sources_.file(reason.span.file).text;
  const std::size_t minus = all.find_first_not_of(' ', reason.span.end);
  if (minus == std::string::npos || minus == reason.span.end || all[minus] != '-') return false;
  std::size_t end = minus + 1;
  while (end < all.size() && part_of_name(all[end])) ++end;
  if (end == minus + 1) return false;
  const std::string argument = all.substr(minus, end - minus);
  const std::string function(text(reason.span));
  diagnostic.message = "`" + function + " " + argument + "` is a subtraction";
  diagnostic.label = "this is a function, not a number";
  diagnostic.others.clear();
  const auto at = [&](std::size_t place) {
    const auto offset = static_cast<std::uint32_t>(place);
    return Span{reason.span.file, offset, offset};
  };
  diagnostic.suggestions.push_back(
      {"a negative argument stands in parentheses", {{at(minus), "("}, {at(end), ")"}}, true});
  return true;
}

void Mend::swapped(ast::ExprId head, const std::vector<ast::ExprId>& args, Span reported) {
  const Reference& reference = checker_.references_[head];
  if (reference.sort != Reference::Binding || args.size() < 2) return;
  const BindingInfo& binding = checker_.info(BindingId{reference.id});
  if (!binding.has_scheme || !binding.scheme.type) return;
  const std::size_t metas = checker_.store_.metas.size(), wanted = checker_.wanted_.size();
  const auto fits = [&](const std::vector<ast::ExprId>& order) {
    Fit fit(checker_.store_, checker_.datas_);
    TypePtr type = TypeStore::prune(
        checker_.instantiate(binding.scheme, nullptr, {checker_.node(head).span, "this call"}));
    for (const ast::ExprId arg : order) {
      TypePtr given = checker_.expr_types_[arg];
      if (type->kind != Kind::Function || !given) return false;
      if (std::holds_alternative<ast::IntegerLiteral>(checker_.node(checker_.strip(arg)).node)) {
        given = checker_.fresh();  // the failure may have settled its type
        given->mask = classes::num;
      }
      if (TypeStore::prune(given)->kind == Kind::Error) return false;
      if (!fit.match(type->parts[0], given)) return false;
      type = TypeStore::prune(type->parts[1]);
    }
    return true;
  };
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i + 1 < args.size(); ++i) {
    std::vector<ast::ExprId> order = args;
    std::swap(order[i], order[i + 1]);
    if (!fits(order)) continue;
    if (found) return checker_.forget(metas, wanted);
    found = i;
  }
  checker_.forget(metas, wanted);
  if (!found) return;
  const Span first = checker_.node(args[*found]).span,
             second = checker_.node(args[*found + 1]).span;
  checker_.out_.amend([&](Diagnostic& diagnostic) {
    if (diagnostic.span != reported) return;
    diagnostic.help.clear();
    diagnostic.suggestions = {
        {"arguments " + std::to_string(*found + 1) + " and " + std::to_string(*found + 2) +
             " have changed places",
         {{first, std::string(text(second))}, {second, std::string(text(first))}},
         true}};
  });
}

void Mend::constraint(Diagnostic& diagnostic, const TypeVariable& variable,
                      const std::string& names) {
  std::string wanted;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(", ", at), names.size());
    wanted += (wanted.empty() ? "" : ", ") + names.substr(at, end - at) + " " + variable.name;
    at = end + 2;
  }
  const std::string advice = "add `" + wanted + "` to the context of the signature";
  const auto& types = checker_.program_.arena.decls;
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    const auto* signature = std::get_if<ast::Signature>(&types[ast::DeclId{i}].node);
    if (signature == nullptr) continue;
    const Span whole = types[ast::DeclId{i}].span;
    if (whole.file != variable.span.file || variable.span.begin < whole.begin ||
        whole.end < variable.span.end)
      continue;
    const Span type = checker_.node(signature->type.type).span;
    Edit edit{before(type),
              (wanted.find(',') == std::string::npos ? wanted : "(" + wanted + ")") + " => "};
    if (!signature->type.context.empty()) {
      const Span last = checker_.node(signature->type.context.back().type).span;
      const std::string& all = checker_.sources_.file(last.file).text;
      const std::size_t next = all.find_first_not_of(' ', last.end);
      if (next == std::string::npos || all[next] != ')') break;  // `Eq a => …`: needs parentheses
      edit = {behind(last), ", " + wanted};
    }
    diagnostic.suggestions.push_back({advice, {edit}, true});
    return;
  }
  diagnostic.help.push_back(advice);
}

void Mend::deriving(Diagnostic& diagnostic, const DataRecord& data, const std::string& names) {
  const std::string advice = "let `" + data.name + "` derive `" + names + "`";
  const auto* decl = std::get_if<ast::DataDecl>(&checker_.node(data.decl).node);
  const Span span = checker_.node(data.decl).span;
  if (decl == nullptr || !span.valid() || data.module != checker_.scope_->name) {
    diagnostic.help.push_back("add `deriving (" + names + ")` to its declaration");
    return;
  }
  Edit edit{behind(span), " deriving (" + names + ")"};
  if (!decl->deriving.empty()) edit = {behind(decl->deriving.back().span), ", " + names};
  const std::string_view written = text(span);
  if (!decl->deriving.empty() && written.back() != ')') {
    diagnostic.help.push_back(advice);  // `deriving Eq`: needs parentheses
    return;
  }
  diagnostic.suggestions.push_back({advice, {edit}, true});
}

}  // namespace dvm::check
