// Typed holes: `_` and `_name` stand for an expression yet to be written. Once the type of a hole
// is known, an error shows it, with the names in scope that have such a type.
#include <algorithm>

#include "frontend/check/fit.hpp"
#include "frontend/check/namer.hpp"

namespace dvm::check {
namespace {

constexpr std::size_t most_fits = 8;   // names that are listed
constexpr std::size_t most_names = 6;  // local names that do not fit
struct Candidate {
  std::string name, type;
  int tier = 0;   // 0 locals, 1 the module's own, 2 imported, 3 the Prelude's
  int loose = 0;  // how little its type says
  Span span;
  bool fits = false;
};

bool closer(const Candidate& a, const Candidate& b) {
  if (a.tier != b.tier) return a.tier < b.tier;
  if (a.loose != b.loose) return a.loose < b.loose;
  if (a.span != b.span) return a.tier == 0 ? b.span < a.span : a.span < b.span;
  return a.name < b.name;
}

std::string table_of(const std::string& title, const std::vector<Candidate>& names) {
  std::size_t width = 0;
  for (const Candidate& name : names) width = std::max(width, name.name.size());
  std::string text = title;
  for (const Candidate& name : names)
    text += "\n" + name.name + std::string(width - name.name.size(), ' ') + " :: " + name.type;
  return text;
}

}  // namespace

// Collects the names in scope of one hole, then words its message.
class HoleReport {
 public:
  HoleReport(Checker& checker, const HoleUse& hole)
      : checker_(checker),
        hole_(hole),
        place_(checker.node(hole.expr).span),
        anything_(TypeStore::prune(hole.type)->kind == Kind::Meta) {}

  void collect();
  Diagnostic words();

 private:
  void add(const std::string& name, TypePtr shown, TypePtr type, int tier, Span span,
           const std::string& context);
  void add_binding(const std::string& name, BindingId id, int tier);
  bool is_local(const std::string& name) const {
    return std::any_of(hole_.locals.begin(), hole_.locals.end(),
                       [&](const auto& local) { return local.first == name; });
  }
  bool is_inside(Span whole) const {
    return whole.file == place_.file && whole.begin <= place_.begin && place_.end <= whole.end;
  }

