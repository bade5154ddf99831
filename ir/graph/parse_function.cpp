// Functions and nodes of graph text. Sizes and types: parse_size.cpp.
#include "ir/graph/parse_function.hpp"

#include <algorithm>
#include <array>

#include "ir/graph/names.hpp"

namespace dvm::graph {

Function FunctionParser::parse() {
  function_.name = std::string(scanner_.name('@'));
  Region body;
  scanner_.expect("(");
  if (!scanner_.accept(")")) {
    body.params = typed_list();
    scanner_.expect(")");
  }
  scanner_.expect("->");
  scanner_.expect("(");
  // Types of results may mention values of the body, so they are read after it.
  const std::uint32_t results = scanner_.offset();
  scanner_.skip_parentheses();
  if (scanner_.accept("sizes")) function_.size_params = scanner_.index();
  scanner_.expect("{");
  contents(body, "return", 1);
  scanner_.expect("}");
  const std::uint32_t end = scanner_.offset();
  function_.body = function_.regions.push(std::move(body));
  result_list(results);
  scanner_.go_to(end);
  return std::move(function_);
}

void FunctionParser::result_list(std::uint32_t offset) {
  scanner_.go_to(offset);
  const std::vector<ValueId> yields = function_.body_region().yields;
  bool named = false;
  std::size_t count = 0;
  if (scanner_.accept(")")) {
    if (!yields.empty())
      scanner_.fail_at(scanner_.span_from(offset),
                       "`return` gives more values than the function has results");
    return;
  }
  do {
    scanner_.skip_space();
    const std::uint32_t begin = scanner_.offset();
    std::string name =
        scanner_.peek("\"") ? scanner_.string() : std::string(scanner_.name_characters());
    const bool has_name = scanner_.accept(":");
    if (count == 0) named = has_name;
    if (has_name != named) scanner_.fail("expected either names for all results or for none");
    if (named) {
      function_.result_names.push_back(std::move(name));
      scanner_.skip_space();
    } else {
      scanner_.go_to(begin);
    }
    const std::uint32_t type_begin = scanner_.offset();
    const Type result = type();
    if (count < yields.size() && result != function_.values[yields[count]].type) {
      scanner_.fail_at(scanner_.span_from(type_begin),
                       "the type of a result differs from the returned value's");
    }
    ++count;
  } while (scanner_.accept(","));
  scanner_.expect(")");
  if (count != yields.size()) {
    scanner_.fail_at(scanner_.span_from(offset), "the function has " + std::to_string(count) +
                                                     " results, `return` gives " +
                                                     std::to_string(yields.size()));
  }
}

// `%a: f64, %b: i64[n]`; each name is known in the types after it.
std::vector<ValueId> FunctionParser::typed_list() {
  std::vector<ValueId> list;
  do {
    scanner_.skip_space();
    const std::uint32_t begin = scanner_.offset();
    std::string name(scanner_.name('%'));
    const Span span = scanner_.span_from(begin);
    scanner_.expect(":");
    Type value_type = type();
    const bool numbered = name.find_first_not_of("0123456789") == std::string::npos;
    const ValueId value = function_.values.push(
        Value{std::move(value_type), numbered ? std::string() : name, NodeId{}});
    if (!names_.emplace(name, value).second) {
      scanner_.fail_at(span, "`%" + name + "` is defined twice in one function");
    }
    list.push_back(value);
  } while (scanner_.accept(","));
  return list;
}

RegionId FunctionParser::region(std::size_t depth) {
  if (depth > max_region_depth) {
    scanner_.fail("regions are nested deeper than " + std::to_string(max_region_depth));
  }
  Region region;
  if (scanner_.accept("(")) {
    if (!scanner_.accept(")")) {
      region.params = typed_list();
      scanner_.expect(")");
    }
  }
  contents(region, "yield", depth);
  return function_.regions.push(std::move(region));
}

void FunctionParser::contents(Region& region, std::string_view end, std::size_t depth) {
  while (scanner_.peek_name('%')) region.nodes.push_back(node(depth));
  if (!scanner_.peek(end))
    scanner_.fail("expected `%name: type = operation` or `" + std::string(end) + "`");
  scanner_.accept(end);
  if (scanner_.peek_name('%')) value_list(region.yields);
}

NodeId FunctionParser::node(std::size_t depth) {
  Node node;
  node.results = typed_list();
  scanner_.expect("=");
  Span callee_span;
  std::string callee;
  node.op = op(node, callee_span, callee);
  suffixes(node);
  regions(node, depth);
  const NodeId id = function_.nodes.push(std::move(node));
  for (ValueId result : function_.nodes[id].results) function_.values[result].node = id;
  if (callee_span.valid()) open_calls_.push_back({id, std::move(callee), callee_span});
  return id;
}

void FunctionParser::suffixes(Node& node) {
  if (scanner_.accept("check")) node.check = CheckId{scanner_.index()};
  if (scanner_.accept("at")) node.loc = LocId{scanner_.index()};
}

void FunctionParser::regions(Node& node, std::size_t depth) {
  if (!scanner_.accept("{")) return;
  const std::string_view separator = std::holds_alternative<Branch>(node.op)  ? "else"
                                     : std::holds_alternative<While>(node.op) ? "do"
                                                                              : "combine";
  node.regions.push_back(region(depth + 1));
  scanner_.expect("}");
  if (!scanner_.accept(separator)) return;
  scanner_.expect("{");
  node.regions.push_back(region(depth + 1));
  scanner_.expect("}");
}

Op FunctionParser::op(Node& node, Span& callee_span, std::string& callee) {
  scanner_.skip_space();
  const std::uint32_t begin = scanner_.offset();
  const std::string_view word = scanner_.word();
  auto operands = [&] {
    if (scanner_.peek_name('%')) value_list(node.operands);
  };
  if (word == Constant::facts.mnemonic) return constant(node);
  if (word == SizeOf::facts.mnemonic) return SizeOf{one_size()};
  if (word == Read::facts.mnemonic) return read(node);
  if (word == Check::facts.mnemonic) return operands(), Check{};
  if (word == Map::facts.mnemonic) return Map{sizes()};
  if (word == Reduce::facts.mnemonic) return reduce(node);
  if (word == Scan::facts.mnemonic) return scan(node);
  if (word == Scatter::facts.mnemonic) return scatter(node);
  if (word == ReduceByKey::facts.mnemonic) return reduce_by_key(node);
  if (word == Concat::facts.mnemonic) return operands(), Concat{};
  if (word == Reshape::facts.mnemonic) return operands(), Reshape{};
  if (word == Sort::facts.mnemonic) return sort(node);
  if (word == Loop::facts.mnemonic) return loop(node);
  if (word == Branch::facts.mnemonic) return operands(), Branch{};
  if (word == While::facts.mnemonic) return in_parentheses(node.operands), While{};
  if (word == Filter::facts.mnemonic) {
    scanner_.expect("[");
    Filter filter{one_size()};
    scanner_.expect("]");
    return filter;
  }
  if (word == Call::facts.mnemonic) {
    scanner_.skip_space();
    const std::uint32_t callee_begin = scanner_.offset();
    callee = std::string(scanner_.name('@'));
    callee_span = scanner_.span_from(callee_begin);
    in_parentheses(node.operands);
    return Call{};
  }
  if (const auto fn = scalar_fn_from_mnemonic(word)) return operands(), ScalarOp{*fn};
  scanner_.fail_at(scanner_.span_from(begin), "there is no operation `" + std::string(word) + "`");
}

Op FunctionParser::constant(const Node& node) {
  scanner_.skip_space();
  const std::uint32_t begin = scanner_.offset();
  const std::string_view literal = scanner_.literal();
  const Type& type = function_.values[node.results[0]].type;
  const auto scalar = type.is_scalar() ? scalar_from_text(type.element, literal) : std::nullopt;
  if (!scalar) {
    scanner_.fail_at(scanner_.span_from(begin), "`" + std::string(literal.substr(0, 60)) +
                                                    "` is not a literal of type `" +
                                                    std::string(facts(type.element).name) + "`");
  }
  return Constant{*scalar};
}

Op FunctionParser::read(Node& node) {
  node.operands.push_back(value());
  scanner_.expect("[");
  if (scanner_.accept("]")) return Read{};
  value_list(node.operands);
  scanner_.expect("]");
  return Read{};
}

Op FunctionParser::reduce(Node& node) {
  Reduce op;
  op.space = sizes();
  scanner_.expect("[");
  op.extent = one_size();
  scanner_.expect("]");
  if (scanner_.accept("lanes")) {
    op.tree = Tree::Lanes;
  } else if (scanner_.accept("ordered")) {
    op.tree = Tree::Ordered;
  } else {
    scanner_.expect("unset");
  }
  op.components = components();
  in_parentheses(node.operands);
  return op;
}

Op FunctionParser::scan(Node& node) {
  Scan op;
  op.space = sizes();
  scanner_.expect("[");
  op.extent = one_size();
  scanner_.expect("]");
  op.exclusive = scanner_.accept("exclusive");
  op.components = components();
  in_parentheses(node.operands);
  return op;
}

Op FunctionParser::scatter(Node& node) {
  Scatter op;
  scanner_.expect("[");
  op.extent = one_size();
  scanner_.expect("]");
  op.space = sizes();
  op.combines = scanner_.accept("combine");
  if (!op.combines) scanner_.expect("replace");
  op.components = components();
  in_parentheses(node.operands);
  return op;
}

Op FunctionParser::reduce_by_key(Node& node) {
  ReduceByKey op;
  scanner_.expect("[");
  op.keys = one_size();
  scanner_.expect("]");
  scanner_.expect("[");
  op.extent = one_size();
  scanner_.expect("]");
  op.space = sizes();
  op.components = components();
  in_parentheses(node.operands);
  return op;
}

Op FunctionParser::sort(Node& node) {
  Sort op;
  op.values = scanner_.accept("values");
  do {
    node.operands.push_back(value());
    op.descending.push_back(scanner_.accept("descending"));
  } while (scanner_.accept(","));
  return op;
}

Op FunctionParser::loop(Node& node) {
  Loop op;
  node.operands.push_back(value());
  in_parentheses(node.operands);
  if (scanner_.accept("stacked")) op.stacked = scanner_.index();
  return op;
}

std::vector<Component> FunctionParser::components() {
  std::vector<Component> list;
  if (!scanner_.peek_identifier()) return list;
  do {
    scanner_.skip_space();
    const std::uint32_t begin = scanner_.offset();
    std::string_view word = scanner_.word();
    Component component;
    component.fused_product = word.ends_with(".fused");
    if (component.fused_product) word.remove_suffix(6);
    const auto fn = scalar_fn_from_mnemonic(word);
    if (!fn)
      scanner_.fail_at(scanner_.span_from(begin), "expected a scalar function that combines");
    component.combiner = *fn;
    list.push_back(component);
  } while (scanner_.accept(","));
  return list;
}

void FunctionParser::in_parentheses(std::vector<ValueId>& values) {
  scanner_.expect("(");
  if (scanner_.accept(")")) return;
  value_list(values);
  scanner_.expect(")");
}

void FunctionParser::value_list(std::vector<ValueId>& values) {
  do {
    values.push_back(value());
  } while (scanner_.accept(","));
}

ValueId FunctionParser::value() {
  scanner_.skip_space();
  const std::uint32_t begin = scanner_.offset();
  const std::string name(scanner_.name('%'));
  const auto found = names_.find(name);
  if (found == names_.end()) {
    scanner_.fail_at(scanner_.span_from(begin), "`%" + name + "` is not defined before this place");
  }
  return found->second;
}

}  // namespace dvm::graph
