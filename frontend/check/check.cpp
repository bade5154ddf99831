// Checking a program, module by module, on a thread with a stack that deep nesting cannot exhaust.
#include "frontend/check/check.hpp"

#include <pthread.h>

#include "frontend/check/checker.hpp"

namespace dvm::check {

Checker::Checker(const ast::Program& program, const SourceMap& sources, Diagnostics& out)
    : program_(program), sources_(sources), out_(out) {
  references_.resize(program.arena.exprs.size());
  expr_types_.resize(program.arena.exprs.size(), nullptr);
  use_index_.resize(program.arena.exprs.size(), -1);
  opened_.resize(program.arena.exprs.size());
  pattern_types_.resize(program.arena.patterns.size(), nullptr);
  pattern_bindings_.resize(program.arena.patterns.size());
  pattern_constructors_.resize(program.arena.patterns.size());
  decl_bindings_.resize(program.arena.decls.size());
  list_of_first_.resize(program.arena.decls.size(), -1);
  for (int i = 0; i < element_type_count; ++i) {
    auto element = static_cast<ElementType>(i);
    builtin_types_[std::string(facts(element).surface)] = {TypeEntity::Scalar,
                                                           static_cast<std::uint32_t>(i)};
  }
  builtin_types_["Int64"] =
      builtin_types_["Int"] = {TypeEntity::Scalar, static_cast<std::uint32_t>(ElementType::I64)};
  builtin_types_["Word64"] =
      builtin_types_["Word"] = {TypeEntity::Scalar, static_cast<std::uint32_t>(ElementType::U64)};
  builtin_types_["String"] = {TypeEntity::String, 0};
  builtin_types_["Array"] = {TypeEntity::Array, 0};
  builtin_types_["Vec"] = {TypeEntity::Vec, 0};
  builtin_types_["Mat"] = {TypeEntity::Mat, 0};
  for (bool truth : {false, true}) {
    BindingId id = new_binding(truth ? "True" : "False", BindingKind::Constructor, {});
    BindingInfo& binding = info(id);
    binding.module = "Prelude";
    binding.part = truth ? 1 : 0;
    binding.has_scheme = true;
    binding.scheme.type = bool_type();
    (truth ? true_ : false_) = id;
  }
  for (int i = 0; i < element_type_count; ++i)
    scalar_classes_[static_cast<std::size_t>(i)] = classes::of_scalar(static_cast<ElementType>(i));
}

void Checker::run() {
  for (const ast::Module& module : program_.modules) {
    declare_module(module);
    declare_imports(module);
    std::size_t first_data = datas_.size();
    while (first_data > 0 && datas_[first_data - 1].module == module.name) --first_data;
    for (std::size_t i = first_data; i < datas_.size(); ++i)
      define_data(static_cast<std::uint32_t>(i));
    check_recursive_data(first_data);
    expand_synonyms(module);
    define_classes(module);
    declare_instances(module);
    declare_exports(module);
    std::size_t metas = store_.metas.size();
    int list = resolve_list(module.decls, true);
    resolve_method_bodies(module);
    infer_list(list);
    infer_method_bodies(module);
    settle_group(0, 0, 0);
    report_holes();
    default_metas(metas, -1);
    finish_wanted(0);
  }
  finish_literals();
  finish_uses();
  if (!out_.has_errors()) check_exhaustive();
}

// A type that contains itself would have no finite representation as arrays.
void Checker::check_recursive_data(std::size_t first) {
  std::vector<int> state(datas_.size(), 0);
  std::function<bool(TypePtr)> contains_open = [&](TypePtr type) -> bool {
    type = TypeStore::prune(type);
    for (TypePtr part : type->parts)
      if (contains_open(part)) return true;
    if (type->kind != Kind::Data) return false;
    if (state[type->id] == 1) return true;
    if (state[type->id] == 2) return false;
    state[type->id] = 1;
    bool found = false;
    for (const auto& constructor : datas_[type->id].constructors)
      for (TypePtr field : constructor.fields) found = found || contains_open(field);
    state[type->id] = 2;
    if (found)
      error("recursive-type", "the type `" + datas_[type->id].name + "` contains itself",
            datas_[type->id].span, "data types are not recursive");
    return found;
  };
  for (std::size_t i = first; i < datas_.size(); ++i) {
    if (state[i] != 0) continue;
    state[i] = 1;
    bool found = false;
    for (const auto& constructor : datas_[i].constructors)
      for (TypePtr field : constructor.fields) found = found || contains_open(field);
    state[i] = 2;
    if (found)
      error("recursive-type", "the type `" + datas_[i].name + "` contains itself", datas_[i].span,
            "data types are not recursive");
  }
}

namespace {
struct Job {
  const ast::Program* program;
  const SourceMap* sources;
  Diagnostics* out;
  std::optional<typed::Program> result;
};

void* run_job(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  Checker checker(*job.program, *job.sources, *job.out);
  checker.run();
  if (!job.out->has_errors()) job.result = checker.finish();
  return nullptr;
}

constexpr std::size_t stack_bytes = std::size_t{512} << 20;  // reserved, used only as needed
}  // namespace

std::optional<typed::Program> check(const ast::Program& program, const SourceMap& sources,
                                    Diagnostics& out) {
  Job job{&program, &sources, &out, std::nullopt};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread;
  bool started = pthread_create(&thread, &attributes, run_job, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (started)
    pthread_join(thread, nullptr);
  else
    run_job(&job);
  return std::move(job.result);
}

}  // namespace dvm::check
