// How often contractions make what they read: once for a tile of the other side (see
// ir/graph/contraction.hpp).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>

#include "ir/graph/contraction.hpp"

namespace dvm::passes {

class PackedReads {
 public:
  explicit PackedReads(const graph::Function& function) : function_(function) {}

  // Of a read, in the body of `owner`, whose indices mention `used`: when `owner` is a contraction
  // and the read belongs to one of its sides, the index of the other side. The element is made
  // once for each `graph::contraction_tile` of its values.
  std::optional<graph::ValueId> shared_index(graph::NodeId owner,
                                             const std::set<graph::ValueId>& used);

  // Whether a contraction stays one when this map's body goes into it. `is_fused` tells which
  // arrays that the body reads are computed in place as well; their makers were asked about before.
  bool can_pack(graph::NodeId map, const std::function<bool(graph::ValueId)>& is_fused);

 private:
  bool can_pack_region(graph::RegionId region,
                       const std::function<bool(graph::ValueId)>& is_fused) const;

  const graph::Function& function_;
  std::unordered_map<graph::NodeId, std::optional<graph::Contraction>> contractions_;
  std::unordered_map<graph::NodeId, bool> packs_;
};

}  // namespace dvm::passes
