// Sorts the nodes of a body by the indices they depend on.
#include "passes/analysis/row_parts.hpp"

#include <algorithm>
#include <bit>

#include "passes/analysis/failure.hpp"
#include "passes/analysis/repetition.hpp"
#include "passes/cost/cost.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

// Simple operations in the time it takes to store a value and get it back, for a row; and to read
// it from the cache, at a point.
constexpr double stored = 40;
constexpr double read_again = 2;

bool is_parallel(const Op& op) {
  return std::holds_alternative<Map>(op) || std::holds_alternative<Reduce>(op) ||
         std::holds_alternative<Scan>(op) || std::holds_alternative<ReduceByKey>(op) ||
         std::holds_alternative<Scatter>(op) || std::holds_alternative<Filter>(op);
}

// Less than four for each of eight workers.
bool has_few_points(const Op& op) {
  constexpr std::int64_t few = 32;
  const auto* map = std::get_if<Map>(&op);
  if (map == nullptr || map->space.empty()) return false;
  std::int64_t points = 1;
  for (const Size& size : map->space) {
    const auto extent = size.constant();
    if (!extent || *extent < 1 || *extent > few) return false;
    points *= *extent;
    if (points > few) return false;
  }
  return true;
}

bool is_heavy(const Node& node) {
  return std::holds_alternative<Map>(node.op) || std::holds_alternative<Reduce>(node.op) ||
         std::holds_alternative<Scan>(node.op) || std::holds_alternative<Loop>(node.op);
}

}  // namespace

std::vector<Size> body_extents(const Op& op) {
  if (const auto* map = std::get_if<Map>(&op)) return map->space;
  const auto& reduce = std::get<Reduce>(op);
  std::vector<Size> extents = reduce.space;
  extents.push_back(reduce.extent);
  return extents;
}

RowParts::RowParts(const Function& function)
    : function_(function),
      forms_(function),
      ranges_(function, forms_),
      users_(function),
      safe_(values_without_failure(function, forms_)),
      needed_(always_needed(function)),
      indices_(function.values.size(), 0) {
  visit(function.body);
}

// At task level only: inside of bodies, memory would be taken anew for each point.
void RowParts::visit(RegionId region) {
  for (NodeId id : function_.regions[region].nodes) {
    const Node& node = function_.nodes[id];
    if (std::holds_alternative<Map>(node.op) || std::holds_alternative<Reduce>(node.op)) {
      decide(id);
      continue;
    }
    if (is_parallel(node.op)) continue;
    for (std::size_t k = 0; k < node.regions.size(); ++k) {
      ranges_.enter(id, k);
      visit(node.regions[k]);
      ranges_.leave();
    }
  }
}

void RowParts::decide(NodeId id) {
  const Region& body = function_.regions[function_.nodes[id].regions[0]];
  const std::size_t count = body.params.size();
  if (count < 1 || count > max_indices) return;
  if (std::none_of(body.nodes.begin(), body.nodes.end(),
                   [&](NodeId inner) { return is_heavy(function_.nodes[inner]); }))
    return;
  for (std::size_t k = 0; k < count; ++k) indices_[body.params[k].index] = Indices{1} << k;
  std::vector<Indices> found;
  for (NodeId inner : body.nodes) {
    const Indices indices = depends_on(inner);
    for (ValueId result : function_.nodes[inner].results) indices_[result.index] = indices;
    if (is_heavy(function_.nodes[inner]) && indices != 0 &&
        std::popcount(indices) < static_cast<int>(count) &&
        std::find(found.begin(), found.end(), indices) == found.end())
      found.push_back(indices);
  }
  // What depends on fewer indices first: others read it.
  std::stable_sort(found.begin(), found.end(),
                   [](Indices a, Indices b) { return std::popcount(a) < std::popcount(b); });
  std::unordered_set<ValueId> taken;
  for (Indices indices : found)
    if (auto part = part_of(id, indices, taken)) {
      taken.insert(part->given.begin(), part->given.end());
      parts_[id].push_back(*std::move(part));
    }
  if (!has_few_points(function_.nodes[id].op)) return;
  for (NodeId inner : body.nodes)
    if (auto part = long_sum(id, inner)) parts_[id].push_back(*std::move(part));
}

// Note [Long sums]. A sum inside of a body goes from its first term to its last in one task. Where
// a map has too few points to keep workers busy, its sums are reductions of their own, which the
// engine cuts into blocks by their length; the trees are the same. Sizes that are not known count
// as many points.
std::optional<RowPart> RowParts::long_sum(NodeId id, NodeId inner) {
  const Node& node = function_.nodes[inner];
  const auto* reduce = std::get_if<Reduce>(&node.op);
  if (reduce == nullptr || !reduce->space.empty() || !needed_[inner.index]) return std::nullopt;
  const auto extent = reduce->extent.constant();
  if (extent && *extent < reduction_block) return std::nullopt;
  const RegionId body = function_.nodes[id].regions[0];
  const std::vector<ValueId>& params = function_.regions[body].params;
  RowPart part;
  for (std::size_t k = 0; k < params.size(); ++k) part.dims.push_back(k);
  // Beside the indices its terms need nothing of the body.
  std::unordered_set<NodeId> literals;
  const std::vector<ValueId> free = free_values(function_, inner);
  for (ValueId value : free) {
    if (users_.home(value) != body) continue;
    const NodeId from = function_.values[value].node;
    if (!from.valid()) continue;
    if (!std::holds_alternative<Constant>(function_.nodes[from].op)) return std::nullopt;
    literals.insert(from);
  }
  ranges_.enter(id, 0);
  const bool moves = may_move(inner, free);
  ranges_.leave();
  if (!moves) return std::nullopt;
  for (NodeId each : function_.regions[body].nodes)
    if (each == inner || literals.contains(each)) part.nodes.push_back(each);
  part.moves.insert(inner);
  part.alone = true;
  if (!add_given(id, part) || part.given != node.results) return std::nullopt;
  return part;
}

