// Decides producers in program order, so that a body's cost includes what was fused into it.
#include "passes/analysis/fusion_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "passes/analysis/failure.hpp"
#include "passes/analysis/repetition.hpp"
#include "passes/cost/cost.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Simple operations in the time one byte takes to or from memory (laptop: 8e9 / 5e9).
constexpr double operations_per_byte = 1.6;
// Above this a body is evaluated at most once for each element.
constexpr double cheap_operations = 9;
// Kernels stay readable for the code generator.
constexpr double max_body_nodes = 600;
constexpr int max_depth = 100;
// Sequential in one task: work put into it is done by one worker instead of all.
constexpr double scatter_evaluations = 8;
// Two walks: count or total first, then write.
constexpr double two_pass_evaluations = 2;
constexpr double once = 1.000001;

double phases(const Op& op) {
  if (std::holds_alternative<Scatter>(op)) return scatter_evaluations;
  if (std::holds_alternative<Scan>(op) || std::holds_alternative<Filter>(op))
    return two_pass_evaluations;
  return 1;
}

// Integer arithmetic that only forms indices disappears into addresses.
bool is_index_arithmetic(const Function& function, const ScalarOp& scalar, const Node& node) {
  if (function.values[node.results[0]].type.element != ElementType::I64) return false;
  return scalar.fn == ScalarFn::Add || scalar.fn == ScalarFn::Sub || scalar.fn == ScalarFn::Mul ||
         scalar.fn == ScalarFn::Neg;
}

}  // namespace

FusionPlan::FusionPlan(const Function& function, std::vector<FusionDecision>* decisions)
    : function_(function),
      forms_(function),
      ranges_(function, forms_),
      users_(function),
      safe_(values_without_failure(function, forms_)),
      needed_(always_needed(function)),
      fused_(function.values.size(), false),
      needs_index_(function.nodes.size()),
      costs_(function.nodes.size()),
      packed_(function),
      decisions_(decisions) {
  visit(function.body);
}

void FusionPlan::visit(RegionId region) {
  for (NodeId id : function_.regions[region].nodes) {
    const Node& node = function_.nodes[id];
    // Inner producers first: they are part of this node's body.
    for (std::size_t k = 0; k < node.regions.size(); ++k) {
      ranges_.enter(id, k);
      visit(node.regions[k]);
      ranges_.leave();
    }
    if (std::holds_alternative<Map>(node.op)) {
      decide(id);
    } else if (decisions_ != nullptr) {
      note_made_at_once(node);
    }
  }
}

FusionPlan::BodyCost FusionPlan::body_cost(RegionId region) const {
  BodyCost cost;
  for (NodeId id : function_.regions[region].nodes) add_node_cost(id, cost);
  return cost;
}

void FusionPlan::add_node_cost(NodeId id, BodyCost& cost) const {
  const Node& node = function_.nodes[id];
  cost.nodes += 1;
  if (const auto* scalar = std::get_if<ScalarOp>(&node.op)) {
    if (!is_index_arithmetic(function_, *scalar, node))
      cost.operations += operations(scalar->fn, function_.values[node.results[0]].type.element);
    return;
  }
  if (std::holds_alternative<Read>(node.op)) {
    const ValueId array = node.operands[0];
    if (!is_fused(array)) {
      const double bytes = byte_size(function_.values[array].type.element);
      // Indices that come from data jump around in memory.
      const bool jumps =
          std::any_of(node.operands.begin() + 1, node.operands.end(), [&](ValueId index) {
            const std::vector<Affine::Term>& terms = forms_.of(index).terms;
            return std::any_of(terms.begin(), terms.end(), [&](const Affine::Term& term) {
              return function_.values[term.variable].node.valid();
            });
          });
      cost.read_bytes += jumps ? 4 * bytes : bytes;
      cost.operations += jumps ? 4 : 0;
      return;
    }
    const BodyCost& inner = costs_[function_.values[array].node.index];
    cost.operations += inner.operations;
    cost.read_bytes += inner.read_bytes;
    cost.nodes += inner.nodes;
    cost.depth = std::max(cost.depth, inner.depth + 1);
    cost.heavy |= inner.heavy;
    return;
  }
  if (std::holds_alternative<Constant>(node.op) || std::holds_alternative<SizeOf>(node.op) ||
      std::holds_alternative<Check>(node.op))
    return;
  BodyCost inside;
  for (RegionId region : node.regions) {
    const BodyCost part = body_cost(region);
    inside.operations += part.operations;
    inside.read_bytes += part.read_bytes;
    inside.nodes += part.nodes;
    inside.depth = std::max(inside.depth, part.depth);
    inside.heavy |= part.heavy;
  }
  double times = 1;
  if (!node.regions.empty())
    for (const RepeatedDim& dim : dims_of(function_, node, node.regions[0])) times *= dim.extent;
  cost.operations += times * (inside.operations + 1);
  cost.read_bytes += times * inside.read_bytes;
  cost.nodes += inside.nodes;
  cost.depth = std::max(cost.depth, inside.depth);
  cost.heavy |= inside.heavy || !std::holds_alternative<Branch>(node.op);
}

