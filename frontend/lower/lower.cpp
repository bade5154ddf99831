// Entry points: inputs, results, and the finished module.
#include "frontend/lower/lower.hpp"

#include <algorithm>

#include "frontend/lower/lowerer.hpp"
#include "frontend/parse/deep_stack.hpp"
#include "ir/graph/rewrite.hpp"

namespace dvm::lower {

Lowerer::Lowerer(const typed::Program& program, const SourceMap& sources, graph::Module& module,
                 const RecursiveMethods& recursive)
    : program_(program),
      sources_(sources),
      module_(module),
      recursive_methods_(recursive),
      written_(program.classes.size()) {
  for (const typed::InstanceInfo& instance : program.instances)
    if (!instance.derived) written_.at(instance.of.index).push_back(&instance);
  for (std::uint32_t i = 0; i < program.bindings.size(); ++i)
    if (const auto& symbol = program.bindings[BindingId{i}].size_symbol)
      size_bindings_.emplace(*symbol, BindingId{i});
}

namespace {

// The size variables of a type. Those of a value that is no function all came into being with it,
// or with the values it was made of.
void sizes_of(const TypeRef& type, std::vector<SizeVarId>& out) {
  const auto add = [&](const Size& size) {
    size.symbols([&](Size::Symbol symbol) { out.push_back(SizeVarId{symbol}); });
  };
  if (const auto* array = std::get_if<typed::ArrayType>(&type->node)) {
    for (const Size& extent : array->shape) add(extent);
    sizes_of(array->element, out);
  } else if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
    for (const TypeRef& part : tuple->parts) sizes_of(part, out);
  } else if (const auto* data = std::get_if<typed::DataType>(&type->node)) {
    for (const Size& arg : data->size_args) add(arg);
    for (const TypeRef& arg : data->type_args) sizes_of(arg, out);
  }
}

}  // namespace

void Lowerer::lower_entry(BindingId entry) {
  const typed::Binding& binding = program_.bindings[entry];
  if (!binding.decl) not_supported(binding.span, "this entry");
  const auto& function = std::get<ast::FunctionDecl>(arena().decls[*binding.decl].node);
  const std::size_t arity = function.clauses.at(0).params.size();
  graph::Function body;
  body.name = binding.name;
  body.body = body.regions.push({});
  emitter_ = std::make_unique<Emitter>(module_, module_.functions.push(std::move(body)));
  context_ = Context{{}, binding.name};
  at(binding.span);
  if (!binding.scheme.types.empty())
    fail(binding.span, "polymorphic-entry",
         "the type of the entry `" + binding.name + "` is not settled");

  const RecursiveType type = recursive_type(entry, arity, {});
  Env* env = new_env(nullptr);
  for (SizeVarId size : type.sizes) {
    const ValueId param = emit().param({ElementType::I64, {}}, program_.size_vars[size].name);
    emit().mark_size(param);
    env->sizes[size] = Size::symbol(param.index);
  }
  emit().function().size_params = type.sizes.size();
  std::vector<Lazy*> args;
  for (std::size_t i = 0; i < arity; ++i) {
    const LayoutRef layout = layout_of_type(type.params.at(i), env, binding.span);
    std::vector<std::string> names;
    leaf_names(layout, param_name(function, i), names);
    std::vector<ValueId> leaves;
    const std::vector<graph::Type> types = leaf_types(layout);
    for (std::size_t k = 0; k < types.size(); ++k)
      leaves.push_back(emit().param(types[k], names[k]));
    args.push_back(ready(rebuild(layout, leaves)));
    if (type.binders[i].valid()) env->sizes[type.binders[i]] = Size::symbol(leaves.at(0).index);
  }
  FunctionAt whole;
  whole.binding = entry;
  whole.decl = *binding.decl;
  whole.span = binding.span;
  whole.from = emit().function_id();
  const ValueRef value = binding.recursive && arity > 0
                             ? apply(recursive_value(whole, arity), args, binding.span)
                             : run_function(entry, *binding.decl, args, env, {}, nullptr);
  const ValueRef settled = settle(value, binding.span);
  std::vector<SizeVarId> unknowns = type.unknowns;
  if (arity == 0) sizes_of(type.result, unknowns);
  for (SizeVarId unknown : unknowns)
    if (auto size = match_size(type.result, settled, unknown, env)) env->sizes[unknown] = *size;
  const LayoutRef layout = layout_of_type(type.result, env, binding.span);
  at(binding.span);
  const std::vector<ValueId> leaves = state_leaves(settled, layout, binding.span);
  std::vector<std::string> names;
  leaf_names(layout, "", names);
  for (std::string& name : names)
    if (name.empty()) name = "result";
  emit().set_yields(emit().function().body, leaves);
  emit().function().result_names = names;
}

namespace {

// Numbers the checks that are left without gaps, in their order.
void number_checks(graph::Module& module) {
  std::vector<bool> used(module.checks.size(), false);
  for (const graph::Function& function : module.functions)
    for (const graph::Node& node : function.nodes)
      if (node.check.valid()) used[node.check.index] = true;
  IdVector<CheckId, graph::CheckInfo> kept;
  std::vector<CheckId> renamed(used.size());
  for (std::uint32_t i = 0; i < used.size(); ++i)
    if (used[i]) renamed[i] = kept.push(module.checks[CheckId{i}]);
  for (graph::Function& function : module.functions)
    for (graph::Node& node : function.nodes)
      if (node.check.valid()) node.check = renamed[node.check.index];
  module.checks = std::move(kept);
}

}  // namespace

std::optional<graph::Module> lower(const typed::Program& program, const SourceMap& sources,
                                   typed::BindingId entry, Diagnostics& out,
                                   std::vector<graph::LocId>* stated) {
  graph::Module module;
  bool ok = false;
  with_deep_stack([&] {
    try {
      RecursiveMethods recursive;
      while (!ok) {
        module = {};
        Lowerer lowerer(program, sources, module, recursive);
        try {
          lowerer.lower_entry(entry);
          ok = true;
          if (stated != nullptr) *stated = lowerer.stated_laws();
        } catch (const RecursiveMethod& found) {
          recursive.emplace(found.method, found.types);
        }
      }
    } catch (const LoweringError& error) {
      out.add(error.diagnostic);
    } catch (const std::exception& error) {
      // A value without the shape that its type promises: a bug, but not one that ends the program.
      Diagnostic diagnostic;
      diagnostic.code = "internal";
      diagnostic.message =
          "`" + program.bindings[entry].name + "` could not be lowered: " + error.what();
      diagnostic.span = program.bindings[entry].span;
      diagnostic.notes.push_back("this is a bug in dvmc");
      out.add(std::move(diagnostic));
    }
  });
  if (!ok) return std::nullopt;
  for (graph::Function& function : module.functions)
    function = graph::without_unneeded(module, function);
  number_checks(module);
  return module;
}

}  // namespace dvm::lower
