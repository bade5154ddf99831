// Functions and regions to templates of the task IR.
#include "passes/plan/template_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/graph/affine.hpp"
#include "ir/graph/contraction.hpp"
#include "ir/graph/walk.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/cost/cost.hpp"
#include "passes/plan/access.hpp"
#include "passes/plan/chain_remarks.hpp"
#include "passes/plan/expand_bodies.hpp"
#include "passes/plan/kernel_limits.hpp"
#include "passes/plan/outline.hpp"
#include "passes/plan/sequential.hpp"
#include "passes/plan/unit_order.hpp"

namespace dvm::passes {

using namespace graph;
using task::ArrayWork;
using task::Family;
using task::SlotId;

namespace {

std::string plain(std::string_view name) {
  std::string result;
  for (char c : name)
    result += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '_';
  return result.empty() ? "v" : result;
}

class TemplateBuilder {
 public:
  TemplateBuilder(TemplateQueue& queue, FunctionId function, bool stepwise)
      : queue_(queue), id_(function), function_(queue.function(function)), stepwise_(stepwise) {}

  task::Template build(std::string name, RegionId region, const std::vector<ValueId>& captures) {
    out_.name = std::move(name);
    careful_ = queue_.is_careful(id_) && region == function_.body;
    const Region& body = function_.regions[region];
    std::vector<ValueId> params = body.params;
    params.insert(params.end(), captures.begin(), captures.end());
    for (ValueId param : params) add_slot(param);
    for (ValueId param : params) {
      shape_slot(param);
      out_.params.push_back(slots_.at(param));
    }
    const std::vector<NodeChain> chains = chains_of(region);
    if (chains.empty()) {
      for (NodeId node : body.nodes) add_node(node);
    } else {
      for (const Unit& unit : in_order(function_, region, chains))
        if (unit.node.valid())
          add_node(unit.node);
        else
          add_chain(chains[unit.chain]);
    }
    for (ValueId yield : body.yields) out_.yields.push_back(slot_of(yield));
    task::keep_what_is_read(out_);
    if (queue_.remarks != nullptr) say_chains(function_, chains, out_, slots_, *queue_.remarks);
    return std::move(out_);
  }

 private:
  const Type& type(ValueId value) const { return function_.values[value].type; }

  // --- slots
  SlotId add_slot(ValueId value) {
    task::Slot slot;
    slot.element = type(value).element;
    slot.name = unique(plain(function_.values[value].name));
    const SlotId id = out_.slots.push(std::move(slot));
    slots_[value] = id;
    return id;
  }
  void shape_slot(ValueId value) {
    std::vector<Size> shape;
    for (const Size& size : type(value).shape) shape.push_back(mapped(size));
    out_.slots[slots_.at(value)].shape = std::move(shape);
  }
  std::string unique(std::string base) {
    if (!std::isalpha(static_cast<unsigned char>(base[0])) && base[0] != '_') base = "v" + base;
    std::string name = base;
    for (int count = names_[base]; !taken_.insert(name).second; ++count) {
      name = fmt::format("{}.{}", base, count);
      names_[base] = count;
    }
    return name;
  }
  // Constants and sizes from outside are made again where they are used.
  SlotId slot_of(ValueId value) {
    if (const auto known = slots_.find(value); known != slots_.end()) return known->second;
    add_node(function_.values[value].node);
    return slots_.at(value);
  }
  Size mapped(const Size& size) {
    return size.substitute(
        [&](Size::Symbol symbol) { return Size::symbol(slot_of(ValueId{symbol}).index); });
  }
  std::vector<Size> mapped(const std::vector<Size>& sizes) {
    std::vector<Size> result;
    for (const Size& size : sizes) result.push_back(mapped(size));
    return result;
  }

