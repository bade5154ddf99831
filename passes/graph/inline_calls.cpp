// Inlining in order of the call graph, callees first. See Note [How far inlining goes].
#include "passes/graph/inline_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Nodes a caller may grow to before further calls stay calls.
constexpr std::size_t max_nodes = 200'000;

// Functions on a cycle of calls, and an order of the others in which callees come first.
class CallGraph {
 public:
  explicit CallGraph(const Module& module)
      : callees_(module.functions.size()), recursive_(module.functions.size(), false) {
    for (std::uint32_t k = 0; k < module.functions.size(); ++k)
      for (const Node& node : module.functions[FunctionId{k}].nodes)
        if (const auto* call = std::get_if<Call>(&node.op))
          callees_[k].push_back(call->callee.index);
    find_components();
  }
  bool is_recursive(FunctionId id) const { return recursive_[id.index]; }
  const std::vector<std::uint32_t>& callees_first() const { return order_; }

 private:
  // Tarjan's strongly connected components, with an explicit stack.
  void find_components() {
    const std::size_t count = callees_.size();
    std::vector<std::uint32_t> number(count, 0), low(count, 0), stack;
    std::vector<bool> on_stack(count, false);
    std::uint32_t next = 1;
    struct Frame {
      std::uint32_t function;
      std::size_t edge;
    };
    for (std::uint32_t root = 0; root < count; ++root) {
      if (number[root] != 0) continue;
      std::vector<Frame> frames{{root, 0}};
      while (!frames.empty()) {
        Frame& frame = frames.back();
        const std::uint32_t f = frame.function;
        if (frame.edge == 0) {
          number[f] = low[f] = next++;
          stack.push_back(f);
          on_stack[f] = true;
        }
        if (frame.edge < callees_[f].size()) {
          const std::uint32_t callee = callees_[f][frame.edge++];
          if (number[callee] == 0)
            frames.push_back({callee, 0});
          else if (on_stack[callee])
            low[f] = std::min(low[f], number[callee]);
          if (callee == f) recursive_[f] = true;
          continue;
        }
        frames.pop_back();
        if (!frames.empty())
          low[frames.back().function] = std::min(low[frames.back().function], low[f]);
        if (low[f] == number[f]) close_component(f, stack, on_stack);
      }
    }
  }
  void close_component(std::uint32_t root, std::vector<std::uint32_t>& stack,
                       std::vector<bool>& on_stack) {
    const bool alone = stack.back() == root;
    while (true) {
      const std::uint32_t member = stack.back();
      stack.pop_back();
      on_stack[member] = false;
      if (!alone) recursive_[member] = true;
      order_.push_back(member);
      if (member == root) return;
    }
  }

  std::vector<std::vector<std::uint32_t>> callees_;
  std::vector<bool> recursive_;
  std::vector<std::uint32_t> order_;
};

// Functions that the first one, the entry, does not reach are dropped.
void drop_unreached(Module& module) {
  if (module.functions.empty()) return;
  std::vector<bool> reached(module.functions.size(), false);
  std::vector<std::uint32_t> open{0};
  reached[0] = true;
  while (!open.empty()) {
    const FunctionId id{open.back()};
    open.pop_back();
    for (const Node& node : module.functions[id].nodes) {
      const auto* call = std::get_if<Call>(&node.op);
      if (call == nullptr || reached[call->callee.index]) continue;
      reached[call->callee.index] = true;
      open.push_back(call->callee.index);
    }
  }
  std::vector<FunctionId> renamed(module.functions.size());
  IdVector<FunctionId, Function> kept;
  for (std::uint32_t k = 0; k < module.functions.size(); ++k)
    if (reached[k]) renamed[k] = kept.push(std::move(module.functions[FunctionId{k}]));
  for (Function& function : kept)
    for (Node& node : function.nodes)
      if (auto* call = std::get_if<Call>(&node.op)) call->callee = renamed[call->callee.index];
  module.functions = std::move(kept);
}

}  // namespace

void inline_calls(Module& module, Remarks* remarks) {
  const CallGraph calls(module);
  std::size_t inlined = 0, kept = 0;
  for (std::uint32_t k : calls.callees_first()) {
    rebuild(module, FunctionId{k}, [&](Rewriter& rewriter, NodeId id) {
      const Node& node = rewriter.from().nodes[id];
      const auto* call = std::get_if<Call>(&node.op);
      if (call == nullptr) return false;
      if (calls.is_recursive(call->callee) ||
          rewriter.builder().function().nodes.size() > max_nodes) {
        ++kept;
        return false;
      }
      ++inlined;
      map_results(rewriter, id,
                  paste(rewriter.builder(), module.functions[call->callee],
                        mapped(rewriter, node.operands)));
      return true;
    });
  }
  drop_unreached(module);
  if (remarks == nullptr) return;
  if (inlined > 0)
    remarks->add({.verdict = "inlined", .reason = fmt::format("{} calls inlined", inlined)});
  if (kept > 0)
    remarks->add({.kind = Remark::Kind::Kept,
                  .verdict = "recursive",
                  .reason = fmt::format("{} calls kept: of functions that call themselves, or in "
                                        "functions that have grown to {} nodes",
                                        kept, max_nodes)});
}

// Note [How far inlining goes]
// Callees are finished before their callers, so one walk per function does it. Growth is bounded: a
// chain of functions that each call the one before twice would double the program at every step.

}  // namespace dvm::passes
