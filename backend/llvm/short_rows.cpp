// See Note [Short rows].
#include "backend/llvm/short_rows.hpp"

#include <algorithm>

#include "backend/kernel/lane_width.hpp"
#include "backend/kernel/op_sizes.hpp"

namespace dvm::llvm_backend {

using graph::ScalarFn;

namespace {

constexpr std::int64_t most_terms = 8;
constexpr int most_nodes = 16;  // of the terms

bool has_regions(const graph::Function& function, graph::RegionId region) {
  const auto& nodes = function.regions[region].nodes;
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](graph::NodeId id) { return !function.nodes[id].regions.empty(); });
}

}  // namespace

// The reductions of the body, level by level; false when there is something else than these and
// scalars, or a reduction in lanes that is not short and simple.
bool Emitter::find_short_rows(graph::RegionId region, std::optional<graph::NodeId> around,
                              ShortRows& rows) const {
  for (graph::NodeId id : this->region(region).nodes) {
    const graph::Node& n = node(id);
    if (n.regions.empty()) continue;
    const auto* reduce = std::get_if<graph::Reduce>(&n.op);
    if (!reduce || !reduce->space.empty()) return false;
    bool known = true;  // how many terms there are, before the first point
    reduce->extent.symbols([&](Size::Symbol symbol) {
      const auto& params = function_.params();
      known =
          known && std::find(params.begin(), params.end(), graph::ValueId{symbol}) != params.end();
    });
    if (!known) return false;
    if (reduce->tree == graph::Tree::Lanes && !reduce->components.empty()) {
      if (has_regions(function_, n.regions[0]) ||
          kernel::node_count(function_, n.regions[0]) > most_nodes)
        return false;
      rows.reductions.push_back(id);
      if (around) rows.inside[*around].push_back(id);
    } else if (around || !find_short_rows(n.regions[0], id, rows)) {
      return false;
    }
  }
  return true;
}

std::optional<Emitter::ShortRows> Emitter::plan_short_rows(const Space& space) {
  if (mode_.width > 1 || !space.poll || space.regions.size() != 1 || space.params.empty())
    return {};
  if (kernel::makes_arrays(function_, space.regions[0])) return {};
  ShortRows rows;
  if (!find_short_rows(space.regions[0], {}, rows) || rows.reductions.empty()) return {};
  const graph::ValueId lane = space.params.back();
  const graph::ValueId seeds[] = {lane};
  const kernel::Divergence divergence(function_, space.regions, seeds);
  rows.width = kernel::lane_width(function_, space.regions[0], lane, divergence, vector_bytes_);
  rows.all_short =
      b_.CreateICmpSGE(b_.CreateSub(space.high.back(), space.low.back()), i64(rows.width));
  for (graph::NodeId id : rows.reductions) {
    Value extent = uniform_size(std::get<graph::Reduce>(node(id).op).extent, node(id).loc);
    rows.all_short = b_.CreateAnd(rows.all_short, b_.CreateICmpSLE(extent, i64(most_terms)));
  }
  for (const auto& [outer, inner] : rows.inside) {
    for (graph::NodeId reduce : inner) {
      const graph::Region& body = region(node(reduce).regions[0]);
      for (graph::NodeId id : body.nodes) {
        const graph::Node& n = node(id);
        if (!std::holds_alternative<graph::Read>(n.op) || n.check.valid() ||
            !divergence.varying(n.results[0]) || !is_of_point(n, reduce, space))
          continue;
        const ElementType element = type(n.results[0]).element;
        rows.panels[id] = {reduce, entry_alloca(memory_type(element, rows.width), most_terms)};
      }
    }
  }
  return rows;
}

// Its indices are made of the point, the term, and what does not change at all.
bool Emitter::is_of_point(const graph::Node& read, graph::NodeId reduce, const Space& space) const {
  const graph::ValueId term = region(node(reduce).regions[0]).params.back();
  std::vector<graph::ValueId> open(read.operands.begin() + 1, read.operands.end());
  for (int budget = most_nodes; !open.empty(); --budget) {
    const graph::ValueId value = open.back();
    open.pop_back();
    if (budget == 0) return false;
    const graph::NodeId maker = function_.values[value].node;
    if (maker.valid()) {
      const graph::Node& made = node(maker);
      if (made.check.valid() || !made.regions.empty()) return false;
      open.insert(open.end(), made.operands.begin(), made.operands.end());
      kernel::for_each_size_value(made.op, [&](graph::ValueId symbol) { open.push_back(symbol); });
      continue;
    }
    const auto& params = function_.params();
    const bool fixed =
        value == term || std::find(params.begin(), params.end(), value) != params.end() ||
        std::find(space.params.begin(), space.params.end(), value) != space.params.end();
    if (!fixed) return false;
  }
  return true;
}