  // --- chains
  std::vector<NodeChain> chains_of(RegionId region) {
    if (careful_ || queue_.is_careful(id_)) return {};
    return find_chains(queue_.chain_facts(id_), region, [&](NodeId id) { return doubtful(id); });
  }
  std::optional<std::vector<ValueId>> doubtful(NodeId id) {
    const Op& op = function_.nodes[id].op;
    const bool kernels = std::holds_alternative<Map>(op) || std::holds_alternative<Reduce>(op) ||
                         std::holds_alternative<ReduceByKey>(op);
    if (!kernels || (std::holds_alternative<Map>(op) && !fits_kernel(function_, id)))
      return std::nullopt;
    std::vector<ValueId> found;
    const Outlined outlined = outline(function_, id, false, "");
    const std::vector<bool> perhaps = read_perhaps(outlined);
    for (std::size_t k = 0; k < perhaps.size(); ++k)
      if (perhaps[k] && queue_.may_fail(id_, outlined.params[k]))
        found.push_back(outlined.params[k]);
    return found;
  }
  void add_chain(const NodeChain& chain) {
    task::Chain action;
    action.dims = chain.dims;
    Family family;
    for (const ChainMember& member : chain.members) {
      const Node& node = function_.nodes[member.node];
      Family alone;
      task::Action work = std::visit(
          [&](const auto& op) { return this->action(op, member.node, node, alone); }, node.op);
      for (ValueId result : node.results) alone.results.push_back(add_slot(result));
      for (ValueId result : node.results) shape_slot(result);
      family.results.insert(family.results.end(), alone.results.begin(), alone.results.end());
      action.stages.push_back({std::move(std::get<ArrayWork>(work)), std::move(alone.operands),
                               std::move(alone.results), member.by_blocks});
    }
    family.operands = task::outer_operands(action);
    family.action = std::move(action);
    out_.families.push_back(std::move(family));
  }
  // --- nodes
  void add_node(NodeId id) {
    const Node& node = function_.nodes[id];
    Family family;
    family.check = node.check;
    family.action =
        std::visit([&](const auto& op) { return action(op, id, node, family); }, node.op);
    for (ValueId result : node.results) family.results.push_back(add_slot(result));
    for (ValueId result : node.results) shape_slot(result);
    out_.families.push_back(std::move(family));
  }
  void pass(const std::vector<ValueId>& values, Family& family) {
    for (ValueId value : values) family.operands.push_back(slot_of(value));
  }

  task::Action action(const Constant& op, NodeId, const Node&, Family&) {
    return task::ConstantOf{op.value};
  }
  task::Action action(const SizeOf& op, NodeId, const Node&, Family&) {
    return task::SizeValue{mapped(op.size)};
  }
  task::Action action(const ScalarOp& op, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    return task::Compute{op.fn};
  }
  task::Action action(const Read&, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    return task::ReadElement{};
  }
  task::Action action(const Check&, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    return task::CheckValue{};
  }
  task::Action action(const Concat&, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    return task::Concat{};
  }
  task::Action action(const Reshape&, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    return task::Alias{};
  }
  task::Action action(const Sort& op, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    return task::SortKeys{op.descending, op.values};
  }

  task::Action action(const Map& op, NodeId id, const Node& node, Family& family) {
    if (careful_ || !fits_kernel(function_, id)) {
      const std::vector<ValueId> outside = captured(node);
      pass(outside, family);
      return task::Each{queue_.template_of(id_, node.regions[0], "each", outside, careful_),
                        mapped(op.space)};
    }
    ArrayWork result = work(ArrayWork::Kind::Map, op.space, Size(), Size(), id, family);
    result.reuses = contraction_of(function_, id).has_value();
    return result;
  }
  task::Action action(const Reduce& op, NodeId id, const Node&, Family& family) {
    ArrayWork result = work(ArrayWork::Kind::Reduce, op.space, op.extent, Size(), id, family);
    const auto extent = op.extent.constant();
    result.reuses = (!op.space.empty() && op.tree == Tree::Ordered && !(extent && *extent <= 64)) ||
                    contraction_of(function_, id).has_value();
    return result;
  }
  task::Action action(const Scan& op, NodeId id, const Node&, Family& family) {
    return work(ArrayWork::Kind::Scan, op.space, op.extent, Size(), id, family);
  }
  task::Action action(const ReduceByKey& op, NodeId id, const Node&, Family& family) {
    return work(ArrayWork::Kind::Keys, op.space, op.extent, op.keys, id, family);
  }
  task::Action action(const Scatter& op, NodeId id, const Node&, Family& family) {
    return work(ArrayWork::Kind::Scatter, op.space, op.extent, Size(), id, family);
  }
  task::Action action(const Filter& op, NodeId id, const Node&, Family& family) {
    return work(ArrayWork::Kind::Filter, {}, op.extent, Size(), id, family);
  }

