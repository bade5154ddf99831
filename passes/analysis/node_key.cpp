// Serialises a node into bytes, with inner values renumbered.
#include "passes/analysis/node_key.hpp"

#include <type_traits>
#include <unordered_map>

namespace dvm::passes {

using namespace graph;

// Writes nodes of one region. `outside` is where free values are listed; null: they stand for
// themselves.
class NodeKeys::Writer {
 public:
  Writer(NodeKeys& keys, std::vector<ValueId>* outside)
      : keys_(keys), function_(keys.function_), outside_(outside) {}

  void node(NodeId id, bool with_check) {
    const Node& node = function_.nodes[id];
    word(node.op.index());
    op(node.op);
    word(node.operands.size());
    for (ValueId operand : node.operands) value(operand);
    for (RegionId region : node.regions) {
      const Form& form = keys_.form(region);
      word(form.structure);
      for (ValueId free : form.free) value(free);
    }
    if (with_check) word(node.check.index);
    // Conversions are told apart by what they give; shapes may differ where sizes are asserted.
    for (ValueId result : node.results) {
      const Type& type = function_.values[result].type;
      define(result);
      word(static_cast<std::uint64_t>(type.element));
      for (const Size& dim : type.shape) size(dim);
    }
  }
  void region(RegionId id) {
    const Region& region = function_.regions[id];
    word(region.params.size());
    for (ValueId param : region.params) define(param);
    word(region.nodes.size());
    for (NodeId each : region.nodes) node(each, true);
    for (ValueId yield : region.yields) value(yield);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void word(std::uint64_t number) {
    // Seven bits a byte: most numbers are small.
    while (number >= 128) {
      bytes_.push_back(static_cast<char>(number & 127));
      number >>= 7;
    }
    bytes_.push_back(static_cast<char>(number | 128));
  }
  void define(ValueId id) { inner_.emplace(id, inner_.size()); }
  void value(ValueId id) {
    if (const auto found = inner_.find(id); found != inner_.end()) {
      word(2 * found->second);
    } else if (outside_ == nullptr) {
      word(2 * std::uint64_t{id.index} + 1);
    } else {
      const auto [place, fresh] = free_.emplace(id, free_.size());
      if (fresh) outside_->push_back(id);
      word(2 * place->second + 1);
    }
  }
  void size(const Size& size) {
    word(size.terms().size());
    for (const Size::Term& term : size.terms()) {
      word(static_cast<std::uint64_t>(term.coefficient));
      word(term.factors.size());
      for (const Size::Atom& atom : term.factors) {
        word(atom.quotient ? static_cast<std::uint64_t>(atom.quotient->divisor) : 0);
        if (atom.quotient)
          this->size(atom.quotient->numerator);
        else
          value(ValueId{atom.symbol});
      }
    }
  }
  void sizes(const std::vector<Size>& all) {
    word(all.size());
    for (const Size& each : all) size(each);
  }
  void components(const std::vector<Component>& all) {
    word(all.size());
    for (const Component& each : all)
      word(2 * static_cast<std::uint64_t>(each.combiner) + (each.fused_product ? 1 : 0));
  }
  void op(const Op& any) {
    std::visit(
        [&](const auto& op) {
          using T = std::decay_t<decltype(op)>;
          if constexpr (std::is_same_v<T, Constant>) {
            word(static_cast<std::uint64_t>(op.value.type));
            word(op.value.bits);
          }
          if constexpr (std::is_same_v<T, SizeOf>) size(op.size);
          if constexpr (std::is_same_v<T, ScalarOp>) word(static_cast<std::uint64_t>(op.fn));
          if constexpr (std::is_same_v<T, Reduce>) word(static_cast<std::uint64_t>(op.tree));
          if constexpr (std::is_same_v<T, Scan>) word(op.exclusive ? 1 : 0);
          if constexpr (std::is_same_v<T, Scatter>) word(op.combines ? 1 : 0);
          if constexpr (std::is_same_v<T, Loop>) word(op.stacked);
          if constexpr (std::is_same_v<T, Call>) word(op.callee.index);
          if constexpr (std::is_same_v<T, Sort>)
            for (bool down : op.descending) word((down ? 1 : 0) + (op.values ? 2 : 0));
          if constexpr (requires { op.keys; }) size(op.keys);
          if constexpr (requires { op.extent; }) size(op.extent);
          if constexpr (requires { op.space; }) sizes(op.space);
          if constexpr (requires { op.components; }) components(op.components);
        },
        any);
  }

  NodeKeys& keys_;
  const Function& function_;
  std::vector<ValueId>* outside_;
  std::string bytes_;
  std::unordered_map<ValueId, std::uint64_t> inner_, free_;
};

const NodeKeys::Form& NodeKeys::form(RegionId region) {
  if (const auto known = forms_.find(region); known != forms_.end()) return known->second;
  Form form;
  Writer writer(*this, &form.free);
  writer.region(region);
  form.structure = structures_.emplace(writer.take(), structures_.size()).first->second;
  return forms_.emplace(region, std::move(form)).first->second;
}

std::string NodeKeys::key(NodeId node) {
  Writer writer(*this, nullptr);
  writer.node(node, false);
  return writer.take();
}

}  // namespace dvm::passes
