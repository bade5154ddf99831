// Groups siblings region by region, in program order. A group is built where its first member
// stands; or later, where one waits for more and nobody reads the others before.
#include "passes/graph/fuse_siblings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph/affine.hpp"
#include "passes/analysis/array_remark.hpp"
#include "passes/analysis/failure.hpp"
#include "passes/analysis/users.hpp"
#include "passes/cost/cost.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

constexpr std::size_t max_results = 8;
constexpr std::size_t max_nodes = 400;
// Open groups looked at for each node.
constexpr std::size_t max_candidates = 16;
// Readers looked at before a group is built later.
constexpr std::size_t max_readers = 64;
// Products of two arrays over a plane are tiled by themselves: joining would spoil the tile.
constexpr double contraction_operations = 4;

// Why two that read an array in common stay apart.
enum class Apart : std::uint8_t {
  No,
  OtherSpace,
  Waits,
  HandedOn,
  TooLong,
  TooManyResults,
  MayFail
};

struct Group {
  std::vector<NodeId> members;
  std::unordered_set<ValueId> arrays;  // read by some member
  std::size_t nodes = 0, results = 0;
  NodeId home;                // the member where it is built
  std::vector<NodeId> views;  // reshapes of results that move with it
};

class FuseSiblings {
 public:
  FuseSiblings(const Function& function, Remarks* remarks)
      : function_(function),
        remarks_(function, remarks),
        users_(function),
        forms_(function),
        ranges_(function, forms_),
        safe_(values_without_failure(function, forms_)),
        needed_(always_needed(function)),
        position_(function.nodes.size(), 0),
        built_at_(function.nodes.size(), 0) {
    plan(function.body);
  }

  bool any() const { return !home_of_.empty(); }

  bool replace(Rewriter& rewriter, NodeId id) const {
    auto found = home_of_.find(id);
    if (found == home_of_.end()) return false;
    if (found->second == id) {
      emit(rewriter, groups_.at(id).members);
      for (NodeId view : groups_.at(id).views) rewriter.copy(view);
    }
    return true;
  }

 private:
  void plan(RegionId region) {
    const std::vector<NodeId>& nodes = function_.regions[region].nodes;
    std::vector<Group> groups;
    for (std::size_t k = 0; k < nodes.size(); ++k)
      position_[nodes[k].index] = built_at_[nodes[k].index] = k;
    for (NodeId id : nodes) {
      const Node& node = function_.nodes[id];
      for (std::size_t k = 0; k < node.regions.size(); ++k) {
        ranges_.enter(id, k);
        plan(node.regions[k]);
        ranges_.leave();
      }
      if (joins(id)) place(id, region, groups);
    }
    for (Group& group : groups) {
      if (group.members.size() < 2) continue;
      for (NodeId member : group.members) home_of_[member] = group.home;
      for (NodeId view : group.views) home_of_[view] = group.home;
      if (remarks_) say_joined(group);
      groups_[group.home] = std::move(group);
    }
  }

  bool joins(NodeId id) const {
    const Node& node = function_.nodes[id];
    if (std::holds_alternative<Map>(node.op)) return true;
    const auto* reduce = std::get_if<Reduce>(&node.op);
    if (reduce == nullptr || reduce->components.empty() || reduce->tree == Tree::Unset)
      return false;
    const bool contraction =
        reduce->space.size() >= 2 &&
        region_work(function_, node.regions[0], std::nullopt).total_operations(1) <=
            contraction_operations;
    return !contraction;
  }

  static bool same_walk(const Op& a, const Op& b) {
    const auto* map_a = std::get_if<Map>(&a);
    const auto* map_b = std::get_if<Map>(&b);
    if (map_a != nullptr && map_b != nullptr) return map_a->space == map_b->space;
    const auto* reduce_a = std::get_if<Reduce>(&a);
    const auto* reduce_b = std::get_if<Reduce>(&b);
    return reduce_a != nullptr && reduce_b != nullptr && reduce_a->space == reduce_b->space &&
           reduce_a->extent == reduce_b->extent && reduce_a->tree == reduce_b->tree;
  }