// Before the loop of a reduction around short ones: what those read of the point, for each term.
void Emitter::fill_panels(graph::NodeId outer) {
  if (mode_.width == 1) return;  // an end of a range, point by point
  const auto inner = short_rows_->inside.find(outer);
  if (inner == short_rows_->inside.end()) return;
  Value some = b_.CreateICmpSGT(
      uniform_size(std::get<graph::Reduce>(node(outer).op).extent, node(outer).loc), i64(0));
  for (const auto& [read, panel] : short_rows_->panels) {
    if (std::find(inner->second.begin(), inner->second.end(), panel.reduce) == inner->second.end())
      continue;
    const graph::Node& reduce = node(panel.reduce);
    if_then(some, [&, read = read, memory = panel.memory] {
      Value extent = uniform_size(std::get<graph::Reduce>(reduce.op).extent, reduce.loc);
      loop(i64(0), extent, 1, [&](Value t) {
        set_cell(region(reduce.regions[0]).params.back(), Cell::uniform(ElementType::I64, t));
        const ElementType element = type(node(read).results[0]).element;
        const Cell loaded = emit_read(read);
        b_.CreateStore(to_memory(element, materialise(loaded)),
                       b_.CreateGEP(memory_type(element, mode_.width), memory, t));
      });
    });
  }
}

// Whether the read was made before; then `found` is what it gave.
bool Emitter::read_panel(graph::NodeId id, Cell& found) {
  if (!short_rows_ || mode_.width == 1) return false;
  const auto panel = short_rows_->panels.find(id);
  if (panel == short_rows_->panels.end()) return false;
  const ElementType element = type(node(id).results[0]).element;
  llvm::Type* vector = memory_type(element, mode_.width);
  Value term = cell(region(node(panel->second.reduce).regions[0]).params.back()).value;
  Value value = b_.CreateLoad(vector, b_.CreateGEP(vector, panel->second.memory, term));
  found = Cell::varying(element, from_memory(element, value));
  return true;
}

// A reduction of at most `most_terms` terms at a vector of points.
Cells Emitter::reduce_short_row(graph::NodeId id) {
  const graph::Node& n = node(id);
  const auto& components = components_of(n);
  std::vector<Slot> term;
  std::vector<llvm::AllocaInst*> terms;
  for (graph::ValueId result : n.results) {
    const ElementType element = type(result).element;
    term.push_back(make_slot(element, mode_.width));
    terms.push_back(entry_alloca(register_type(element, mode_.width), most_terms));
  }
  set_identities(n, term);
  const auto place = [&](std::size_t i, Value t) {
    return b_.CreateGEP(register_type(term[i].element, mode_.width), terms[i], t);
  };
  for (std::size_t i = 0; i < term.size(); ++i) {
    Value none = load_slot(term[i]).value;
    for (std::int64_t t = 0; t < most_terms; ++t) b_.CreateStore(none, place(i, i64(t)));
  }
  Value extent = uniform_size(std::get<graph::Reduce>(n.op).extent, n.loc);
  Value some = b_.CreateICmpSGT(extent, i64(0));
  loop(i64(0), extent, 1, [&](Value t) {
    set_cell(region(n.regions[0]).params.back(), Cell::uniform(ElementType::I64, t));
    set_identities(n, term);
    accumulate(n, term, emit_region(n.regions[0]), nullptr, nullptr);
    for (std::size_t i = 0; i < term.size(); ++i)
      b_.CreateStore(load_slot(term[i]).value, place(i, t));
  });
  Cells result;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const ElementType element = term[i].element;
    const ScalarFn combiner = components[i].combiner;
    const auto join = [&](Value a, Value b) {
      const Value x[] = {a, b};
      return scalar_op(combiner, element, element, x);
    };
    set_identities(n, term);
    Value none = load_slot(term[i]).value;
    std::vector<Value> lanes;
    for (std::int64_t t = 0; t < most_terms; ++t) {
      Value lane = b_.CreateLoad(register_type(element, mode_.width), place(i, i64(t)));
      // The least of NaN and an identity is the identity: the empty lanes beyond count there.
      const bool chooses = combiner == ScalarFn::Min || combiner == ScalarFn::Max;
      lanes.push_back(chooses ? join(lane, none) : lane);
    }
    for (std::size_t half = lanes.size() / 2; half > 0; half /= 2)
      for (std::size_t l = 0; l < half; ++l) lanes[l] = join(lanes[l], lanes[l + half]);
    Value neutral = materialise(operand(id, i));
    result.push_back(Cell::varying(element, b_.CreateSelect(some, lanes[0], neutral)));
  }
  return result;
}

}  // namespace dvm::llvm_backend
