// The text of a module. Grammar: ir/README.md.
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/names.hpp"
#include "ir/graph/text.hpp"

namespace dvm::graph {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

class FunctionPrinter {
 public:
  FunctionPrinter(std::string& out, const Function& function,
                  const std::vector<std::string>& functions, const PrintOptions& options)
      : out_(out),
        function_(function),
        functions_(functions),
        options_(options),
        names_(function) {}

  void print(const std::string& name) {
    const Region& body = function_.body_region();
    out_ += "graph @" + name + "(";
    params(body);
    out_ += ") -> (";
    const bool named = function_.result_names.size() == body.yields.size();
    for (std::size_t i = 0; i < body.yields.size(); ++i) {
      if (i > 0) out_ += ", ";
      if (named) {
        const std::string& result = function_.result_names[i];
        const bool plain =
            !result.empty() && std::all_of(result.begin(), result.end(), is_name_character);
        out_ += (plain ? result : quoted(result)) + ": ";
      }
      out_ += names_.text(function_.values[body.yields[i]].type);
    }
    out_ += ")";
    if (function_.size_params > 0) out_ += fmt::format(" sizes {}", function_.size_params);
    out_ += " {\n";
    indent_ = 1;
    contents(body, "return");
    out_ += "}\n";
  }

 private:
  void begin_line() { out_.append(2 * indent_, ' '); }

  void values(const std::vector<ValueId>& list, std::size_t from = 0) {
    for (std::size_t i = from; i < list.size(); ++i) {
      if (i > from) out_ += ", ";
      out_ += '%';
      out_ += names_[list[i]];
    }
  }

  void params(const Region& region) { typed(region.params); }

  void typed(const std::vector<ValueId>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += '%';
      out_ += names_[list[i]];
      out_ += ": ";
      out_ += names_.text(function_.values[list[i]].type);
    }
  }