RowParts::Indices RowParts::depends_on(NodeId id) const {
  Indices indices = 0;
  for (ValueId value : free_values(function_, id)) indices |= indices_[value.index];
  return indices;
}

// `taken`: values that are lifted already, with fewer indices.
std::optional<RowPart> RowParts::part_of(NodeId id, Indices indices,
                                         const std::unordered_set<ValueId>& taken) {
  const Region& body = function_.regions[function_.nodes[id].regions[0]];
  std::vector<bool> dims(body.params.size());
  RowPart part;
  for (std::size_t k = 0; k < dims.size(); ++k)
    if ((dims[k] = ((indices >> k) & 1) != 0)) part.dims.push_back(k);
  // The heavy ones, and what is computed from them.
  std::unordered_set<ValueId> made;
  double operations = 0;
  ranges_.enter_part(id, dims);
  for (NodeId inner : body.nodes) {
    const Node& node = function_.nodes[inner];
    if (indices_[node.results[0].index] != indices || !needed_[inner.index]) continue;
    const std::vector<ValueId> free = free_values(function_, inner);
    const bool follows =
        std::any_of(free.begin(), free.end(), [&](ValueId value) { return made.contains(value); });
    if (!(is_heavy(node) || follows) || !may_move(inner, free)) continue;
    part.moves.insert(inner);
    made.insert(node.results.begin(), node.results.end());
    operations += work(inner);
  }
  const bool complete = !part.moves.empty() && add_nodes(id, taken, part);
  ranges_.leave();
  if (!complete || !add_given(id, part)) return std::nullopt;
  const double times = repeats(id, indices);
  const auto values = static_cast<double>(part.given.size());
  if (operations * (times - 1) <= values * (stored + read_again * times)) return std::nullopt;
  part.times = times;
  return part;
}

// Cannot fail wherever these indices lead, whether there are points of the others or not.
bool RowParts::may_move(NodeId id, const std::vector<ValueId>& free) {
  return std::all_of(free.begin(), free.end(),
                     [&](ValueId value) { return bool{safe_[value.index]}; }) &&
         is_total(function_, id, ranges_);
}

// What the moving nodes need of the body: lifted before, or cheap enough to be computed again.
bool RowParts::add_nodes(NodeId id, const std::unordered_set<ValueId>& taken, RowPart& part) {
  const Region& body = function_.regions[function_.nodes[id].regions[0]];
  std::unordered_set<ValueId> wanted;
  for (auto each = body.nodes.rbegin(); each != body.nodes.rend(); ++each) {
    const Node& node = function_.nodes[*each];
    const bool moving = part.moves.contains(*each);
    const bool asked = std::any_of(node.results.begin(), node.results.end(),
                                   [&](ValueId value) { return wanted.contains(value); });
    if (!moving && !asked) continue;
    part.nodes.push_back(*each);
    const bool known = std::all_of(node.results.begin(), node.results.end(), [&](ValueId value) {
      return taken.contains(value) || !wanted.contains(value);
    });
    if (!moving && known) continue;
    const std::vector<ValueId> free = free_values(function_, *each);
    if (!moving && (!node.regions.empty() || !may_move(*each, free))) return false;
    wanted.insert(free.begin(), free.end());
  }
  std::reverse(part.nodes.begin(), part.nodes.end());
  return true;
}

// Arrays may only be read: their rows become rows of one array.
bool RowParts::add_given(NodeId id, RowPart& part) const {
  const RegionId body = function_.nodes[id].regions[0];
  for (NodeId inner : part.nodes) {
    if (!part.moves.contains(inner)) continue;
    for (ValueId value : function_.nodes[inner].results) {
      bool outside = false;
      for (const Use& use : users_.of(value)) {
        if (use.kind == Use::Kind::Size) return false;
        if (part.moves.contains(inside(use, body))) continue;
        outside = true;
        if (function_.values[value].type.is_scalar()) continue;
        if (use.kind != Use::Kind::Operand || use.position != 0 ||
            !std::holds_alternative<Read>(function_.nodes[use.node].op))
          return false;
      }
      if (outside) part.given.push_back(value);
    }
  }
  return !part.given.empty();
}
// The node of the body that a use is part of; none for the body's own yields.
NodeId RowParts::inside(const Use& use, RegionId body) const {
  if (use.kind == Use::Kind::Yield && use.region == body) return {};
  NodeId node = use.node;
  RegionId region = use.kind == Use::Kind::Yield ? users_.region_of(node) : use.region;
  for (; region != body; region = users_.region_of(node)) node = users_.owner(region);
  return node;
}

// How often a row's value would be computed: points of the other indices.
double RowParts::repeats(NodeId id, Indices indices) const {
  const std::vector<Size> extents = body_extents(function_.nodes[id].op);
  double times = 1;
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (((indices >> k) & 1) == 0) times *= estimate(extents[k]);
  return times;
}

double RowParts::work(NodeId id) const {
  const Node& node = function_.nodes[id];
  if (const auto* scalar = std::get_if<ScalarOp>(&node.op))
    return operations(scalar->fn, function_.values[node.results[0]].type.element);
  double sum = 1;
  for (RegionId region : node.regions) {
    double inner = 0;
    for (NodeId each : function_.regions[region].nodes) inner += work(each);
    double times = 1;
    for (const RepeatedDim& dim : dims_of(function_, node, region)) times *= dim.extent;
    sum += times * inner;
  }
  return sum;
}

}  // namespace dvm::passes
