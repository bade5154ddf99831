// One walk over a region; each operation joins the chains of what it reads.
#include "passes/plan/chains.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "passes/analysis/failure.hpp"
#include "passes/analysis/ranges.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

constexpr std::size_t max_members = 12;
constexpr std::size_t max_uses = 64;       // of one array; beyond, it is read all over the place
constexpr std::size_t max_neighbours = 4;  // chains looked at for the same memory
constexpr std::size_t max_visits = 400;  // when looking for a way around; beyond, there may be one

bool contains(const auto& all, const auto& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

class Finder {
 public:
  Finder(ChainFacts& facts, RegionId region, const Doubtful& doubtful)
      : facts_(facts), function_(facts.function), region_(region), doubtful_(doubtful) {
    enter(region);
  }
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;
  ~Finder() {
    for (std::size_t k = 0; k < entered_; ++k) facts_.ranges.leave();
  }

  std::vector<NodeChain> run() {
    find_wanted();
    for (NodeId id : function_.regions[region_].nodes) visit(id);
    // Then, as they come second to those that hand something on, those that read the same memory.
    for (NodeId id : function_.regions[region_].nodes)
      if (candidates_.contains(id) && is_alone(id)) go_along(id);
    std::vector<NodeChain> found;
    for (Draft& draft : drafts_)
      if (draft.chain.members.size() > 1) found.push_back(std::move(draft.chain));
    return found;
  }

 private:
  struct Draft {
    NodeChain chain;
    std::vector<Size> space;  // of the shared dimensions
  };
  // How a node would join chains.
  struct Fit {
    std::uint32_t dims = 0;
    bool by_blocks = false;
  };

  // What holds where the region stands.
  void enter(RegionId region) {
    std::vector<std::pair<NodeId, std::size_t>> path;
    for (RegionId at = region; facts_.users.owner(at).valid();) {
      const NodeId owner = facts_.users.owner(at);
      const auto& regions = function_.nodes[owner].regions;
      path.emplace_back(owner, std::find(regions.begin(), regions.end(), at) - regions.begin());
      at = facts_.users.region_of(owner);
    }
    for (auto step = path.rbegin(); step != path.rend(); ++step)
      facts_.ranges.enter(step->first, step->second);
    entered_ = path.size();
  }

  // What is needed whenever the region is evaluated: by a yield, or by the kernels of an operation
  // that is.
  void find_wanted() {
    const std::vector<NodeId>& nodes = function_.regions[region_].nodes;
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const bool wanted = wanted_.contains(*node) || facts_.needed[node->index];
      if (wanted) wanted_.insert(*node);
      const auto doubtful = doubtful_(*node);
      if (!doubtful) continue;
      if (doubtful->empty()) candidates_.insert(*node);
      if (!wanted) continue;
      for (ValueId value : free_values(function_, *node))
        if (const NodeId from = function_.values[value].node;
            from.valid() && !contains(*doubtful, value))
          wanted_.insert(from);
    }
  }

  void visit(NodeId id) {
    position_[id] = position_.size();
    std::vector<NodeId>& sources = sources_[id];
    std::unordered_set<NodeId> met;
    for (ValueId value : free_values(function_, id)) {
      const NodeId from = function_.values[value].node;
      if (from.valid() && position_.contains(from) && met.insert(from).second)
        sources.push_back(from);
    }
    if (!candidates_.contains(id)) return;
    if (!cannot_fail(function_, id, facts_.ranges)) {
      if (!wanted_.contains(id)) return;
      may_fail_.insert(id);
    }
    drafts_before_[id] = drafts_.size();
    std::vector<std::size_t> read;  // chains, the latest first
    for (NodeId source : sources)
      if (const auto chain = chain_of_.find(source);
          chain != chain_of_.end() && !contains(read, chain->second))
        read.push_back(chain->second);
    std::sort(read.rbegin(), read.rend());
    std::vector<std::size_t> joined;
    for (std::size_t chain : read) {
      joined.push_back(chain);
      if (!joins_all(joined, id)) joined.pop_back();
    }
    const std::vector<Size>* space = space_of(id);
    if (!joined.empty())
      unite(joined, id);
    else if ((wanted_.contains(id) || brings_no_failure({}, id)) && space && !space->empty())
      start(id, *space);
  }

  bool is_alone(NodeId id) const {
    const auto chain = chain_of_.find(id);
    return chain == chain_of_.end() || drafts_[chain->second].chain.members.size() == 1;
  }
  void go_along(NodeId id) {
    const auto own = chain_of_.find(id);
    const auto before = drafts_before_.find(id);
    if (before == drafts_before_.end()) return;  // it may fail and not be needed
    const std::size_t first = before->second - std::min(before->second, max_neighbours);
    const std::size_t last = std::min(drafts_.size(), before->second + max_neighbours);
    for (std::size_t chain = first; chain < last; ++chain) {
      if (own != chain_of_.end() && own->second == chain) continue;
      if (!reads_the_same(drafts_[chain], id) || !joins_all({chain}, id)) continue;
      if (own != chain_of_.end()) drafts_[own->second].chain.members.clear();
      return unite({chain}, id);
    }
  }
  // Some array is walked over by a member and by the node, each along what would be the tiles; and
  // none waits for what the others do not wait for.
  bool reads_the_same(const Draft& draft, NodeId id) const {
    if (draft.chain.members.empty()) return false;
    const NodeId leader = draft.chain.members.front().node;
    const std::size_t start = std::min(position_.at(leader), position_.at(id));
    for (NodeId each : {leader, id})
      for (NodeId source : sources_.at(each))
        if (position_.at(source) > start) return false;
    for (ValueId value : free_values(function_, id)) {
      if (function_.values[value].type.is_scalar() || !walks(id, false, value)) continue;
      for (const ChainMember& member : draft.chain.members)
        if (walks(member.node, member.by_blocks, value)) return true;
    }
    return false;
  }
  bool walks(NodeId id, bool by_blocks, ValueId array) const {
    const std::span<const Use> uses = facts_.users.of(array);
    if (uses.size() > max_uses) return false;
    const std::vector<Size>* space = space_of(id);
    const std::vector<ValueId>& params = function_.regions[function_.nodes[id].regions[0]].params;
    if (params.empty()) return false;  // a map of one point
    const bool reduced = by_blocks || !space || space->empty();
    const ValueId index = reduced && space ? params.back() : params.front();
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
      return stands_in(use, id) && matching(use, id, {index}) > 0;
    });
  }

  const std::vector<Size>* space_of(NodeId id) const {
    const Op& op = function_.nodes[id].op;
    if (const auto* map = std::get_if<Map>(&op)) return &map->space;
    if (const auto* reduce = std::get_if<Reduce>(&op)) return &reduce->space;
    return nullptr;  // keys come in no order
  }

  void start(NodeId id, const std::vector<Size>& space) {
    chain_of_[id] = drafts_.size();
    drafts_.push_back({{{{id, false}}, static_cast<std::uint32_t>(space.size())}, space});
  }

  std::vector<ChainMember> members_of(const std::vector<std::size_t>& chains) const {
    std::vector<ChainMember> members;
    for (std::size_t chain : chains) {
      const std::vector<ChainMember>& own = drafts_[chain].chain.members;
      members.insert(members.end(), own.begin(), own.end());
    }
    std::sort(members.begin(), members.end(), [&](const ChainMember& a, const ChainMember& b) {
      return position_.at(a.node) < position_.at(b.node);
    });
    return members;
  }

  void insert(std::vector<ChainMember>& members, ChainMember member) const {
    const auto later = std::find_if(members.begin(), members.end(), [&](const ChainMember& each) {
      return position_.at(each.node) > position_.at(member.node);
    });
    members.insert(later, member);
  }

  bool joins_all(const std::vector<std::size_t>& chains, NodeId id) const {
    std::vector<ChainMember> members = members_of(chains);
    if (members.size() >= max_members || !fit_of(chains, members, id)) return false;
    if (!wanted_.contains(id) && !brings_no_failure(members, id)) return false;
    insert(members, {id, false});
    return failures_stay(members) && !way_around(members, chains);
  }

  // What may turn out not to be needed fails only where a member that is needed fails too.
  bool brings_no_failure(const std::vector<ChainMember>& members, NodeId id) const {
    std::vector<ValueId> known;
    for (const ChainMember& member : members) {
      if (!wanted_.contains(member.node)) continue;
      for (ValueId value : free_values(function_, member.node)) known.push_back(value);
      for (ValueId value : function_.nodes[member.node].results) known.push_back(value);
    }
    const std::vector<ValueId> values = free_values(function_, id);
    return std::all_of(values.begin(), values.end(), [&](ValueId value) {
      return facts_.safe[value.index] || contains(known, value);
    });
  }

  void unite(const std::vector<std::size_t>& chains, NodeId id) {
    std::vector<ChainMember> members = members_of(chains);
    const Fit fit = *fit_of(chains, members, id);
    insert(members, {id, fit.by_blocks});
    for (std::size_t chain : chains) drafts_[chain].chain.members.clear();
    Draft& home = drafts_[chains[0]];
    home.space.resize(fit.dims);
    home.chain.dims = fit.dims;
    for (const ChainMember& member : members) chain_of_[member.node] = chains[0];
    home.chain.members = std::move(members);
  }

  // All that come after a member that may fail depend on it: else its failure would be theirs, or
  // hide theirs.
  bool failures_stay(const std::vector<ChainMember>& members) const {
    for (auto member = members.begin(); member != members.end(); ++member) {
      if (!may_fail_.contains(member->node)) continue;
      std::vector<NodeId> behind{member->node};
      for (auto later = member + 1; later != members.end(); ++later) {
        const std::vector<NodeId>& sources = sources_.at(later->node);
        if (std::none_of(sources.begin(), sources.end(),
                         [&](NodeId source) { return contains(behind, source); }))
          return false;
        behind.push_back(later->node);
      }
    }
    return true;
  }

  // Whether something outside is behind one member and before another. Other chains are wholly
  // before or wholly behind.
  bool way_around(const std::vector<ChainMember>& members,
                  const std::vector<std::size_t>& chains) const {
    const std::size_t first = position_.at(members.front().node);
    std::unordered_set<NodeId> inside, seen;
    for (const ChainMember& member : members) inside.insert(member.node);
    std::vector<NodeId> open;
    const auto open_sources = [&](NodeId id) {
      for (NodeId source : sources_.at(id))
        if (seen.insert(source).second) open.push_back(source);
    };
    for (const ChainMember& member : members) {
      const auto own = chain_of_.find(member.node);
      for (NodeId source : sources_.at(member.node)) {
        if (!inside.contains(source)) {
          if (seen.insert(source).second) open.push_back(source);
        } else if (const auto other = chain_of_.find(source);
                   own != chain_of_.end() &&
                   (other == chain_of_.end() || other->second != own->second)) {
          return true;  // a read that did not fit when one met the other
        }
      }
    }
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (inside.contains(id) || seen.size() > max_visits) return true;
      const auto chain = chain_of_.find(id);
      if (chain != chain_of_.end() && !contains(chains, chain->second)) {
        for (const ChainMember& member : drafts_[chain->second].chain.members) {
          seen.insert(member.node);
          open_sources(member.node);
        }
      } else if (position_.at(id) > first) {
        open_sources(id);
      }
    }
    return false;
  }

  // Every member's results are read at the node's leading indices, or at the one it reduces.
  std::optional<Fit> fit_of(const std::vector<std::size_t>& chains,
                            const std::vector<ChainMember>& members, NodeId id) const {
    const Node& node = function_.nodes[id];
    const std::vector<ValueId>& params = function_.regions[node.regions[0]].params;
    const auto* reduce = std::get_if<Reduce>(&node.op);
    const auto* keyed = std::get_if<ReduceByKey>(&node.op);
    const std::vector<Size>* space = space_of(id);
    if (space) {
      const std::vector<ValueId> leading(params.begin(), params.end() - (reduce ? 1 : 0));
      std::uint32_t dims = shared(members, id, leading);
      for (std::size_t chain : chains) dims = std::min(dims, drafts_[chain].chain.dims);
      if (dims > 0 && same_space(chains, *space, dims)) return Fit{dims, false};
    }
    if (!reduce && !keyed) return std::nullopt;
    const std::vector<Size> extent{reduce ? reduce->extent : keyed->extent};
    const ValueId index = reduce ? params.back() : params.front();
    if (same_space(chains, extent, 1) && shared(members, id, {index}) > 0) return Fit{1, true};
    return std::nullopt;
  }

  bool same_space(const std::vector<std::size_t>& chains, const std::vector<Size>& space,
                  std::uint32_t dims) const {
    return std::all_of(chains.begin(), chains.end(), [&](std::size_t chain) {
      return space.size() >= dims &&
             std::equal(space.begin(), space.begin() + dims, drafts_[chain].space.begin());
    });
  }

  // How many leading indices of all reads of members' results in the node are these; 0 where a
  // result is used in another way.
  std::uint32_t shared(const std::vector<ChainMember>& members, NodeId id,
                       const std::vector<ValueId>& indices) const {
    auto least = static_cast<std::uint32_t>(indices.size());
    for (const ChainMember& member : members)
      for (ValueId result : function_.nodes[member.node].results) {
        const std::span<const Use> uses = facts_.users.of(result);
        if (uses.size() > max_uses) return 0;
        for (const Use& use : uses)
          if (stands_in(use, id))
            least = member.by_blocks ? 0 : std::min(least, matching(use, id, indices));
      }
    return least;
  }
  std::uint32_t matching(const Use& use, NodeId id, const std::vector<ValueId>& indices) const {
    if (use.kind != Use::Kind::Operand || use.position != 0 ||
        !std::holds_alternative<Read>(function_.nodes[use.node].op) ||
        !facts_.users.encloses(function_.nodes[id].regions[0], use.region))
      return 0;
    const std::vector<ValueId>& operands = function_.nodes[use.node].operands;
    std::uint32_t same = 0;
    while (same < indices.size() && same + 1 < operands.size() &&
           operands[same + 1] == indices[same])
      ++same;
    return same;
  }

  bool stands_in(const Use& use, NodeId id) const {
    if (use.kind != Use::Kind::Yield && use.node == id) return true;
    const std::vector<RegionId>& regions = function_.nodes[id].regions;
    return std::any_of(regions.begin(), regions.end(),
                       [&](RegionId region) { return facts_.users.encloses(region, use.region); });
  }

  ChainFacts& facts_;
  const Function& function_;
  const RegionId region_;
  const Doubtful& doubtful_;
  std::size_t entered_ = 0;  // regions of `facts_.ranges`
  std::vector<Draft> drafts_;
  std::unordered_map<NodeId, std::size_t> position_;
  std::unordered_map<NodeId, std::vector<NodeId>> sources_;  // in the region
  std::unordered_map<NodeId, std::size_t> chain_of_, drafts_before_;
  std::unordered_set<NodeId> candidates_, wanted_, may_fail_;
};

}  // namespace

ChainFacts::ChainFacts(const Function& function)
    : function(function),
      forms(function),
      ranges(function, forms),
      users(function),
      needed(always_needed(function)),
      safe(values_without_failure(function, forms, true)) {}

std::vector<NodeChain> find_chains(ChainFacts& facts, RegionId region, const Doubtful& doubtful) {
  return Finder(facts, region, doubtful).run();
}

}  // namespace dvm::passes
