// Instances, written and derived: heads, contexts, superclasses.
#include <algorithm>

#include "frontend/check/namer.hpp"

namespace dvm::check {

void Checker::declare_instances(const ast::Module& module) {
  std::size_t first = instances_.size();
  for (ast::DeclId id : module.decls)
    if (std::holds_alternative<ast::InstanceDecl>(node(id).node)) declare_instance(id);
  for (std::uint32_t i = 0; i < datas_.size(); ++i)
    if (datas_[i].module == module.name) derive_instances(i);
  for (std::size_t i = first; i < instances_.size(); ++i) derive_context(instances_[i]);
  for (std::size_t i = first; i < instances_.size(); ++i) check_superclasses(instances_[i]);
  for (std::size_t i = first; i < instances_.size(); ++i)
    if (instances_[i].decl) define_instance_methods(instances_[i]);
}

// ---- heads
void Checker::declare_instance(ast::DeclId id) {
  const auto& decl = std::get<ast::InstanceDecl>(node(id).node);
  auto of = find_class(decl.class_name);
  TypeNames names;
  std::size_t errors = out_.error_count();
  Scheme scheme = convert_signature({decl.context, decl.type}, names);
  if (!of || out_.error_count() > errors) return;
  InstanceRecord record;
  record.of = *of;
  record.head = TypeStore::prune(scheme.type);
  record.types = scheme.types;
  record.sizes = scheme.sizes;
  record.names = std::move(names);
  record.decl = id;
  record.span =
      Span{decl.class_name.span.file, decl.class_name.span.begin, node(decl.type).span.end};
  if (!scheme.unknowns.empty()) {
    error("bad-instance", "the head of an instance has no unknown size", node(decl.type).span,
          "name the size, or leave it to a variable");
    return;
  }
  if (!scheme.context.empty()) {
    error("bad-instance", "the context of an instance is on the type variables of its head",
          record.span, "one constraint is on another type");
    return;
  }
  if (check_head(record, decl)) add_instance(std::move(record));
}

bool Checker::check_head(const InstanceRecord& record, const ast::InstanceDecl& decl) {
  Span span = node(decl.type).span;
  if (record.head->kind == Kind::Error) return false;
  if (record.head->kind == Kind::String) {
    error("bad-instance", "strings are no values, so they have no instances", span);
    return false;
  }
  std::vector<std::uint32_t> seen;
  std::function<bool(TypePtr)> once = [&](TypePtr type) {
    type = TypeStore::prune(type);
    if (type->kind == Kind::Variable) {
      if (std::find(seen.begin(), seen.end(), type->id) != seen.end()) {
        error("bad-instance",
              "the type variable `" + store_.variables[type->id].name +
                  "` stands twice in the head of this instance",
              span, "each stands for a type of its own");
        return false;
      }
      seen.push_back(type->id);
      return true;
    }
    if (type->kind == Kind::Function && (!type->sizes.empty() || !type->exists.empty())) {
      error("bad-instance", "an instance is for plain functions, without sizes of their own", span);
      return false;
    }
    return std::all_of(type->parts.begin(), type->parts.end(), once);
  };
  if (!once(record.head)) return false;
  if (record.head->kind == Kind::Variable && store_.variables[record.head->id].mask) {
    error("bad-instance", "an instance for all types has no context", record.span,
          "whether a type is in the class would never be settled");
    return false;
  }
  return true;
}

namespace {
Diagnostic overlap(const std::string& shown, Span span) {
  Diagnostic diagnostic;
  diagnostic.code = "overlapping-instances";
  diagnostic.message = "there is an instance `" + shown + "` already";
  diagnostic.span = span;
  diagnostic.label = "this one overlaps it";
  return diagnostic;
}
}  // namespace

void Checker::add_instance(InstanceRecord record) {
  TypePtr head = record.head;
  std::string name = classes_[record.of].name;
  Namer namer(*this);
  for (const InstanceRecord& other : instances_) {
    if (other.of != record.of || !heads_overlap(other.head, head)) continue;
    Diagnostic diagnostic = overlap(name + " " + namer.argument(other.head), record.span);
    diagnostic.others.push_back({other.span, "the other instance"});
    diagnostic.notes.push_back("each type has one instance of a class, whatever its sizes");
    out_.add(std::move(diagnostic));
    return;
  }
  bool structural = head->kind == Kind::Array || head->kind == Kind::Tuple;
  bool builtin =
      head->kind == Kind::Scalar && classes::of_scalar(head->element).contains(record.of);
  builtin = builtin || (structural && (classes::eq | classes::ord).contains(record.of));
  if (head->kind == Kind::Variable && record.of.index < typed::builtin_class::count) builtin = true;
  if (builtin) {
    Diagnostic diagnostic = overlap(name + " " + namer.argument(head), record.span);
    diagnostic.notes.push_back("it is built in");
    out_.add(std::move(diagnostic));
    return;
  }
  std::vector<Symbol> plain;
  std::function<void(TypePtr)> visit = [&](TypePtr type) {
    type = TypeStore::prune(type);
    for (const Size& size : type->sizes) {
      auto symbol = size.as_symbol();
      bool again = symbol && std::find(plain.begin(), plain.end(), *symbol) != plain.end();
      if (!symbol || again)
        record.plain_sizes = false;
      else
        plain.push_back(*symbol);
    }
    for (TypePtr part : type->parts) visit(part);
  };
  visit(head);
  if (head->kind == Kind::Scalar)
    scalar_classes_[static_cast<std::size_t>(head->element)] |= ClassSet{record.of};
  if (head->kind == Kind::Variable) universal_ |= ClassSet{record.of};
  record.methods.resize(classes_[record.of].methods.size());
  instance_index_[instance_key(record.of, head)].push_back(
      static_cast<std::uint32_t>(instances_.size()));
  instances_.push_back(std::move(record));
}

// ---- deriving
void Checker::derive_instances(std::uint32_t id) {
  for (const auto& [of, span] : datas_[id].deriving) {
    const DataRecord& data = datas_[id];
    bool plain = std::all_of(data.constructors.begin(), data.constructors.end(),
                             [](const auto& entry) { return entry.fields.empty(); });
    bool single = data.constructors.size() == 1;
    if (of == typed::builtin_class::enumeration && (!plain || data.constructors.empty())) {
      error("cannot-derive", "`Enum` cannot be derived for `" + data.name + "`", span,
            "only types whose constructors have no fields are enumerations");
      continue;
    }
    if (of == typed::builtin_class::bounded && !plain && !single) {
      error("cannot-derive", "`Bounded` cannot be derived for `" + data.name + "`", span,
            "only enumerations and types with one constructor have a least value");
      continue;
    }
    InstanceRecord record;
    record.of = of;
    record.span = span;
    record.context = InstanceRecord::Open;
    std::vector<TypePtr> types;
    std::vector<Size> sizes;
    for (std::uint32_t param : data.type_params) {
      TypeVariable copy = store_.variables[param];
      store_.variables.push_back(copy);
      record.types.push_back(static_cast<std::uint32_t>(store_.variables.size() - 1));
      types.push_back(store_.variable(record.types.back()));
    }
    for (Symbol symbol : data.size_params) {
      record.sizes.push_back(symbol);
      sizes.push_back(Size::symbol(symbol));
    }
    record.head = store_.data(id, std::move(types), std::move(sizes));
    add_instance(std::move(record));
  }
}

// The context of a derived instance: what its fields need of the type's variables.
void Checker::derive_context(InstanceRecord& record) {
  if (record.context != InstanceRecord::Open) return;
  record.context = InstanceRecord::Deriving;
  const DataRecord& data = datas_[record.head->id];
  const Failure outer_failure = failure_;
  bool outer = deriving_;
  deriving_ = true;
  bool ok = true;
  for (const auto& constructor : data.constructors)
    for (std::size_t i = 0; i < constructor.fields.size() && ok; ++i) {
      for (std::size_t k = 0; k < data.type_params.size(); ++k)
        store_.variables[data.type_params[k]].replacement = store_.variable(record.types[k]);
      TypePtr field = store_.substitute(constructor.fields[i]);
      for (std::uint32_t param : data.type_params) store_.variables[param].replacement = nullptr;
      failure_ = {};
      if (require(field, ClassSet{record.of}, nullptr)) continue;
      ok = false;
      Namer namer(*this);
      const std::string& of = classes_[record.of].name;
      Diagnostic diagnostic;
      diagnostic.code = "cannot-derive";
      diagnostic.message = "`" + of + "` cannot be derived for `" + data.name + "`";
      diagnostic.span = record.span;
      std::string place = constructor.field_names[i].empty()
                              ? "field " + std::to_string(i + 1)
                              : "the field `" + constructor.field_names[i] + "`";
      diagnostic.label = place + " of `" + constructor.name + "` is a `" +
                         namer.type(failure_.actual ? failure_.actual : field) +
                         "`, which is not in class `" + of + "`";
      out_.add(std::move(diagnostic));
    }
  deriving_ = outer;
  failure_ = outer_failure;
  record.context = InstanceRecord::Known;
}

// ---- superclasses
void Checker::check_superclasses(const InstanceRecord& record) {
  for (ClassId super : classes_[record.of].superclasses) {
    failure_ = {};
    if (require(record.head, ClassSet{super}, nullptr)) continue;
    Failure failure = failure_;
    Namer namer(*this);
    TypePtr part = TypeStore::prune(failure.actual);
    const std::string& name = classes_[super].name;
    std::string shown = classes_[record.of].name + " " + namer.argument(record.head);
    Diagnostic diagnostic;
    diagnostic.code = "missing-superclass";
    diagnostic.message = "`" + shown + "` needs an instance of the superclass `" + name + "`";
    diagnostic.span = record.span;
    if (part == TypeStore::prune(record.head)) {
      diagnostic.label = "there is no instance `" + name + " " + namer.argument(record.head) + "`";
      diagnostic.help.push_back(record.decl ? "write `instance " + name + " " +
                                                  namer.argument(record.head) + "`"
                                            : "add `" + name + "` to the `deriving`");
    } else {
      std::string wanted =
          classes_.names(classes_.minimal(failure.mask)) + " " + namer.argument(part);
      diagnostic.label =
          "`" + name + " " + namer.argument(record.head) + "` needs `" + wanted + "`";
      if (part->kind == Kind::Variable)
        diagnostic.help.push_back("add `" + wanted + "` to the context of the instance");
    }
    show_class(diagnostic, record.of,
               "`" + classes_[record.of].name + "` has the superclass `" + name + "`");
    out_.add(std::move(diagnostic));
  }
  failure_ = {};
}

}  // namespace dvm::check