// An element is computed exactly where and as often as the map would have: directly in the body of
// a map or reduction over the same space, read at its own indices.
bool FusionPlan::reads_every_element(NodeId read, NodeId producer) const {
  const RegionId region = users_.region_of(read);
  const NodeId owner = users_.owner(region);
  if (!owner.valid() || users_.region_of(owner) != users_.region_of(producer)) return false;
  const Node& consumer = function_.nodes[owner];
  std::vector<Size> space;
  if (const auto* map = std::get_if<Map>(&consumer.op)) {
    space = map->space;
  } else if (const auto* reduce = std::get_if<Reduce>(&consumer.op)) {
    space = reduce->space;
    space.push_back(reduce->extent);
  } else {
    return false;
  }
  if (consumer.regions[0] != region || space != std::get<Map>(function_.nodes[producer].op).space)
    return false;
  const std::vector<ValueId>& params = function_.regions[region].params;
  const std::vector<ValueId>& operands = function_.nodes[read].operands;
  for (std::size_t k = 0; k < params.size(); ++k)
    if (operands[k + 1] != params[k]) return false;
  return needed_[read.index];
}

// Where an index may fail, the body depends on it whenever it is evaluated: else the copy of the
// body that stands for the read would not have that failure.
bool FusionPlan::needs_failing_indices(NodeId read, NodeId producer) const {
  const std::vector<ValueId>& operands = function_.nodes[read].operands;
  const std::vector<bool>& needs = needs_index_[producer.index];
  for (std::size_t k = 0; k < needs.size(); ++k)
    if (!needs[k] && !safe_[operands[k + 1].index]) return false;
  return true;
}

// By index of a map: its body, with what is fused into that, needs it whenever it is evaluated.
std::vector<bool> FusionPlan::needed_indices(NodeId map) const {
  const Node& node = function_.nodes[map];
  const Region& body = function_.regions[node.regions[0]];
  std::vector<bool> needs(body.params.size(), false);
  if (node.results.size() > 1) return needs;  // another result may be what depends on it
  std::vector<ValueId> open{body.yields[0]};
  std::set<ValueId> seen{body.yields[0]};
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    for (std::size_t k = 0; k < needs.size(); ++k)
      if (body.params[k] == value) needs[k] = true;
    const NodeId id = function_.values[value].node;
    if (!id.valid() || users_.region_of(id) != node.regions[0]) continue;
    const Node& made_by = function_.nodes[id];
    if (!needed_[id.index] || !made_by.regions.empty() || std::holds_alternative<Call>(made_by.op))
      continue;
    // Of a read of what is fused, only the body of that is left.
    const bool replaced = std::holds_alternative<Read>(made_by.op) && is_fused(made_by.operands[0]);
    const std::vector<bool>* left =
        replaced ? &needs_index_[function_.values[made_by.operands[0]].node.index] : nullptr;
    const bool check = std::holds_alternative<Check>(made_by.op);
    const std::size_t count = check ? 2 : made_by.operands.size();
    for (std::size_t k = replaced ? 1 : 0; k < count; ++k)
      if ((!replaced || (*left)[k - 1]) && seen.insert(made_by.operands[k]).second)
        open.push_back(made_by.operands[k]);
  }
  return needs;
}

