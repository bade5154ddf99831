// One function of graph text. Used by parse.cpp only.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.hpp"
#include "ir/graph/scanner.hpp"

namespace dvm::graph {

// A call whose callee is resolved when all functions are known.
struct OpenCall {
  NodeId node;
  std::string callee;
  Span span;
};

// Throws ScanError.
class FunctionParser {
 public:
  explicit FunctionParser(Scanner& scanner) : scanner_(scanner) {}

  // From behind the word `graph` to the closing brace.
  Function parse();
  const std::vector<OpenCall>& open_calls() const { return open_calls_; }

 private:
  void result_list(std::uint32_t offset);
  std::vector<ValueId> typed_list();
  RegionId region(std::size_t depth);
  void contents(Region& region, std::string_view end, std::size_t depth);
  NodeId node(std::size_t depth);
  void suffixes(Node& node);
  void regions(Node& node, std::size_t depth);

  Op op(Node& node, Span& callee_span, std::string& callee);
  Op constant(const Node& node);
  Op reduce(Node& node);
  Op scan(Node& node);
  Op scatter(Node& node);
  Op reduce_by_key(Node& node);
  Op sort(Node& node);
  Op loop(Node& node);
  Op read(Node& node);
  std::vector<Component> components();
  void in_parentheses(std::vector<ValueId>& values);
  void value_list(std::vector<ValueId>& values);

  ValueId value();
  Type type();
  std::vector<Size> sizes();
  Size one_size();
  Size size_sum(int depth);
  Size size_product(bool negative, int depth);
  Size size_atom(bool& negative, int depth);

  Scanner& scanner_;
  Function function_;
  std::unordered_map<std::string, ValueId> names_;  // looked up only
  std::vector<OpenCall> open_calls_;
};

}  // namespace dvm::graph