  Checker& checker_;
  const HoleUse& hole_;
  const Span place_;
  const bool anything_;  // nothing says which type the hole has
  std::vector<Candidate> all_;
};

// `type` is `shown` with variables of inference for the ones that a use may choose.
void HoleReport::add(const std::string& name, TypePtr shown, TypePtr type, int tier, Span span,
                     const std::string& context) {
  if (!type || TypeStore::prune(type)->kind == Kind::Error) return;
  Fit fit(checker_.store_, checker_.datas_);
  const bool bare = TypeStore::prune(type)->kind == Kind::Meta;  // `error` would fit anywhere
  Candidate candidate{name, "", tier, 0, span, !bare && !anything_ && fit.match(hole_.type, type)};
  if (!candidate.fits && tier > 0) return;
  Namer namer(checker_);
  candidate.loose = fit.loose();
  candidate.type = context + namer.type(shown);
  all_.push_back(std::move(candidate));
}

void HoleReport::add_binding(const std::string& name, BindingId id, int tier) {
  const BindingInfo& binding = checker_.info(id);
  if (binding.decl && is_inside(checker_.node(*binding.decl).span)) return;  // being defined
  const bool word = std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_';
  const std::string text = word ? name : "(" + name + ")";
  if (!binding.has_scheme) return add(text, binding.type, binding.type, tier, binding.span, "");
  if (!binding.scheme.type) return;
  std::string context;
  for (const std::uint32_t variable : binding.scheme.types) {
    const TypeVariable& entry = checker_.store_.variables[variable];
    if (!entry.mask) continue;
    context += (context.empty() ? "" : ", ") +
               checker_.classes_.names(checker_.classes_.minimal(entry.mask)) + " " + entry.name;
  }
  if (!context.empty())
    context = (context.find(',') == std::string::npos ? context : "(" + context + ")") + " => ";
  const TypePtr used = checker_.instantiate(binding.scheme, nullptr, Need{place_, "this hole"});
  add(text, binding.scheme.type, used, tier, binding.span, context);
}

void HoleReport::collect() {
  for (const auto& [name, reference] : hole_.locals) {
    if (reference.sort == Reference::Binding)
      add_binding(name, BindingId{reference.id}, 0);
    else if (reference.sort == Reference::SizeVariable)
      add(name, checker_.int_type(), checker_.int_type(), 0,
          checker_.store_.symbols[reference.id].span, "");
  }
  const ModuleScope& scope = *hole_.scope;
  for (const auto& [name, binding] : scope.own)
    if (!is_local(name)) add_binding(name, binding, 1);
  int tier = 2;
  for (const auto* names : {&scope.imported, &scope.prelude}) {
    for (const auto& [name, found] : *names) {
      const bool hidden = is_local(name) || scope.own.contains(name) ||
                          (tier == 3 && scope.imported.contains(name));
      const bool qualified = name.find('.', 1) != std::string::npos;
      if (found.size() == 1 && !hidden && !qualified) add_binding(name, found[0], tier);
    }
    ++tier;
  }
  std::sort(all_.begin(), all_.end(), closer);
}

Diagnostic HoleReport::words() {
  Namer namer(checker_);
  Diagnostic diagnostic;
  diagnostic.code = "hole";
  diagnostic.span = place_;
  const std::string name(checker_.sources_.text(place_));
  if (anything_) {
    diagnostic.message = "`" + name + "` is a hole, and nothing around it says which type it has";
    diagnostic.label = "anything fits here";
  } else {
    const std::string type = namer.type(hole_.type);
    diagnostic.message = "`" + name + "` is a hole of type `" + type + "`";
    diagnostic.label = "here belongs an expression of type `" + type + "`";
  }
  namer.explain(diagnostic);
  std::vector<Candidate> fits, others;
  for (Candidate& candidate : all_) (candidate.fits ? fits : others).push_back(candidate);
  const std::size_t more = fits.size() > most_fits ? fits.size() - most_fits : 0;
  if (fits.size() > most_fits) fits.resize(most_fits);
  if (others.size() > most_names) others.resize(most_names);
  if (!fits.empty())
    diagnostic.notes.push_back(table_of("of this type are", fits) +
                               (more > 0 ? "\nand " + std::to_string(more) + " more" : ""));
  if (!others.empty())
    diagnostic.notes.push_back(
        table_of(fits.empty() ? "in scope are" : "also in scope are", others));
  if (fits.size() == 1)  // more of them stand in the note
    diagnostic.suggestions.push_back(
        {"use `" + fits[0].name + "`", {{place_, fits[0].name}}, false});
  return diagnostic;
}

void Checker::note_hole(ast::ExprId expr) {
  HoleUse hole;
  hole.expr = expr;
  hole.scope = scope_;
  for (const auto& [name, references] : locals_)
    if (!references.empty()) hole.locals.emplace_back(name, references.back());
  std::sort(hole.locals.begin(), hole.locals.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  holes_.push_back(std::move(hole));
}

TypePtr Checker::infer_hole(ast::ExprId expr) {
  for (HoleUse& hole : holes_)
    if (hole.expr == expr) return hole.type = fresh();
  return store_.error();
}

// Variables that were made to try something are no part of the program.
void Checker::forget(std::size_t metas, std::size_t wanted) {
  wanted_.erase(wanted_.begin() + static_cast<std::ptrdiff_t>(wanted), wanted_.end());
  for (std::size_t i = metas; i < store_.metas.size(); ++i)
    if (!store_.metas[i]->link) store_.metas[i]->link = store_.error();
}

// Called when the types of a top-level group are as settled as they get without defaulting.
void Checker::report_holes() {
  for (HoleUse& hole : holes_) {
    if (!hole.type || hole.reported) continue;
    hole.reported = true;
    const std::size_t metas = store_.metas.size(), wanted = wanted_.size();
    HoleReport report(*this, hole);
    report.collect();
    out_.add(report.words());
    forget(metas, wanted);
  }
}

}  // namespace dvm::check