  void sizes(const std::vector<Size>& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += names_.text(list[i]);
    }
    out_ += ']';
  }

  void components(const std::vector<Component>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      out_ += i > 0 ? ", " : " ";
      out_ += facts(list[i].combiner).mnemonic;
      if (list[i].fused_product) out_ += ".fused";
    }
  }

  void in_parentheses(const std::vector<ValueId>& list, std::size_t from = 0) {
    out_ += " (";
    values(list, from);
    out_ += ')';
  }

  void contents(const Region& region, std::string_view end) {
    for (NodeId id : region.nodes) node(function_.nodes[id]);
    begin_line();
    out_ += end;
    if (!region.yields.empty()) out_ += ' ';
    values(region.yields);
    out_ += '\n';
  }

  void node(const Node& node) {
    begin_line();
    typed(node.results);
    out_ += " = ";
    std::visit([&](const auto& op) { head(op, node); }, node.op);
    if (node.check.valid()) out_ += fmt::format(" check {}", node.check.index);
    if (options_.locations && node.loc.valid()) out_ += fmt::format(" at {}", node.loc.index);
    for (std::size_t i = 0; i < node.regions.size(); ++i) {
      out_ += i == 0 ? " {" : fmt::format("}} {} {{", separator(node.op));
      region(function_.regions[node.regions[i]]);
    }
    out_ += node.regions.empty() ? "\n" : "}\n";
  }

  void region(const Region& region) {
    if (!region.params.empty()) {
      out_ += " (";
      params(region);
      out_ += ')';
    }
    out_ += '\n';
    ++indent_;
    contents(region, "yield");
    --indent_;
    begin_line();
  }

  static std::string_view separator(const Op& op) {
    if (std::holds_alternative<Branch>(op)) return "else";
    return std::holds_alternative<While>(op) ? "do" : "combine";
  }

  void word(const Op& op) { out_ += facts(op).mnemonic; }
  void operands(const Node& node) {
    if (!node.operands.empty()) out_ += ' ';
    values(node.operands);
  }

  void head(const Constant& op, const Node&) { out_ += "constant " + to_text(op.value); }
  void head(const SizeOf& op, const Node&) { out_ += "size " + names_.text(op.size); }
  void head(const ScalarOp& op, const Node& node) {
    out_ += facts(op.fn).mnemonic;
    operands(node);
  }
  void head(const Read&, const Node& node) {
    out_ += "read ";
    if (node.operands.empty()) return;
    out_ += '%' + names_[node.operands[0]] + '[';
    values(node.operands, 1);
    out_ += ']';
  }
  void head(const Check&, const Node& node) {
    out_ += "check";
    operands(node);
  }
  void head(const Map& op, const Node&) {
    out_ += "map ";
    sizes(op.space);
  }
  void head(const Reduce& op, const Node& node) {
    out_ += "reduce ";
    sizes(op.space);
    out_ += ' ';
    sizes({op.extent});
    out_ += op.tree == Tree::Lanes ? " lanes" : op.tree == Tree::Ordered ? " ordered" : " unset";
    components(op.components);
    in_parentheses(node.operands);
  }
  void head(const Scan& op, const Node& node) {
    out_ += "scan ";
    sizes(op.space);
    out_ += ' ';
    sizes({op.extent});
    if (op.exclusive) out_ += " exclusive";
    components(op.components);
    in_parentheses(node.operands);
  }
  void head(const Scatter& op, const Node& node) {
    out_ += "scatter ";
    sizes({op.extent});
    out_ += ' ';
    sizes(op.space);
    out_ += op.combines ? " combine" : " replace";
    components(op.components);
    in_parentheses(node.operands);
  }
  void head(const ReduceByKey& op, const Node& node) {
    out_ += "reduce_by_key ";
    sizes({op.keys});
    out_ += ' ';
    sizes({op.extent});
    out_ += ' ';
    sizes(op.space);
    components(op.components);
    in_parentheses(node.operands);
  }
  void head(const Concat&, const Node& node) {
    out_ += "concat";
    operands(node);
  }
  void head(const Reshape&, const Node& node) {
    out_ += "reshape";
    operands(node);
  }
  void head(const Sort& op, const Node& node) {
    out_ += op.values ? "sort values" : "sort";
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      out_ += (i > 0 ? ", %" : " %") + names_[node.operands[i]];
      if (i < op.descending.size() && op.descending[i]) out_ += " descending";
    }
  }
  void head(const Filter& op, const Node&) {
    out_ += "filter ";
    sizes({op.extent});
  }
  void head(const Loop& op, const Node& node) {
    out_ += "loop";
    if (!node.operands.empty()) out_ += " %" + names_[node.operands[0]];
    in_parentheses(node.operands, 1);
    if (op.stacked > 0) out_ += fmt::format(" stacked {}", op.stacked);
  }
  void head(const While&, const Node& node) {
    out_ += "while";
    in_parentheses(node.operands);
  }
  void head(const Branch&, const Node& node) {
    out_ += "branch";
    operands(node);
  }
  void head(const Call& op, const Node& node) {
    out_ += "call @" +
            (op.callee.index < functions_.size() ? functions_[op.callee.index] : std::string("?"));
    out_ += '(';
    values(node.operands);
    out_ += ')';
  }

  std::string& out_;
  const Function& function_;
  const std::vector<std::string>& functions_;
  const PrintOptions& options_;
  ValueNames names_;
  std::size_t indent_ = 0;
};

void print_checks(std::string& out, const Module& module, const PrintOptions& options) {
  if (module.checks.empty()) return;
  out += "checks {\n";
  std::size_t number = 0;
  for (const CheckInfo& check : module.checks) {
    out += fmt::format("  {}: {}", number++, quoted(check.message));
    if (options.locations && check.loc.valid()) out += fmt::format(" at {}", check.loc.index);
    out += '\n';
  }
  out += "}\n";
}

void print_locs(std::string& out, const Module& module) {
  if (module.locs.empty()) return;
  out += "locs {\n";
  std::size_t number = 0;
  for (const Loc& loc : module.locs) {
    out += fmt::format("  {}: ", number++);
    if (loc.span.valid()) {
      out += fmt::format("file {} {}-{}", loc.span.file.index, loc.span.begin, loc.span.end);
    } else {
      out += "nowhere";
    }
    out += " in " + quoted(loc.function);
    if (loc.caller.valid()) out += fmt::format(" from {}", loc.caller.index);
    out += '\n';
  }
  out += "}\n";
}

}  // namespace

std::string print(const Module& module, const PrintOptions& options) {
  std::string out;
  print_checks(out, module, options);
  if (options.locations) print_locs(out, module);
  const std::vector<std::string> names = function_names(module);
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    if (!out.empty()) out += '\n';
    FunctionPrinter(out, module.functions[FunctionId{i}], names, options).print(names[i]);
  }
  return out;
}

}  // namespace dvm::graph