  // Adds a node to the first group it fits, or opens one.
  void place(NodeId id, RegionId region, std::vector<Group>& groups) {
    const Node& node = function_.nodes[id];
    std::unordered_set<ValueId> arrays;
    // Everything it needs must be there where the group is built.
    std::size_t after = 0;
    bool safe = true;
    for (ValueId value : free_values(function_, id)) {
      if (!function_.values[value].type.is_scalar()) arrays.insert(value);
      safe = safe && safe_[value.index];
      const NodeId from = function_.values[value].node;
      if (from.valid() && stands_in(from, region))
        after = std::max(after, built_at_[from.index] + 1);
    }
    const std::size_t size = count_nodes(id);
    const bool certain = needed_[id.index] || (safe && cannot_fail(function_, id, ranges_));
    const std::size_t first = groups.size() > max_candidates ? groups.size() - max_candidates : 0;
    Apart apart = Apart::No;
    NodeId other;
    for (std::size_t k = first; k < groups.size(); ++k) {
      Group& group = groups[k];
      std::vector<NodeId> views;
      const NodeId leader = group.members[0];
      const bool shares = std::any_of(arrays.begin(), arrays.end(),
                                      [&](ValueId array) { return group.arrays.contains(array); });
      if (!shares) continue;
      other = leader;
      if (!certain)
        apart = Apart::MayFail;
      else if (!same_walk(function_.nodes[leader].op, node.op))
        apart = Apart::OtherSpace;
      else if (after > built_at_[leader.index] &&
               !may_move(group, position_[id.index], region, views))
        apart = Apart::Waits;
      else if (is_handed_on(id, region) != is_handed_on(leader, region))
        apart = Apart::HandedOn;
      else if (group.nodes + size > max_nodes)
        apart = Apart::TooLong;
      else if (group.results + node.results.size() > max_results)
        apart = Apart::TooManyResults;
      else {
        group.members.push_back(id);
        if (after > built_at_[leader.index]) move(group, id, std::move(views));
        built_at_[id.index] = built_at_[group.home.index];
        group.arrays.insert(arrays.begin(), arrays.end());
        group.nodes += size;
        group.results += node.results.size();
        return;
      }
    }
    if (apart != Apart::No && remarks_) say_apart(id, apart, other);
    if (certain) groups.push_back({{id}, std::move(arrays), size, node.results.size(), id, {}});
  }

  // All readers are walks that read an element of the first dimension where they stand, so that the
  // plan can cut both into tiles together: what is joined with others could not be cut so.
  bool is_handed_on(NodeId id, RegionId region) const {
    for (ValueId result : function_.nodes[id].results) {
      const std::span<const Use> uses = users_.of(result);
      if (uses.empty() || uses.size() > max_readers) return false;
      for (const Use& use : uses) {
        if (use.kind != Use::Kind::Operand || use.position != 0 ||
            !std::holds_alternative<Read>(function_.nodes[use.node].op))
          return false;
        NodeId reader = use.node;
        while (users_.region_of(reader) != region) reader = users_.owner(users_.region_of(reader));
        if (reader == use.node || !walks_along(reader, function_.nodes[use.node].operands[1]))
          return false;
      }
    }
    return true;
  }
  bool walks_along(NodeId walk, ValueId index) const {
    const Node& node = function_.nodes[walk];
    const auto* reduce = std::get_if<Reduce>(&node.op);
    if (reduce == nullptr && !std::holds_alternative<Map>(node.op)) return false;
    const std::vector<ValueId>& params = function_.regions[node.regions[0]].params;
    if (params.empty()) return false;
    return index == (reduce != nullptr && reduce->space.empty() ? params.back() : params.front());
  }

  void move(Group& group, NodeId home, std::vector<NodeId> views) {
    group.home = home;
    group.views = std::move(views);
    for (const std::vector<NodeId>* nodes : {&group.members, &group.views})
      for (NodeId id : *nodes) built_at_[id.index] = position_[home.index];
  }

