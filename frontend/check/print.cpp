// Checked types as source, and the bindings of a module with their types.
#include <algorithm>

#include "frontend/check/check.hpp"

namespace dvm::typed {

namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string text(const TypeRef& type, int precedence) {
    if (!type) return "_";
    const auto& node = type->node;
    auto wrap = [&](bool needed, std::string inner) { return needed ? "(" + inner + ")" : inner; };
    if (auto* scalar = std::get_if<ScalarType>(&node))
      return std::string(facts(scalar->element).surface);
    if (std::holds_alternative<StringType>(node)) return "String";
    if (auto* variable = std::get_if<VariableType>(&node))
      return program_.type_var_names[variable->variable.index];
    if (auto* tuple = std::get_if<TupleType>(&node)) {
      std::string inner;
      for (const TypeRef& part : tuple->parts) inner += (inner.empty() ? "" : ", ") + text(part, 0);
      return "(" + inner + ")";
    }
    if (auto* array = std::get_if<ArrayType>(&node)) {
      std::string inner;
      if (array->shape.size() == 1) {
        inner = "Vec " + argument(array->shape[0]);
      } else if (array->shape.size() == 2) {
        inner = "Mat " + argument(array->shape[0]) + " " + argument(array->shape[1]);
      } else {
        for (const Size& dim : array->shape) inner += (inner.empty() ? "" : ", ") + size(dim);
        inner = "Array [" + inner + "]";
      }
      return wrap(precedence > 1, inner + " " + text(array->element, 2));
    }
    if (auto* data = std::get_if<DataType>(&node)) {
      std::string inner = program_.datas[data->data].name;
      for (const Size& arg : data->size_args) inner += " " + argument(arg);
      for (const TypeRef& arg : data->type_args) inner += " " + text(arg, 2);
      return wrap(precedence > 1 && inner.find(' ') != std::string::npos, inner);
    }
    const auto& function = std::get<FunctionType>(node);
    std::string param = text(function.param, 1);
    if (function.binder)
      param = "(" + program_.size_vars[*function.binder].name + " :: " + param + ")";
    for (SizeVarId unknown : function.unknowns)
      unknowns_.push_back({unknown, occurrences(function.result, unknown)});
    std::string result = text(function.result, 0);
    unknowns_.resize(unknowns_.size() - function.unknowns.size());
    return wrap(precedence > 0, param + " -> " + result);
  }

 private:
  static int occurrences(const TypeRef& type, SizeVarId wanted) {
    int count = 0;
    auto look = [&](const Size& size) {
      size.symbols([&](Size::Symbol symbol) { count += symbol == wanted.index; });
    };
    const auto& node = type->node;
    if (auto* array = std::get_if<ArrayType>(&node)) {
      for (const Size& size : array->shape) look(size);
      count += occurrences(array->element, wanted);
    } else if (auto* tuple = std::get_if<TupleType>(&node)) {
      for (const TypeRef& part : tuple->parts) count += occurrences(part, wanted);
    } else if (auto* data = std::get_if<DataType>(&node)) {
      for (const Size& size : data->size_args) look(size);
      for (const TypeRef& part : data->type_args) count += occurrences(part, wanted);
    } else if (auto* function = std::get_if<FunctionType>(&node)) {
      count += occurrences(function->param, wanted) + occurrences(function->result, wanted);
    }
    return count;
  }

  std::string name(Size::Symbol symbol) {
    for (const auto& [unknown, count] : unknowns_) {
      const std::string& written = program_.size_vars[unknown].name;
      if (unknown.index == symbol)
        return count == 1 ? "?" : written[0] == '?' ? written : "?" + written;
    }
    return program_.size_vars[SizeVarId{symbol}].name;
  }
  std::string size(const Size& size) {
    return size.to_text([&](Size::Symbol symbol) { return name(symbol); });
  }
  std::string argument(const Size& value) {
    std::string text = size(value);
    bool atom = text.find(' ') == std::string::npos && text[0] != '-';
    return atom ? text : "(" + text + ")";
  }

  const Program& program_;
  std::vector<std::pair<SizeVarId, int>> unknowns_;
};

}  // namespace

std::string to_text(const Program& program, const TypeRef& type) {
  return Printer(program).text(type, 0);
}

std::string to_text(const Program& program, const Scheme& scheme) {
  std::string context;
  for (const ClassConstraint& constraint : scheme.constraints)
    context += (context.empty() ? "" : ", ") + program.classes[constraint.of].name + " " +
               Printer(program).text(constraint.type, 2);
  if (scheme.constraints.size() > 1) context = "(" + context + ")";
  return (context.empty() ? "" : context + " => ") + to_text(program, scheme.type);
}

}  // namespace dvm::typed

namespace dvm::check {

std::string print_typed(const typed::Program& program, const SourceMap&) {
  if (!program.ast || program.ast->modules.empty()) return "";
  const ast::Module& module = program.ast->modules.back();
  std::vector<const typed::Binding*> list;
  for (const typed::Binding& binding : program.bindings) {
    bool wordy =
        binding.kind == typed::BindingKind::Local || binding.kind == typed::BindingKind::Global;
    if (wordy && binding.span.file == module.file) list.push_back(&binding);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto* a, const auto* b) { return a->span < b->span; });
  std::string text = "module " + module.name + "\n";
  for (const typed::Binding* binding : list) {
    bool word = std::isalpha(static_cast<unsigned char>(binding->name[0])) ||
                binding->name[0] == '_' || (binding->name[0] & 0x80);
    text += binding->kind == typed::BindingKind::Local ? "  " : "";
    text += (word ? binding->name : "(" + binding->name + ")") +
            " :: " + to_text(program, binding->scheme) + "\n";
  }
  return text;
}

}  // namespace dvm::check
