// Which rows of its array params a one-node function reads.
#include "passes/plan/access.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/graph/affine.hpp"

namespace dvm::passes {

using namespace graph;

namespace {

using Band = task::Access;

constexpr std::int64_t widest = 1 << 20;
constexpr int deepest = 64;  // nested clamps and selections

std::optional<Band> unite(const std::optional<Band>& a, const std::optional<Band>& b) {
  if (!a || !b || a->dim != b->dim || a->factor != b->factor) return std::nullopt;
  return Band{false, a->dim, a->factor, std::min(a->low, b->low), std::max(a->high, b->high)};
}

class Analysis {
 public:
  explicit Analysis(const Outlined& outlined)
      : outlined_(outlined), function_(outlined.function), forms_(outlined.function) {
    const std::vector<ValueId>& params = function_.params();
    for (std::size_t k = 0; k < params.size(); ++k)
      if (!function_.values[params[k]].type.is_scalar()) position_[params[k]] = k;
    found_.resize(params.size());
    whole_.resize(params.size(), false);
  }

  std::vector<task::Access> run() {
    const Node& node = function_.nodes[outlined_.node];
    for (ValueId operand : node.operands) read_whole(operand);
    for (std::size_t r = 0; r < node.regions.size(); ++r) {
      if (r == 0) number_dims(node);
      visit(node.regions[r], r == 0);
    }
    std::vector<task::Access> result(found_.size());
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (!whole_[k] && found_[k]) result[k] = *found_[k];
    return result;
  }

 private:
  // Indices of region 0 in the order of iteration dimensions: the space, then the reduced index.
  void number_dims(const Node& node) {
    const std::vector<ValueId>& params = function_.regions[node.regions[0]].params;
    const bool extent_first =
        std::holds_alternative<ReduceByKey>(node.op) || std::holds_alternative<Scatter>(node.op);
    const auto count = static_cast<std::uint32_t>(params.size());
    for (std::uint32_t k = 0; k < count; ++k)
      dims_[params[k]] = extent_first ? (k == 0 ? count - 1 : k - 1) : k;
  }

  void read_whole(ValueId array) {
    if (const auto at = position_.find(array); at != position_.end()) whole_[at->second] = true;
  }

  void visit(RegionId region, bool terms) {
    for (NodeId id : function_.regions[region].nodes) {
      const Node& node = function_.nodes[id];
      if (std::holds_alternative<Read>(node.op)) {
        const auto at = position_.find(node.operands[0]);
        if (at == position_.end()) continue;
        rows_ = function_.values[node.operands[0]].type.shape[0];
        add(at->second, terms ? band(node.operands[1], 0) : std::nullopt);
      } else {
        for (ValueId operand : node.operands) read_whole(operand);
      }
      note_ranges(node);
      for (RegionId inner : node.regions) visit(inner, terms);
    }
    for (ValueId yield : function_.regions[region].yields) read_whole(yield);
  }

  // Inner loops over a known number of steps widen a band.
  void note_ranges(const Node& node) {
    if (const auto* map = std::get_if<Map>(&node.op)) note(node, map->space, std::nullopt);
    if (const auto* reduce = std::get_if<Reduce>(&node.op))
      note(node, reduce->space, reduce->extent);
  }
  void note(const Node& node, std::vector<Size> space, std::optional<Size> extent) {
    if (extent) space.push_back(*extent);
    const std::vector<ValueId>& params = function_.regions[node.regions[0]].params;
    for (std::size_t k = 0; k < space.size(); ++k)
      if (const auto known = space[k].constant(); known && *known >= 1 && *known <= 4096)
        trips_[params[k]] = *known;
  }

  void add(std::size_t param, const std::optional<Band>& band) {
    if (!band) {
      whole_[param] = true;
    } else if (!found_[param]) {
      found_[param] = band;
    } else if (found_[param] = unite(found_[param], band); !found_[param]) {
      whole_[param] = true;
    }
  }

  std::optional<Band> band(ValueId index, int depth) {
    if (depth > deepest) return std::nullopt;
    if (const auto direct = affine_band(forms_.of(index))) return direct;
    const NodeId id = function_.values[index].node;
    if (!id.valid()) return std::nullopt;
    const Node& node = function_.nodes[id];
    if (const auto* scalar = std::get_if<ScalarOp>(&node.op))
      return scalar_band(scalar->fn, node, depth);
    if (std::holds_alternative<Branch>(node.op)) {
      std::size_t at = 0;
      while (node.results[at] != index) ++at;
      return unite(band(function_.regions[node.regions[0]].yields[at], depth + 1),
                   band(function_.regions[node.regions[1]].yields[at], depth + 1));
    }
    return std::nullopt;
  }

  std::optional<Band> scalar_band(ScalarFn fn, const Node& node, int depth) {
    if (fn == ScalarFn::Select)
      return unite(band(node.operands[1], depth + 1), band(node.operands[2], depth + 1));
    if (fn != ScalarFn::Min && fn != ScalarFn::Max) return std::nullopt;
    // Clamping to the rows there are is what an access does anyway; to other bounds it is not.
    for (int side = 0; side < 2; ++side) {
      const Affine& bound = forms_.of(node.operands[static_cast<std::size_t>(side)]);
      const ValueId other = node.operands[static_cast<std::size_t>(1 - side)];
      if (!bound.is_size()) continue;
      const bool ends =
          fn == ScalarFn::Max ? bound.constant == Size(0) : bound.constant == rows_ - Size(1);
      if (ends) return band(other, depth + 1);
    }
    return std::nullopt;
  }

  std::optional<Band> affine_band(const Affine& form) {
    const auto offset = form.constant.constant();
    if (!offset || *offset < -widest || *offset > widest) return std::nullopt;
    Band result{false, 0, 0, *offset, *offset};
    for (const Affine::Term& term : form.terms) {
      const auto factor = term.coefficient.constant();
      if (!factor || *factor < -widest || *factor > widest) return std::nullopt;
      if (const auto dim = dims_.find(term.variable); dim != dims_.end()) {
        if (result.factor != 0 || *factor < 1 || *factor > 4096) return std::nullopt;
        result.factor = *factor;
        result.dim = dim->second;
      } else if (const auto trips = trips_.find(term.variable); trips != trips_.end()) {
        (*factor > 0 ? result.high : result.low) += *factor * (trips->second - 1);
      } else {
        return std::nullopt;
      }
    }
    if (result.factor == 0) return std::nullopt;
    return result;
  }

  const Outlined& outlined_;
  const Function& function_;
  const AffineForms forms_;
  std::unordered_map<ValueId, std::size_t> position_;  // of array params
  std::unordered_map<ValueId, std::uint32_t> dims_;
  std::unordered_map<ValueId, std::int64_t> trips_;
  std::vector<std::optional<Band>> found_;
  std::vector<bool> whole_;
  Size rows_;  // of the array whose read is being looked at
};

}  // namespace

std::vector<task::Access> accesses(const Outlined& outlined) { return Analysis(outlined).run(); }

}  // namespace dvm::passes
