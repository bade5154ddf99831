// Which functions can be run, and why others cannot.
#include <algorithm>
#include <map>

#include "frontend/check/finish.hpp"

namespace dvm::check {

namespace {
// Whether a value of the type can come from or go to a file.
bool is_data(const typed::TypeRef& type) {
  const auto& node = type->node;
  if (std::holds_alternative<typed::ScalarType>(node)) return true;
  if (auto* array = std::get_if<typed::ArrayType>(&node)) return is_data(array->element);
  if (auto* tuple = std::get_if<typed::TupleType>(&node))
    return std::all_of(tuple->parts.begin(), tuple->parts.end(), is_data);
  if (auto* data = std::get_if<typed::DataType>(&node))
    return std::all_of(data->type_args.begin(), data->type_args.end(), is_data);
  return false;
}
}  // namespace

// Empty: it is one.
std::string Finisher::no_entry_because(const BindingInfo& from,
                                       const typed::Binding& binding) const {
  if (!from.decl) return "is no function of this module";
  const auto* function = std::get_if<ast::FunctionDecl>(&c_.node(*from.decl).node);
  if (function == nullptr) return "is part of a pattern";
  const std::vector<ast::Clause>& clauses = function->clauses;
  if (!from.signature && from.is_function) return "has no signature";
  if (clauses.size() > 1) return "has several clauses";
  for (ast::PatternId param : clauses[0].params)
    if (!c_.plain_variable(param)) return "has a parameter that is no plain variable";
  if (!binding.scheme.types.empty())
    return "has the type variable `" + out_.type_var_names.at(binding.scheme.types[0].index) +
           "` in its type";
  typed::TypeRef type = binding.scheme.type;
  std::size_t arrows = 0;
  while (auto* arrow = std::get_if<typed::FunctionType>(&type->node)) {
    if (!is_data(arrow->param)) return "takes a function";
    type = arrow->result;
    ++arrows;
  }
  if (!is_data(type)) return "gives a function";
  if (arrows != clauses[0].params.size())
    return "names fewer parameters than its type has arguments";
  return "";
}

// Its exports first; then what else has a name there, for the message when it is asked for.
void Finisher::entries() {
  if (c_.program_.modules.empty()) return;
  const ModuleScope& scope = c_.scopes_.back();
  std::vector<BindingId> found;
  for (const auto& [name, id] : std::map(scope.own.begin(), scope.own.end())) {
    const BindingInfo& from = c_.info(id);
    if (from.kind != BindingKind::Global) continue;
    const auto exported = scope.exports.find(name);
    std::string reason = no_entry_because(from, out_.bindings[id]);
    if (reason.empty() && (exported == scope.exports.end() || exported->second != id))
      reason = "is not exported";
    if (reason.empty())
      found.push_back(id);
    else
      out_.not_entries.emplace_back(id, std::move(reason));
  }
  std::sort(found.begin(), found.end(), [&](BindingId a, BindingId b) {
    bool main_a = c_.info(a).name == "main", main_b = c_.info(b).name == "main";
    if (main_a != main_b) return main_a;
    return c_.info(a).span < c_.info(b).span;
  });
  out_.entries = std::move(found);
}

}  // namespace dvm::check