void FusionPlan::add_read(NodeId read, ValueId array, NodeId producer, bool first,
                          Demand& demand) const {
  const Node& node = function_.nodes[read];
  const RegionId home = users_.region_of(producer);
  std::set<ValueId> used;
  bool affine = true;
  for (std::size_t k = 1; k < node.operands.size(); ++k)
    for (const Affine::Term& term : forms_.of(node.operands[k]).terms) {
      used.insert(term.variable);
      affine &= !function_.values[term.variable].node.valid();
    }
  double executions = 1, reached = 1, factor = 1;
  bool packed = false;
  for (RegionId region = users_.region_of(read); region != home; region = users_.parent(region)) {
    const Node& owner = function_.nodes[users_.owner(region)];
    const std::optional<ValueId> shared =
        affine && packs_ ? packed_.shared_index(users_.owner(region), used) : std::nullopt;
    packed = packed || shared;
    for (const RepeatedDim& dim : dims_of(function_, owner, region)) {
      const bool tiled = shared && *shared == dim.index;
      executions *= tiled ? std::max(1.0, dim.extent / contraction_tile) : dim.extent;
      if (!affine || used.contains(dim.index)) reached *= dim.extent;
    }
    factor = std::max(factor, phases(owner.op));
  }
  reached = std::min(reached, count_of(function_.values[array].type.shape));
  const double ratio = executions / reached;
  if (first) demand.evaluations += ratio * factor;
  // Repeated sweeps mostly hit the cache; two stand for many. Tiles of a contraction are made so
  // that they do.
  demand.streams += packed ? 1.0 : std::min(ratio, 2.0);
  const NodeId owner = users_.owner(users_.region_of(read));
  demand.into_maps &= !owner.valid() || std::holds_alternative<Map>(function_.nodes[owner].op);
  demand.reads_all = demand.reads_all && reads_every_element(read, producer);
}

// What keeps a use from being replaced by the body: `Fused` when nothing does.
FusionVerdict FusionPlan::obstacle(const Use& use, NodeId producer) const {
  if (use.kind == Use::Kind::Yield)
    return use.node.valid() ? FusionVerdict::Carried : FusionVerdict::Result;
  const Node& reader = function_.nodes[use.node];
  if (std::holds_alternative<Loop>(reader.op) || std::holds_alternative<While>(reader.op))
    return FusionVerdict::Carried;
  if (use.position != 0 || !std::holds_alternative<Read>(reader.op))
    return FusionVerdict::WantsMemory;
  // A check on the index would be lost with the read.
  if (reader.check.valid()) return FusionVerdict::CheckedRead;
  return needs_failing_indices(use.node, producer) ? FusionVerdict::Fused
                                                   : FusionVerdict::FailingIndex;
}

FusionPlan::Demand FusionPlan::demand(const std::vector<ValueId>& arrays, NodeId producer) const {
  Demand demand;
  // Reads of several results at the same indices share one evaluation of the body.
  std::set<std::pair<RegionId, std::vector<ValueId>>> seen;
  for (ValueId array : arrays) {
    for (const Use& use : users_.of(array)) {
      const FusionVerdict verdict = obstacle(use, producer);
      if (verdict != FusionVerdict::Fused) {
        if (demand.only_reads) demand.obstacle = verdict, demand.reader = use.node;
        demand.only_reads = false;
        continue;
      }
      const std::vector<ValueId>& operands = function_.nodes[use.node].operands;
      const bool first =
          seen.emplace(use.region, std::vector<ValueId>(operands.begin() + 1, operands.end()))
              .second;
      add_read(use.node, array, producer, first, demand);
    }
  }
  demand.streams /= static_cast<double>(arrays.size());
  return demand;
}

