// Which types are in which classes: finding instances, their contexts, and what must wait.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace dvm::check {

// What the head of an instance starts with; instances for all types have a key of their own.
std::uint64_t Checker::instance_key(ClassId of, TypePtr head) {
  std::uint64_t code = 0;
  switch (head->kind) {
    case Kind::Scalar:
      code = 16 + static_cast<std::uint64_t>(head->element);
      break;
    case Kind::Array:
      code = 1;
      break;
    case Kind::Function:
      code = 2;
      break;
    case Kind::Tuple:
      code = 64 + head->parts.size();
      break;
    case Kind::Data:
      code = 128 + std::uint64_t{head->id};
      break;
    default:
      break;
  }
  return std::uint64_t{of.index} << 40 | code;
}

// Whether the type is the head at some types for its variables, which then stand as their
// `replacement`. Sizes do not count.
Checker::Fit Checker::match_head(TypePtr head, TypePtr type) {
  head = TypeStore::prune(head);
  type = TypeStore::prune(type);
  if (head->kind == Kind::Variable) {
    store_.variables[head->id].replacement = type;
    return Fit::Yes;
  }
  if (type->kind == Kind::Error) return Fit::Yes;
  if (type->kind == Kind::Meta) return Fit::Later;
  if (head->kind != type->kind || head->id != type->id || head->parts.size() != type->parts.size())
    return Fit::No;
  if (head->kind == Kind::Scalar && head->element != type->element) return Fit::No;
  Fit result = Fit::Yes;
  for (std::size_t i = 0; i < head->parts.size() && result != Fit::No; ++i) {
    Fit part = match_head(head->parts[i], type->parts[i]);
    if (part != Fit::Yes) result = part;
  }
  return result;
}

bool Checker::heads_overlap(TypePtr a, TypePtr b) const {
  a = TypeStore::prune(a);
  b = TypeStore::prune(b);
  if (a->kind == Kind::Variable || b->kind == Kind::Variable) return true;
  if (a->kind != b->kind || a->id != b->id || a->parts.size() != b->parts.size()) return false;
  if (a->kind == Kind::Scalar && a->element != b->element) return false;
  for (std::size_t i = 0; i < a->parts.size(); ++i)
    if (!heads_overlap(a->parts[i], b->parts[i])) return false;
  return true;
}

bool Checker::require(TypePtr type, const ClassSet& mask, const Need* need) {
  type = TypeStore::prune(type);
  ClassSet left = mask - universal_;
  if (type->kind == Kind::Error || !left) return true;
  switch (type->kind) {
    case Kind::Meta:
      if (!type->need || (left.contains(typed::builtin_class::num) &&
                          !type->mask.contains(typed::builtin_class::num)))
        type->need = need;
      type->mask |= left;
      return true;
    case Kind::Scalar:
      left = left - scalar_classes_[static_cast<std::size_t>(type->element)];
      break;
    case Kind::Variable:
      if (deriving_) store_.variables[type->id].mask |= classes_.closure(left);
      left = left - store_.variables[type->id].mask;
      break;
    default:
      break;
  }
  if (!givens_.empty()) {  // before instances, which may ask for more
    const ClassSet wanted = left;
    wanted.each([&](ClassId of) {
      if (is_given(type, of)) left = left - ClassSet{of};
    });
  }
  if (!left) return true;
  bool ok = true;
  if (type->kind == Kind::Array || type->kind == Kind::Tuple) {
    ClassSet structural = left & (classes::eq | classes::ord);
    left = left - structural;
    if (structural)
      for (TypePtr part : type->parts) ok = require(part, structural, need) && ok;
  }
  ClassSet missing;
  left.each([&](ClassId of) {
    bool known = false;
    ok = require_instance(type, of, need, known) && ok;
    if (!known) missing |= ClassSet{of};
  });
  if (missing && failure_.sort == Failure::None)
    failure_ = {Failure::Class, type, type, {}, {}, classes_.minimal(missing), need, through_};
  return ok;
}

// `known`: there is an instance, or it is not settled yet.
bool Checker::require_instance(TypePtr type, ClassId of, const Need* need, bool& known) {
  auto found = instance_index_.find(instance_key(of, type));
  bool later = false;
  if (found != instance_index_.end()) {
    for (std::uint32_t index : found->second) {
      InstanceRecord& record = instances_[index];
      Fit fit = match_head(record.head, type);
      later = later || fit == Fit::Later;
      if (fit != Fit::Yes) {
        for (std::uint32_t id : record.types) store_.variables[id].replacement = nullptr;
        continue;
      }
      known = true;
      if (record.context == InstanceRecord::Open) {
        derive_context(record);
        match_head(record.head, type);
      }
      return use_instance(record, type, need);
    }
  }
  known = later;
  if (later) wanted_.push_back({type, of, need, reason_});
  return later;
}

