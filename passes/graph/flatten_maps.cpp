// Finds the maps of each region that can be flattened and the spaces that are wanted flat.
#include "passes/graph/flatten_maps.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "passes/analysis/users.hpp"
#include "passes/graph/rebuild.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

Size product(const std::vector<Size>& space) {
  Size result(1);
  for (const Size& size : space) result = result * size;
  return result;
}

class FlattenMaps {
 public:
  explicit FlattenMaps(const Function& function) : function_(function), users_(function) {
    for (RegionId region : regions()) plan(region);
  }

  bool any() const { return !flat_.empty(); }

  bool replace(Rewriter& rewriter, NodeId id) {
    if (open_ && std::holds_alternative<Read>(function_.nodes[id].op))
      return replace_read(rewriter, id);
    if (!flat_.contains(id)) return false;
    flatten(rewriter, id);
    return true;
  }

 private:
  std::vector<RegionId> regions() const {
    std::vector<RegionId> all{function_.body};
    for (std::size_t k = 0; k < all.size(); ++k)
      for (NodeId id : function_.regions[all[k]].nodes)
        for (RegionId inner : function_.nodes[id].regions) all.push_back(inner);
    return all;
  }

  void plan(RegionId region) {
    std::vector<NodeId> maps;
    std::vector<std::vector<Size>> wanted;
    for (NodeId id : function_.regions[region].nodes) {
      if (!treats_elements_alike(id)) continue;
      maps.push_back(id);
      if (read_flat(id)) wanted.push_back(std::get<Map>(function_.nodes[id].op).space);
    }
    for (NodeId id : maps)
      if (std::find(wanted.begin(), wanted.end(), std::get<Map>(function_.nodes[id].op).space) !=
          wanted.end())
        flat_.insert(id);
  }

  bool read_flat(NodeId id) const {
    for (ValueId result : function_.nodes[id].results)
      for (const Use& use : users_.of(result))
        if (use.kind == Use::Kind::Operand &&
            std::holds_alternative<Reshape>(function_.nodes[use.node].op) &&
            function_.values[function_.nodes[use.node].results[0]].type.shape.size() == 1)
          return true;
    return false;
  }

  // Its indices are used for one thing: to read, all of them in order, arrays of its own shape.
  bool treats_elements_alike(NodeId id) const {
    const Node& node = function_.nodes[id];
    const auto* map = std::get_if<Map>(&node.op);
    if (map == nullptr || map->space.size() < 2) return false;
    const Region& body = function_.regions[node.regions[0]];
    for (ValueId yield : body.yields)
      if (!function_.values[yield].type.is_scalar()) return false;
    for (std::size_t d = 0; d < body.params.size(); ++d) {
      for (const Use& use : users_.of(body.params[d])) {
        if (use.kind != Use::Kind::Operand || use.position != d + 1 ||
            !reads_point(use.node, body.params, map->space))
          return false;
      }
    }
    return true;
  }
  bool reads_point(NodeId id, const std::vector<ValueId>& indices,
                   const std::vector<Size>& space) const {
    const Node& node = function_.nodes[id];
    if (!std::holds_alternative<Read>(node.op) || node.check.valid()) return false;
    return std::equal(node.operands.begin() + 1, node.operands.end(), indices.begin(),
                      indices.end()) &&
           function_.values[node.operands[0]].type.shape == space;
  }

  void flatten(Rewriter& rewriter, NodeId id) {
    const Node& node = function_.nodes[id];
    Builder& builder = rewriter.builder();
    const std::vector<Size>& space = std::get<Map>(node.op).space;
    const Size count = rewriter.mapped(product(space));
    const Region& body = function_.regions[node.regions[0]];
    builder.set_loc(node.loc);
    flat_arrays_.clear();
    for (ValueId array : free_values(function_, id)) {
      const Type& type = function_.values[array].type;
      if (type.is_scalar() || type.shape != space || !is_read_at(array, body.params)) continue;
      flat_arrays_.emplace_back(array,
                                builder.results(builder.add(Reshape{}, {rewriter.mapped(array)}, {},
                                                            {{type.element, {count}}}))[0]);
    }
    open_ = &body.params;
    const RegionId region = builder.open_region();
    point_ = builder.add_param({ElementType::I64, {}}, "i");
    std::vector<ValueId> yields =
        rewriter.inline_region(node.regions[0], std::vector<ValueId>(body.params.size(), point_));
    builder.close_region(std::move(yields));
    open_ = nullptr;
    std::vector<Type> types;
    for (ValueId result : node.results)
      types.push_back({function_.values[result].type.element, {count}});
    const NodeId flat = builder.add(Map{{count}}, {}, {region}, types);
    for (std::size_t k = 0; k < node.results.size(); ++k) {
      const Type& type = function_.values[node.results[k]].type;
      const NodeId shaped =
          builder.add(Reshape{}, {builder.results(flat)[k]}, {}, {rewriter.mapped(type)});
      rewriter.map(node.results[k], builder.results(shaped)[0]);
    }
  }

  bool is_read_at(ValueId array, const std::vector<ValueId>& indices) const {
    const std::span<const Use> uses = users_.of(array);
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
      return use.kind == Use::Kind::Operand && use.position == 0 && reads_at(use.node, indices);
    });
  }
  bool reads_at(NodeId id, const std::vector<ValueId>& indices) const {
    const Node& node = function_.nodes[id];
    return std::holds_alternative<Read>(node.op) &&
           std::equal(node.operands.begin() + 1, node.operands.end(), indices.begin(),
                      indices.end());
  }

  bool replace_read(Rewriter& rewriter, NodeId id) const {
    const Node& node = function_.nodes[id];
    if (!reads_at(id, *open_)) return false;
    for (const auto& [array, flat] : flat_arrays_)
      if (array == node.operands[0]) {
        rewriter.map(node.results[0], rewriter.builder().read(flat, {point_}));
        return true;
      }
    return false;
  }

  const Function& function_;
  Users users_;
  std::unordered_set<NodeId> flat_;
  // Of the map that is being flattened.
  const std::vector<ValueId>* open_ = nullptr;
  ValueId point_;
  std::vector<std::pair<ValueId, ValueId>> flat_arrays_;
};

}  // namespace

void flatten_maps(Module& module) {
  rebuild_each(module, [](const Function& function) -> Rewriter::Replace {
    auto rule = std::make_shared<FlattenMaps>(function);
    if (!rule->any()) return nullptr;
    return [rule](Rewriter& rewriter, NodeId node) { return rule->replace(rewriter, node); };
  });
}

}  // namespace dvm::passes