  ArrayWork work(ArrayWork::Kind kind, const std::vector<Size>& space, const Size& extent,
                 const Size& keys, NodeId id, Family& family, bool wrap = false) {
    ArrayWork result;
    result.kind = kind;
    result.space = mapped(space);
    result.extent = mapped(extent);
    result.keys = mapped(keys);
    const std::string base = fmt::format("{}_{}_{}", plain(function_.name), task::name(kind),
                                         queue_.plan.module.functions.size());
    Outlined outlined = outline(function_, id, wrap, base);
    pass(outlined.params, family);
    result.accesses = accesses(outlined);
    take_care(outlined, result);
    if (!wrap) result.cost = cost(id);
    result.kernels = queue_.add_kernels(std::move(outlined.function), kind);
    return result;
  }

  void take_care(const Outlined& outlined, ArrayWork& work) {
    if (careful_) return;
    const std::vector<bool> perhaps = read_perhaps(outlined);
    for (std::size_t k = 0; k < perhaps.size(); ++k) {
      if (!perhaps[k] || !queue_.may_fail(id_, outlined.params[k])) continue;
      work.accesses[k] = task::Access{};
      work.accesses[k].perhaps = true;
      if (!work.careful) work.careful = queue_.careful_template(outlined);
    }
  }

  std::vector<task::CostTerm> cost(NodeId id) {
    // A worker moves about this many times more bytes when they come from caches.
    constexpr double cache_speed = 8;
    Machine cached = queue_.machine;
    cached.bytes_per_second *= cache_speed;
    const PointCost slow = point_cost(function_, id, queue_.machine);
    const PointCost fast = point_cost(function_, id, cached);
    std::vector<task::CostTerm> terms;
    for (std::size_t k = 0; k < slow.terms.size(); ++k)
      if (slow.terms[k].nanoseconds > 0)
        terms.push_back(
            {slow.terms[k].nanoseconds, fast.terms[k].nanoseconds, mapped(slow.terms[k].times)});
    return terms;
  }

  // --- control
  std::vector<ValueId> captured(const Node& node) { return captures(function_, node.regions); }

  task::Action action(const Loop& op, NodeId id, const Node& node, Family& family) {
    if (!stepwise_ && is_sequential(function_, id))
      return work(ArrayWork::Kind::Map, {}, Size(), Size(), id, family, true);
    pass(node.operands, family);
    const std::vector<ValueId> outside = captured(node);
    pass(outside, family);
    return task::Loop{queue_.template_of(id_, node.regions[0], "loop", outside),
                      static_cast<std::uint32_t>(node.operands.size() - 1), op.stacked};
  }
  task::Action action(const While&, NodeId id, const Node& node, Family& family) {
    if (!stepwise_ && is_sequential(function_, id))
      return work(ArrayWork::Kind::Map, {}, Size(), Size(), id, family, true);
    pass(node.operands, family);
    const std::vector<ValueId> outside = captured(node);
    pass(outside, family);
    const task::TemplateId condition =
        queue_.template_of(id_, node.regions[0], "condition", outside);
    return task::While{condition, queue_.template_of(id_, node.regions[1], "while", outside),
                       static_cast<std::uint32_t>(node.operands.size())};
  }
  task::Action action(const Branch&, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    const std::vector<ValueId> outside = captured(node);
    pass(outside, family);
    const task::TemplateId taken = queue_.template_of(id_, node.regions[0], "then", outside);
    return task::Branch{taken, queue_.template_of(id_, node.regions[1], "else", outside)};
  }
  task::Action action(const Call& op, NodeId, const Node& node, Family& family) {
    pass(node.operands, family);
    task::Call call{queue_.template_of(op.callee), {}};
    for (std::size_t k = 0; k < node.operands.size(); ++k)
      if (queue_.may_fail(id_, node.operands[k]))
        call.awaited.push_back(static_cast<std::uint32_t>(k));
    return call;
  }