  // Nobody reads the group's results before the position, but reshapes that can wait as well.
  bool may_move(const Group& group, std::size_t position, RegionId region,
                std::vector<NodeId>& views) const {
    std::vector<NodeId> open = group.members;
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      for (ValueId result : function_.nodes[id].results) {
        const std::span<const Use> uses = users_.of(result);
        if (uses.size() > max_readers || views.size() > max_readers) return false;
        for (const Use& use : uses) {
          if (use.kind == Use::Kind::Yield && use.region == region) continue;
          NodeId reader = use.kind == Use::Kind::Yield ? users_.owner(use.region) : use.node;
          while (users_.region_of(reader) != region)
            reader = users_.owner(users_.region_of(reader));
          if (built_at_[reader.index] > position) continue;
          if (!std::holds_alternative<Reshape>(function_.nodes[reader].op)) return false;
          if (std::find(views.begin(), views.end(), reader) != views.end()) continue;
          views.push_back(reader);
          open.push_back(reader);
        }
      }
    }
    std::sort(views.begin(), views.end(),
              [&](NodeId a, NodeId b) { return position_[a.index] < position_[b.index]; });
    return true;
  }

  void say_joined(const Group& group) {
    const NodeId leader = group.members[0];
    for (std::size_t k = 1; k < group.members.size(); ++k)
      remarks_.add(
          Remark::Kind::Done, "joined", function_.nodes[group.members[k]].results[0],
          fmt::format("computed in the same walk as {}, which reads the same memory: {} results",
                      remarks_.called(function_.nodes[leader].results[0]), group.results),
          leader);
  }

  void say_apart(NodeId id, Apart apart, NodeId other) {
    const std::string with = remarks_.called(function_.nodes[other].results[0]);
    const auto [word, why] = [&]() -> std::pair<std::string_view, std::string> {
      switch (apart) {
        case Apart::OtherSpace:
          return {"other-space",
                  function_.nodes[id].op.index() == function_.nodes[other].op.index()
                      ? "they walk over different spaces, or group their terms differently"
                      : "one is a map, the other a reduce"};
        case Apart::Waits:
          return {"waits", "it needs what comes after that one"};
        case Apart::HandedOn:
          return {"handed-on",
                  "of one each element is read where it was made, so that it goes from tile to "
                  "tile; of the other it is not"};
        case Apart::TooLong:
          return {"long-body", fmt::format("together they have more than {} nodes", max_nodes)};
        case Apart::TooManyResults:
          return {"many-results",
                  fmt::format("together they give more than {} arrays or numbers", max_results)};
        case Apart::MayFail:
          return {"may-fail", "it may fail and is not needed in any case"};
        case Apart::No:
          break;
      }
      return {};
    }();
    remarks_.add(
        Remark::Kind::Kept, word, function_.nodes[id].results[0],
        fmt::format("reads the same memory as {}, and is not joined with it: {}", with, why),
        other);
  }

  bool stands_in(NodeId id, RegionId region) const {
    const std::vector<NodeId>& nodes = function_.regions[region].nodes;
    return position_[id.index] < nodes.size() && nodes[position_[id.index]] == id;
  }

  std::size_t count_nodes(NodeId id) const {
    std::size_t count = 1;
    for (RegionId region : function_.nodes[id].regions)
      for (NodeId inner : function_.regions[region].nodes) count += count_nodes(inner);
    return count;
  }

  void emit(Rewriter& rewriter, const std::vector<NodeId>& members) const {
    Builder& builder = rewriter.builder();
    const Node& leader = function_.nodes[members[0]];
    Op op = mapped_sizes(rewriter, leader.op);
    auto* reduce = std::get_if<Reduce>(&op);
    if (reduce != nullptr) reduce->components.clear();
    std::vector<ValueId> operands, old_results, yields;
    const RegionId region = builder.open_region();
    new_params(rewriter, function_.regions[leader.regions[0]].params);
    const std::vector<ValueId> params = builder.function().regions[region].params;
    for (NodeId id : members) {
      const Node& node = function_.nodes[id];
      if (reduce != nullptr) {
        const std::vector<Component>& own = std::get<Reduce>(node.op).components;
        reduce->components.insert(reduce->components.end(), own.begin(), own.end());
        for (ValueId operand : node.operands) operands.push_back(rewriter.mapped(operand));
      }
      const std::vector<ValueId> own_yields = rewriter.inline_region(node.regions[0], params);
      yields.insert(yields.end(), own_yields.begin(), own_yields.end());
      old_results.insert(old_results.end(), node.results.begin(), node.results.end());
    }
    builder.close_region(std::move(yields));
    builder.set_loc(leader.loc);
    const std::vector<ValueId> results = new_results(rewriter, old_results);
    builder.add_with_results(std::move(op), std::move(operands), {region}, results, leader.check);
  }

  const Function& function_;
  ArrayRemarks remarks_;
  Users users_;
  AffineForms forms_;
  Ranges ranges_;
  std::vector<bool> safe_;             // by value: cannot fail
  std::vector<bool> needed_;           // by node: whenever its region is evaluated
  std::vector<std::size_t> position_;  // by node: in its region
  std::vector<std::size_t> built_at_;  // by node: the position where its group is built
  std::unordered_map<NodeId, NodeId> home_of_;
  std::unordered_map<NodeId, Group> groups_;
};

}  // namespace

void fuse_siblings(Module& module, Remarks* remarks) {
  rebuild_each(module, [&](const Function& function) -> Rewriter::Replace {
    auto rule = std::make_shared<FuseSiblings>(function, remarks);
    if (!rule->any()) return nullptr;
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