// The context of an instance whose variables are matched, and its sizes.
bool Checker::use_instance(const InstanceRecord& record, TypePtr type, const Need* need) {
  std::vector<TypePtr> args;
  for (std::uint32_t id : record.types) args.push_back(store_.variables[id].replacement);
  bool ok = true;
  if (!record.plain_sizes) {
    for (Symbol symbol : record.sizes)
      store_.symbols[symbol].replacement = store_.size_meta(level_, depth_, reason_.span);
    TypePtr head = store_.substitute(record.head);
    for (Symbol symbol : record.sizes) store_.symbols[symbol].replacement.reset();
    for (std::uint32_t id : record.types) store_.variables[id].replacement = nullptr;
    ok = unify(head, type);
  }
  for (std::uint32_t id : record.types) store_.variables[id].replacement = nullptr;
  const InstanceRecord* outer = through_;
  through_ = &record;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ClassSet mask = store_.variables[record.types[i]].mask;
    if (mask && args[i]) ok = require(args[i], mask, need) && ok;
  }
  through_ = outer;
  return ok;
}

// ---- constraints of signatures on types that are no variables
bool Checker::same_type(TypePtr a, TypePtr b) {
  a = TypeStore::prune(a);
  b = TypeStore::prune(b);
  if (a == b) return true;
  if (a->kind != b->kind || a->id != b->id || a->element != b->element ||
      a->parts.size() != b->parts.size() || a->kind == Kind::Meta)
    return false;
  for (std::size_t i = 0; i < a->parts.size(); ++i)
    if (!same_type(a->parts[i], b->parts[i])) return false;
  return true;
}

bool Checker::is_given(TypePtr type, ClassId of) {
  return std::any_of(givens_.begin(), givens_.end(), [&](const Constraint& given) {
    return classes_[given.of].closure.contains(of) && same_type(given.type, type);
  });
}

// ---- what waits for types
bool Checker::retry_wanted(std::size_t mark) {
  if (wanted_.size() <= mark) return false;
  std::vector<WantedClass> list(wanted_.begin() + static_cast<std::ptrdiff_t>(mark), wanted_.end());
  wanted_.resize(mark);
  bool progress = false;
  for (const WantedClass& wanted : list) {
    std::size_t before = wanted_.size();
    Reason outer = std::move(reason_);
    reason_ = wanted.reason;
    failure_ = {};
    if (!require(wanted.type, ClassSet{wanted.of}, wanted.need)) {
      Failure failure = failure_;
      report(wanted.reason, wanted.type, wanted.type, failure);
    }
    reason_ = std::move(outer);
    progress = progress || wanted_.size() == before;
  }
  return progress;
}

namespace {
// Whether the type has an unsolved variable that belongs to what surrounds level `level`.
bool open_outside(TypePtr type, int level) {
  type = TypeStore::prune(type);
  if (type->kind == Kind::Meta) return type->level <= level && level > 0;
  return std::any_of(type->parts.begin(), type->parts.end(),
                     [&](TypePtr part) { return open_outside(part, level); });
}
}  // namespace

// Constraints that wait for variables which nothing will settle any more are ambiguous.
void Checker::finish_wanted(std::size_t mark) {
  retry_wanted(mark);
  std::size_t kept = mark;
  for (std::size_t i = mark; i < wanted_.size(); ++i) {
    WantedClass wanted = wanted_[i];
    if (open_outside(wanted.type, level_)) {
      wanted_[kept++] = wanted;
      continue;
    }
    Diagnostic diagnostic;
    diagnostic.code = "ambiguous-type";
    diagnostic.message = "the type of this is not settled";
    diagnostic.span = wanted.need ? wanted.need->span : wanted.reason.span;
    diagnostic.label = (wanted.need ? wanted.need->who : std::string("this")) +
                       " needs an instance of `" + classes_[wanted.of].name + "`";
    explain_class(diagnostic, wanted.type, ClassSet{wanted.of});
    diagnostic.help.push_back("give it a type with an annotation `(… :: T)`");
    out_.add(std::move(diagnostic));
  }
  wanted_.resize(kept);
}

// Constraints that wait for variables of a generalised binding become part of its context.
void Checker::quantify_wanted(std::size_t mark, BindingInfo& binding) {
  std::size_t kept = mark;
  auto quantified = [&](auto&& self, TypePtr type) -> bool {
    type = TypeStore::prune(type);
    const auto& types = binding.scheme.types;
    if (type->kind == Kind::Variable)
      return std::find(types.begin(), types.end(), type->id) != types.end();
    return std::any_of(type->parts.begin(), type->parts.end(),
                       [&](TypePtr part) { return self(self, part); });
  };
  for (std::size_t i = mark; i < wanted_.size(); ++i) {
    if (quantified(quantified, wanted_[i].type))
      binding.scheme.context.push_back({wanted_[i].of, wanted_[i].type});
    else
      wanted_[kept++] = wanted_[i];
  }
  wanted_.resize(kept);
}

}  // namespace dvm::check