  TemplateQueue& queue_;
  FunctionId id_;
  const Function& function_;
  const bool stepwise_;
  bool careful_ = false;  // the body of a careful template
  task::Template out_;
  std::unordered_map<ValueId, SlotId> slots_;
  std::unordered_map<std::string, int> names_;  // where to go on counting
  std::unordered_set<std::string> taken_;
};

}  // namespace

task::TemplateId TemplateQueue::reserve(std::string name) {
  int& count = names_[name];
  if (count++ > 0) name += fmt::format(".{}", count - 1);
  task::Template empty;
  empty.name = std::move(name);
  return plan.program.templates.push(std::move(empty));
}

task::TemplateId TemplateQueue::template_of(FunctionId function) {
  if (const auto known = functions_.find(function.index); known != functions_.end())
    return known->second;
  const task::TemplateId id = reserve(plain(module.functions[function].name));
  functions_[function.index] = id;
  open_.push_back({id, function, module.functions[function].body, {}});
  return id;
}

task::TemplateId TemplateQueue::template_of(FunctionId function, RegionId region,
                                            std::string_view kind,
                                            const std::vector<ValueId>& captures, bool stepwise) {
  const task::TemplateId id =
      reserve(fmt::format("{}'{}", plain(this->function(function).name), kind));
  open_.push_back({id, function, region, captures, stepwise});
  return id;
}

const Function& TemplateQueue::function(FunctionId id) const {
  return is_careful(id) ? careful_[id.index - module.functions.size()] : module.functions[id];
}

task::TemplateId TemplateQueue::careful_template(const Outlined& outlined) {
  Function function = expand_terms(module, outlined.function, outlined.node);
  function.name += "_careful";
  const FunctionId id{static_cast<std::uint32_t>(module.functions.size() + careful_.size())};
  const RegionId body = function.body;
  careful_.push_back(std::move(function));
  return template_of(id, body, "points", {}, true);
}

ChainFacts& TemplateQueue::chain_facts(FunctionId id) {
  std::unique_ptr<ChainFacts>& facts = chain_facts_[id.index];
  if (!facts) facts = std::make_unique<ChainFacts>(module.functions[id]);
  return *facts;
}

bool TemplateQueue::may_fail(FunctionId id, ValueId value) {
  if (is_careful(id)) return true;  // what is passed in may have failed
  std::vector<bool>& safe = safe_[id.index];
  const Function& function = module.functions[id];
  if (safe.empty()) safe = values_without_failure(function, AffineForms(function), true);
  return !safe[value.index];
}

void TemplateQueue::run() {
  for (; !open_.empty(); open_.pop_front()) {
    const Open next = open_.front();
    std::string name = plan.program.templates[next.id].name;
    task::Template built = TemplateBuilder(*this, next.function, next.stepwise)
                               .build(std::move(name), next.region, next.captures);
    plan.program.templates[next.id] = std::move(built);
  }
}

std::vector<task::KernelId> TemplateQueue::add_kernels(Function function, ArrayWork::Kind kind) {
  std::string base = function.name;
  const FunctionId id = plan.module.functions.push(std::move(function));
  std::vector<task::KernelId> ids;
  const std::vector<kernel::Phase> phases = task::phases(kind);
  for (kernel::Phase phase : phases) {
    std::string symbol = base;
    if (phases.size() > 1) symbol += "_" + std::string(kernel::name(phase));
    plan.kernels.push_back({symbol, phase, id});
    ids.push_back(plan.program.kernels.push({symbol, phase, Size()}));
  }
  return ids;
}

}  // namespace dvm::passes
