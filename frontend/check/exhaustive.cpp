// Patterns that miss values, and patterns that no value reaches (L. Maranget, Warnings for pattern
// matching, JFP 2007, sections 3 and 5).
#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/coverage.hpp"

namespace dvm::check {

namespace {
constexpr int step_limit =
    20000;  // the problem is exponential in the worst case: then nothing is said
}  // namespace

// ---- simple patterns
Coverage::Simple Coverage::simplify(ast::PatternId id) {
  const ast::Pattern& pattern = c_.node(id);
  auto with_parts = [&](Head head, const std::vector<ast::PatternId>& parts) {
    Simple simple;
    head.arity = parts.size();
    simple.head = head;
    for (auto part : parts) simple.args.push_back(simplify(part));
    return simple;
  };
  if (auto* as = std::get_if<ast::AsPattern>(&pattern.node)) return simplify(as->pattern);
  if (auto* bang = std::get_if<ast::BangPattern>(&pattern.node)) return simplify(bang->pattern);
  if (auto* paren = std::get_if<ast::ParenPattern>(&pattern.node)) return simplify(paren->pattern);
  if (auto* typed = std::get_if<ast::AnnotatedPattern>(&pattern.node))
    return simplify(typed->pattern);
  if (auto* tuple = std::get_if<ast::TuplePattern>(&pattern.node))
    return with_parts({Head::Tuple, 0, 0, 0, ""}, tuple->parts);
  if (auto* list = std::get_if<ast::ListPattern>(&pattern.node)) {
    bool fixed = false;
    if (TypePtr type = c_.pattern_types_[id]) {
      type = TypeStore::prune(type);
      if (type->kind == Kind::Array)
        fixed =
            c_.store_.zonk(type->sizes[0]) == Size(static_cast<std::int64_t>(list->parts.size()));
    }
    return with_parts({fixed ? Head::FixedList : Head::List, 0,
                       static_cast<std::uint32_t>(list->parts.size()), 0, ""},
                      list->parts);
  }
  if (auto* literal = std::get_if<ast::LiteralPattern>(&pattern.node)) {
    Simple simple;
    // Equal numbers have equal texts: `1.50` is `1.5`, `-0` is `0`.
    std::string text;
    if (auto* integer = std::get_if<ast::IntegerLiteral>(&literal->value))
      text = std::to_string(integer->value);
    else
      text = fmt::format("{}", std::get<ast::FloatLiteral>(literal->value).value);
    if (literal->negative && text != "0") text = "-" + text;
    simple.head = Head{Head::Literal, 0, 0, 0, text};
    return simple;
  }
  auto head_of = [&]() -> std::optional<Head> {
    BindingId binding = c_.pattern_constructors_[id];
    if (!binding.valid()) return std::nullopt;
    const BindingInfo& constructor = c_.info(binding);
    if (!constructor.data.valid())
      return Head{Head::Bool, 0, constructor.part, 0, constructor.name};
    std::size_t arity =
        c_.datas_[constructor.data.index].constructors[constructor.part].fields.size();
    return Head{Head::Data, constructor.data.index, constructor.part, arity, constructor.name};
  };
  if (auto* constructor = std::get_if<ast::ConstructorPattern>(&pattern.node)) {
    auto head = head_of();
    return head ? with_parts(*head, constructor->args) : Simple{};
  }
  if (auto* record = std::get_if<ast::RecordPattern>(&pattern.node)) {
    auto head = head_of();
    if (!head || head->sort != Head::Data) return {};
    Simple simple;
    simple.head = head;
    simple.args.resize(head->arity);
    const auto& names = c_.datas_[head->id].constructors[head->part].field_names;
    for (const auto& field : record->fields) {
      auto place = std::find(names.begin(), names.end(), field.field.text);
      if (place != names.end())
        simple.args[static_cast<std::size_t>(place - names.begin())] = simplify(field.pattern);
    }
    return simple;
  }
  return {};
}

// All heads that values of this column can have; empty when they cannot be listed.
std::vector<Coverage::Head> Coverage::signature(const Head& head) const {
  switch (head.sort) {
    case Head::Tuple:
    case Head::FixedList:
      return {head};
    case Head::Bool:
      return {{Head::Bool, 0, 0, 0, "False"}, {Head::Bool, 0, 1, 0, "True"}};
    case Head::Data: {
      std::vector<Head> all;
      const auto& constructors = c_.datas_[head.id].constructors;
      for (std::uint32_t i = 0; i < constructors.size(); ++i)
        all.push_back(
            {Head::Data, head.id, i, constructors[i].fields.size(), constructors[i].name});
      return all;
    }
    default:
      return {};
  }
}

std::optional<Coverage::Row> Coverage::specialise(const Row& row, const Head& head) {
  Row result;
  if (!row[0].head) {
    result.resize(head.arity);
  } else if (*row[0].head == head) {
    result = row[0].args;
  } else {
    return std::nullopt;
  }
  result.insert(result.end(), row.begin() + 1, row.end());
  return result;
}

// Values that no row matches, as one pattern for each column.
std::optional<Coverage::Row> Coverage::missing(const std::vector<Row>& rows, std::size_t columns) {
  if (++steps_ > step_limit) return std::nullopt;
  if (columns == 0) return rows.empty() ? std::optional<Row>(Row{}) : std::nullopt;
  std::vector<Head> present;
  for (const Row& row : rows)
    if (row[0].head && std::find(present.begin(), present.end(), *row[0].head) == present.end())
      present.push_back(*row[0].head);
  std::vector<Head> all = present.empty() ? std::vector<Head>{} : signature(present[0]);
  auto is_present = [&](const Head& head) {
    return std::find(present.begin(), present.end(), head) != present.end();
  };
  bool complete = !all.empty() && std::all_of(all.begin(), all.end(), is_present);
  if (complete) {
    for (const Head& head : all) {
      std::vector<Row> below;
      for (const Row& row : rows)
        if (auto special = specialise(row, head)) below.push_back(*special);
      auto found = missing(below, head.arity + columns - 1);
      if (!found) continue;
      Simple first;
      first.head = head;
      first.args.assign(found->begin(), found->begin() + static_cast<std::ptrdiff_t>(head.arity));
      Row result{first};
      result.insert(result.end(), found->begin() + static_cast<std::ptrdiff_t>(head.arity),
                    found->end());
      return result;
    }
    return std::nullopt;
  }
  std::vector<Row> rest;
  for (const Row& row : rows)
    if (!row[0].head) rest.emplace_back(row.begin() + 1, row.end());
  auto found = missing(rest, columns - 1);
  if (!found) return std::nullopt;
  Simple first;
  for (const Head& head : all) {
    if (is_present(head)) continue;
    first.head = head;
    first.args.resize(head.arity);
    break;
  }
  // Of numbers and lengths the least that is not there stands for all others.
  if (!present.empty() && (present[0].sort == Head::Literal || present[0].sort == Head::List)) {
    Head other = present[0];
    for (std::size_t n = 0; is_present(other); ++n) {
      other.text = std::to_string(n);
      if (other.sort == Head::Literal) continue;
      other.part = static_cast<std::uint32_t>(n);
      other.arity = n;
    }
    first.head = other;
    first.args.resize(other.arity);
  }
  found->insert(found->begin(), first);
  return found;
}

// Whether the row matches a value that none of the others does.
bool Coverage::useful(const std::vector<Row>& rows, const Row& wanted) {
  if (++steps_ > step_limit) return true;
  if (wanted.empty()) return rows.empty();
  auto into = [&](const Head& head) {
    std::vector<Row> below;
    for (const Row& row : rows)
      if (auto special = specialise(row, head)) below.push_back(*special);
    return useful(below, *specialise(wanted, head));
  };
  if (wanted[0].head) return into(*wanted[0].head);
  std::vector<Head> present;
  for (const Row& row : rows)
    if (row[0].head && std::find(present.begin(), present.end(), *row[0].head) == present.end())
      present.push_back(*row[0].head);
  std::vector<Head> all = present.empty() ? std::vector<Head>{} : signature(present[0]);
  bool complete = !all.empty() && std::all_of(all.begin(), all.end(), [&](const Head& head) {
    return std::find(present.begin(), present.end(), head) != present.end();
  });
  if (complete) return std::any_of(all.begin(), all.end(), into);
  std::vector<Row> rest;
  for (const Row& row : rows)
    if (!row[0].head) rest.emplace_back(row.begin() + 1, row.end());
  return useful(rest, Row(wanted.begin() + 1, wanted.end()));
}

std::string Coverage::text(const Simple& simple, bool argument) const {
  if (!simple.head) return "_";
  const Head& head = *simple.head;
  std::string inner;
  if (head.sort == Head::Tuple || head.sort == Head::List || head.sort == Head::FixedList) {
    for (const Simple& arg : simple.args) inner += (inner.empty() ? "" : ", ") + text(arg, false);
    return head.sort == Head::Tuple ? "(" + inner + ")" : "[" + inner + "]";
  }
  inner = head.text;
  for (const Simple& arg : simple.args) inner += " " + text(arg, true);
  return argument && !simple.args.empty() ? "(" + inner + ")" : inner;
}

// ---- where it applies
bool Coverage::always(const ast::Rhs& rhs) const {
  return std::any_of(
      rhs.alternatives.begin(), rhs.alternatives.end(), [&](const ast::Guarded& guarded) {
        return std::all_of(guarded.guards.begin(), guarded.guards.end(),
                           [&](const ast::Qualifier& qualifier) {
                             if (auto* guard = std::get_if<ast::Guard>(&qualifier)) {
                               ast::ExprId condition = c_.strip(guard->condition);
                               if (c_.prelude_name(condition) == "otherwise" ||
                                   c_.prelude_name(condition) == "True")
                                 return true;
                               return false;
                             }
                             if (auto* generator = std::get_if<ast::Generator>(&qualifier))
                               return !c_.can_fail(generator->pattern);
                             return true;
                           });
      });
}

// A line of the same indentation below the one where `last` ends; none where others share its line.
std::optional<Suggestion> Coverage::another_line(Span last, const std::string& text) const {
  if (!last.valid()) return std::nullopt;
  const SourceFile& file = c_.sources_.file(last.file);
  const LineColumn at = c_.sources_.place(last.file, last.begin);
  const std::uint32_t start = file.line_starts[at.line - 1];
  if (file.text.find_first_not_of(' ', start) != last.begin) return std::nullopt;
  const std::size_t end = file.text.find('\n', last.end);
  if (end == std::string::npos) return std::nullopt;
  const auto below = static_cast<std::uint32_t>(end + 1);
  const std::string indent(last.begin - start, ' ');
  return Suggestion{
      "cover it, `_` is yours to fill", {{{last.file, below, below}, indent + text + "\n"}}, false};
}

void Coverage::examine(const std::vector<Line>& lines, std::size_t columns, Span place,
                       const std::string& subject, const std::string& prefix, Span last) {
  steps_ = 0;
  std::vector<Row> rows;
  for (const Line& line : lines) {
    Row row;
    for (ast::PatternId id : line.patterns) row.push_back(simplify(id));
    if (row.size() != columns) return;
    if (!useful(rows, row)) {
      Diagnostic diagnostic;
      diagnostic.severity = Severity::Warning;
      diagnostic.code = "redundant-pattern";
      diagnostic.message = "no value reaches this pattern";
      diagnostic.span = line.span;
      diagnostic.label = "the ones before it match everything that this one does";
      c_.out_.add(std::move(diagnostic));
    }
    if (line.covers) rows.push_back(std::move(row));
  }
  steps_ = 0;
  auto witness = missing(rows, columns);
  if (!witness) return;
  std::string shown = prefix;
  for (const Simple& part : *witness)
    shown += (shown.empty() ? "" : " ") + text(part, columns > 1 || !prefix.empty());
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Warning;
  diagnostic.code = "non-exhaustive";
  diagnostic.message = subject + " does not cover all values";
  diagnostic.span = place;
  diagnostic.label = "`" + shown + "` is not covered";
  if (auto suggestion = another_line(last, shown + (prefix.empty() ? " -> _" : " = _")))
    diagnostic.suggestions.push_back(*std::move(suggestion));
  diagnostic.help.push_back("a value that is not covered is an error when the program runs");
  c_.out_.add(std::move(diagnostic));
}

// A multi-way `if` none of whose guards is sure to hold.
void Coverage::warn_guards(Span place) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Warning;
  diagnostic.code = "non-exhaustive";
  diagnostic.message = "this `if` does not cover all values";
  diagnostic.span = place;
  diagnostic.label = "all its guards may be false";
  diagnostic.help.push_back("end with `| otherwise -> …`");
  c_.out_.add(std::move(diagnostic));
}