FusionVerdict FusionPlan::weigh(const BodyCost& cost, const Demand& demand, double bytes,
                                bool producer_stays, FusionDecision& figures) const {
  const double own = cost.operations + cost.read_bytes * operations_per_byte;
  // Written (and the line fetched for it), then read by every sweep.
  const double stored =
      (producer_stays ? 0 : own) + (2 + demand.streams) * bytes * operations_per_byte;
  const double recomputed =
      demand.evaluations * cost.operations + demand.streams * cost.read_bytes * operations_per_byte;
  figures.operations = cost.operations;
  figures.read_bytes = cost.read_bytes;
  figures.nodes = cost.nodes;
  figures.stored_bytes = bytes;
  figures.evaluations = demand.evaluations;
  figures.streams = demand.streams;
  figures.cost_fused = recomputed;
  figures.cost_stored = stored;
  if (cost.nodes > max_body_nodes) return FusionVerdict::LongBody;
  if (cost.depth > max_depth) return FusionVerdict::DeepBody;
  if (cost.heavy || cost.operations > cheap_operations) {
    if (producer_stays) return FusionVerdict::StaysAnyway;
    if (demand.evaluations > once)
      return cost.heavy ? FusionVerdict::HeavyRepeated : FusionVerdict::Repeated;
    if (cost.heavy && !demand.into_maps) return FusionVerdict::HeavyReader;
  }
  return recomputed <= stored ? FusionVerdict::Fused : FusionVerdict::Traffic;
}

void FusionPlan::note(ValueId array, FusionVerdict verdict, const Demand& demand,
                      FusionDecision figures) {
  if (decisions_ == nullptr) return;
  figures.verdict = verdict;
  figures.array = array;
  figures.reader = demand.reader;
  decisions_->push_back(figures);
}

void FusionPlan::note_made_at_once(const Node& node) {
  for (ValueId result : node.results) {
    if (function_.values[result].type.is_scalar()) continue;
    FusionVerdict verdict = FusionVerdict::MadeAtOnce;
    for (const Use& use : users_.of(result))
      if (use.kind == Use::Kind::Yield && !use.node.valid()) verdict = FusionVerdict::Result;
    note(result, verdict, {}, {});
  }
}

void FusionPlan::decide(NodeId id) {
  const Node& node = function_.nodes[id];
  const RegionId region = node.regions[0];
  costs_[id.index] = body_cost(region);
  needs_index_[id.index] = needed_indices(id);
  packs_ = packed_.can_pack(id, [&](ValueId array) { return is_fused(array); });
  for (ValueId yield : function_.regions[region].yields)
    if (!function_.values[yield].type.is_scalar()) {
      for (ValueId result : node.results) note(result, FusionVerdict::ArrayRows, {}, {});
      return;
    }

  bool total = cannot_fail(function_, id, ranges_);
  for (ValueId value : free_values(function_, region)) total = total && safe_[value.index];

  std::vector<Demand> demands;
  std::vector<bool> eligible;
  bool all_eligible = true;
  double bytes = 0;
  for (ValueId result : node.results) {
    demands.push_back(demand({result}, id));
    Demand& own = demands.back();
    if (own.only_reads && !total && !own.reads_all) own.obstacle = FusionVerdict::MayFail;
    eligible.push_back(own.obstacle == FusionVerdict::Fused);
    all_eligible = all_eligible && eligible.back();
    bytes += byte_size(function_.values[result].type.element);
  }
  FusionDecision figures;
  if (all_eligible) {
    const FusionVerdict verdict =
        weigh(costs_[id.index], demand(node.results, id), bytes, false, figures);
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      if (verdict == FusionVerdict::Fused) fused_[node.results[k].index] = any_ = true;
      note(node.results[k], verdict, demands[k], figures);
    }
    return;
  }
  // Some result must be stored: another is still better recomputed when that is next to free.
  for (std::size_t k = 0; k < node.results.size(); ++k) {
    FusionVerdict verdict = demands[k].obstacle;
    if (eligible[k]) {
      const double own_bytes = byte_size(function_.values[node.results[k]].type.element);
      verdict = weigh(costs_[id.index], demands[k], own_bytes, true, figures);
      if (!total) verdict = FusionVerdict::StaysAnyway;
      if (verdict == FusionVerdict::Fused) fused_[node.results[k].index] = any_ = true;
    }
    note(node.results[k], verdict, demands[k], figures);
  }
}

}  // namespace dvm::passes