void Coverage::expressions() {
  const auto& exprs = c_.program_.arena.exprs;
  for (std::uint32_t i = 0; i < exprs.size(); ++i) {
    ast::ExprId id{i};
    if (!c_.expr_types_[id]) continue;
    const ast::Expr& expr = exprs[id];
    const std::vector<ast::Alternative>* alternatives = nullptr;
    Span place = expr.span;
    if (auto* cases = std::get_if<ast::Case>(&expr.node)) {
      alternatives = &cases->alternatives;
      place = c_.node(cases->scrutinee).span;
    } else if (auto* lambda_case = std::get_if<ast::LambdaCase>(&expr.node)) {
      alternatives = &lambda_case->alternatives;
    } else if (auto* lambda = std::get_if<ast::Lambda>(&expr.node)) {
      examine({{lambda->params, expr.span, true}}, lambda->params.size(), place, "this function",
              "");
    }
    if (auto* multi = std::get_if<ast::MultiIf>(&expr.node);
        multi && !always({multi->alternatives, {}}))
      warn_guards(expr.span);
    if (!alternatives) continue;
    std::vector<Line> lines;
    for (const auto& alternative : *alternatives)
      lines.push_back(
          {{alternative.pattern}, c_.node(alternative.pattern).span, always(alternative.rhs)});
    examine(lines, 1, place, "this `case`", "",
            alternatives->empty() ? Span{} : alternatives->back().span);
  }
}

void Coverage::declarations() {
  const auto& decls = c_.program_.arena.decls;
  for (std::uint32_t i = 0; i < decls.size(); ++i) {
    ast::DeclId id{i};
    if (auto* function = std::get_if<ast::FunctionDecl>(&decls[id].node)) {
      if (!c_.decl_bindings_[id].valid() || function->clauses.empty()) continue;
      std::vector<Line> lines;
      for (const auto& clause : function->clauses)
        lines.push_back({clause.params, clause.span, always(clause.rhs)});
      examine(lines, function->clauses[0].params.size(), function->name.span,
              "`" + function->name.text + "`", function->name.text, function->clauses.back().span);
    } else if (auto* binding = std::get_if<ast::PatternBinding>(&decls[id].node)) {
      examine({{{binding->pattern}, decls[id].span, true}}, 1, c_.node(binding->pattern).span,
              "this pattern", "");
    }
  }
}

void Checker::check_exhaustive() {
  Coverage coverage(*this);
  coverage.expressions();
  coverage.declarations();
}

}  // namespace dvm::check
