// Checks that a task program is well formed. What passes here cannot make the engine step outside
// its tables; what kernels do with their operands is the code generator's word.
#include "ir/task/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace dvm::task {

namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {}

  std::vector<std::string> run() {
    if (program_.templates.empty()) problem("there is no template");
    for (const Template& owner : program_.templates) check_template(owner);
    if (problems_.empty()) check_entry();
    return std::move(problems_);
  }

 private:
  void problem(std::string text) {
    if (problems_.size() < 20)
      problems_.push_back(owner_ ? fmt::format("template `@{}`: {}", owner_->name, text)
                                 : std::move(text));
  }
  const Slot& slot(SlotId id) const { return owner_->slots[id]; }
  bool is_i64(SlotId id) const {
    return slot(id).is_scalar() && slot(id).element == ElementType::I64;
  }
  bool is_bool(SlotId id) const {
    return slot(id).is_scalar() && slot(id).element == ElementType::Bool;
  }

  void check_entry() {
    owner_ = nullptr;
    const graph::EntrySignature& entry = program_.entry;
    const Template& main = program_.templates[TemplateId{0}];
    if (main.params.size() != entry.size_names.size() + entry.inputs.size()) {
      problem("the entry's sizes and inputs are not the params of the first template");
      return;
    }
    if (main.yields.size() != entry.result_names.size())
      problem("the entry's results are not those of the first template");
    for (std::size_t k = 0; k < main.params.size(); ++k) {
      const Slot& param = main.slots[main.params[k]];
      const bool size = k < entry.size_names.size();
      const ElementType element =
          size ? ElementType::I64 : entry.inputs[k - entry.size_names.size()].element;
      const std::size_t rank = size ? 0 : entry.inputs[k - entry.size_names.size()].shape.size();
      if (param.element != element || param.shape.size() != rank)
        problem(fmt::format("param `{}` is not of the entry's type", param.name));
    }
    for (const graph::EntryInput& input : entry.inputs)
      for (const Size& extent : input.shape)
        extent.symbols([&](Size::Symbol symbol) {
          if (symbol >= main.params.size()) problem("an input's shape mentions an unknown size");
        });
  }

  void check_template(const Template& owner) {
    owner_ = &owner;
    defined_.assign(owner.slots.size(), false);
    constants_.assign(owner.slots.size(), std::nullopt);
    for (SlotId param : owner.params) define(param);
    for (SlotId param : owner.params) check_shape(param);
    for (const Family& family : owner.families) check_family(family);
    for (SlotId yield : owner.yields) use(yield);
    if (std::find(defined_.begin(), defined_.end(), false) != defined_.end())
      problem("a slot is not defined by a family");
  }

  void define(SlotId id) {
    if (!owner_->slots.contains(id)) return problem("a slot does not exist");
    if (defined_[id.index]) problem(fmt::format("`%{}` is defined twice", slot(id).name));
    defined_[id.index] = true;
    if (slot(id).shape.size() > static_cast<std::size_t>(kernel::max_rank))
      problem(fmt::format("`%{}` has more than {} dimensions", slot(id).name, kernel::max_rank));
  }
  bool use(SlotId id) {
    const bool good = owner_->slots.contains(id) && defined_[id.index];
    if (!good) problem("a slot is used before it is defined");
    return good;
  }
  void check_size(const Size& size) {
    size.symbols([&](Size::Symbol symbol) {
      if (use(SlotId{symbol}) && !is_i64(SlotId{symbol}))
        problem(fmt::format("size `{}` is not an i64 scalar", slot(SlotId{symbol}).name));
    });
  }
  void check_shape(SlotId id) {
    if (owner_->slots.contains(id))
      for (const Size& extent : slot(id).shape) check_size(extent);
  }

  void check_family(const Family& family) {
    const std::size_t before = problems_.size();
    for (SlotId operand : family.operands) use(operand);
    for (SlotId result : family.results)
      if (owner_->slots.contains(result) && defined_[result.index])
        problem("a slot is defined twice");
    if (family.check.valid() && !program_.checks.contains(family.check))
      problem("a check does not exist");
    if (problems_.size() == before)
      std::visit([&](const auto& action) { check_action(action, family); }, family.action);
    for (SlotId result : family.results) define(result);
    for (SlotId result : family.results) check_shape(result);
  }

  void form(bool good, std::string_view what) {
    if (!good) problem(std::string(what));
  }
  bool has(const Family& family, std::size_t operands, std::size_t results) {
    const bool good = family.operands.size() == operands && family.results.size() == results;
    form(good, "wrong number of operands or results");
    return good;
  }
  bool scalars(const std::vector<SlotId>& slots) {
    const bool good =
        std::all_of(slots.begin(), slots.end(), [&](SlotId id) { return slot(id).is_scalar(); });
    form(good, "scalars expected");
    return good;
  }

  void check_action(const ConstantOf& constant, const Family& family) {
    if (!has(family, 0, 1) || !scalars(family.results)) return;
    form(slot(family.results[0]).element == constant.value.type, "a constant of another type");
    constants_[family.results[0].index] = constant.value;
  }
  void check_action(const SizeValue& value, const Family& family) {
    check_size(value.size);
    if (has(family, 0, 1)) form(is_i64(family.results[0]), "a size is an i64 scalar");
  }
  void check_action(const Compute& compute, const Family& family) {
    const graph::ScalarFacts& known = graph::facts(compute.fn);
    if (!has(family, static_cast<std::size_t>(known.arity), 1)) return;
    if (!scalars(family.operands) || !scalars(family.results)) return;
    if (known.fails && !never_fails(compute.fn, family.operands.back()))
      form(family.check.valid(), "a function that may fail needs a check");
  }
  // The divisor or shift count is a harmless constant, as in the graph's own rule (check_id).
  bool never_fails(graph::ScalarFn fn, SlotId last) const {
    const bool shift = fn == graph::ScalarFn::Shl || fn == graph::ScalarFn::Shr;
    const auto& known = constants_[last.index];
    return known && is_integer(known->type) && (shift ? known->as_i64() >= 0 : known->bits != 0);
  }
  void check_action(const ReadElement&, const Family& family) {
    if (family.operands.empty() || family.results.size() != 1)
      return problem("read: an array and indices to one scalar");
    form(slot(family.operands[0]).shape.size() + 1 == family.operands.size(),
         "read: one index per dimension");
    form(slot(family.results[0]).is_scalar() &&
             slot(family.results[0]).element == slot(family.operands[0]).element,
         "read: the result is an element");
    for (std::size_t k = 1; k < family.operands.size(); ++k)
      form(is_i64(family.operands[k]), "read: indices are i64");
  }
  void check_action(const CheckValue&, const Family& family) {
    if (family.operands.size() < 2 || family.results.size() != 1)
      return problem("check: value and condition");
    form(is_bool(family.operands[1]), "check: the condition is a bool");
    form(family.check.valid(), "check: has no message");
    form(same(slot(family.operands[0]), slot(family.results[0])), "check: the result is the value");
    for (std::size_t k = 2; k < family.operands.size(); ++k)
      form(slot(family.operands[k]).is_scalar(), "check: message values are scalars");
  }

  void check_action(const ArrayWork& work, const Family& family) {
    for (const Size& extent : work.space) check_size(extent);
    check_size(work.extent);
    check_size(work.keys);
    const std::vector<kernel::Phase> wanted = phases(work.kind);
    form(work.kernels.size() == wanted.size(), "wrong number of kernels");
    for (std::size_t k = 0; k < std::min(wanted.size(), work.kernels.size()); ++k) {
      if (!program_.kernels.contains(work.kernels[k])) {
        problem("a kernel does not exist");
        continue;
      }
      const Kernel& kernel = program_.kernels[work.kernels[k]];
      form(kernel.phase == wanted[k], "a kernel of another phase");
      kernel.scratch.symbols([&](Size::Symbol symbol) {
        form(symbol < family.operands.size() && is_i64(family.operands[symbol]),
             "a kernel's scratch size needs an i64 operand");
      });
    }
    for (const CostTerm& term : work.cost) {
      check_size(term.times);
      form(term.nanoseconds >= 0 && term.nanoseconds < 1e18 && term.cached_nanoseconds >= 0 &&
               term.cached_nanoseconds < 1e18,
           "the cost is not a time");
    }
    form(!family.results.empty(), "no results");
    if (work.accesses.size() != family.operands.size())
      return problem("one access per operand expected");
    const bool reduces = work.kind != ArrayWork::Kind::Map;
    const std::size_t dims = work.space.size() + (reduces ? 1 : 0);
    form(dims <= static_cast<std::size_t>(kernel::max_rank), "too many dimensions");
    for (std::size_t k = 0; k < work.accesses.size(); ++k) {
      const Access& access = work.accesses[k];
      form(!access.perhaps || (access.whole && work.careful),
           "an operand that is read perhaps wants a careful template");
      if (access.whole) continue;
      constexpr std::int64_t most = std::int64_t{1} << 40;
      form(access.dim < dims && !slot(family.operands[k]).is_scalar() && access.factor >= 1 &&
               access.factor <= 4096 && access.low <= access.high && access.low > -most &&
               access.high < most,
           "an access is not a band");
    }
    if (work.careful) check_use(*work.careful, 0, family.operands, slots_of(family.results));
    check_results(work, family, dims);
  }
  // Each stage alone, then what ties them: the shared dimensions, and that nobody in the chain
  // reads what is complete only when all blocks are combined.
  void check_action(const Chain& chain, const Family& family) {
    if (chain.dims < 1 || chain.stages.empty()) return problem("chain: dimensions and stages");
    form(family.operands == outer_operands(chain), "chain: the operands are what its stages read");
    std::vector<SlotId> made, combined;
    const auto has = [](const std::vector<SlotId>& slots, SlotId slot) {
      return std::find(slots.begin(), slots.end(), slot) != slots.end();
    };
    for (const Stage& stage : chain.stages) {
      Family alone;
      alone.operands = stage.operands;
      alone.results = stage.results;
      for (SlotId operand : stage.operands) {
        form(!has(combined, operand), "chain: a stage reads what is combined later");
        if (!has(made, operand) && !has(family.operands, operand))
          return problem("chain: a stage reads what is not there yet");
      }
      check_action(stage.work, alone);
      check_stage(chain, stage);
      std::vector<SlotId>& into = stage.by_blocks ? combined : made;
      into.insert(into.end(), stage.results.begin(), stage.results.end());
    }
    made.insert(made.end(), combined.begin(), combined.end());
    form(
        made == family.results || std::is_permutation(made.begin(), made.end(),
                                                      family.results.begin(), family.results.end()),
        "chain: the results are those of its stages");
    for (SlotId kept : chain.kept) form(has(made, kept), "chain: it keeps what it does not make");
    for (SlotId slot : combined) form(has(chain.kept, slot), "chain: a reduction is kept");
  }
  void check_stage(const Chain& chain, const Stage& stage) {
    using Kind = ArrayWork::Kind;
    const ArrayWork& work = stage.work;
    form(!work.careful, "chain: a stage has no second form");
    // What the first stage goes along, all do; a sum by blocks goes along its one extent.
    const ArrayWork& first = chain.stages[0].work;
    const std::vector<Size> shared =
        chain.stages[0].by_blocks ? std::vector<Size>{first.extent} : first.space;
    const std::size_t dims = chain.dims;
    if (stage.by_blocks) {
      form(work.kind == Kind::Reduce || work.kind == Kind::Keys, "chain: only sums go by blocks");
      form(dims == 1 && !shared.empty() && work.extent == shared[0],
           "chain: blocks of another dimension");
      return;
    }
    form(work.kind == Kind::Map || work.kind == Kind::Reduce, "chain: a stage maps or reduces");
    form(work.space.size() >= dims && shared.size() >= dims &&
             std::equal(shared.begin(), shared.begin() + dims, work.space.begin()),
         "chain: the stages have other dimensions");
  }

  void check_results(const ArrayWork& work, const Family& family, std::size_t dims) {
    using Kind = ArrayWork::Kind;
    for (std::size_t k = 0; k < family.results.size(); ++k) {
      const Slot& result = slot(family.results[k]);
      if (work.kind == Kind::Filter) {
        form(k == 0 ? is_i64(family.results[0]) : result.shape.size() == 1,
             "filter: a count, then arrays");
        form(work.space.empty(), "filter has no space");
      } else if (work.kind != Kind::Scatter) {
        const std::size_t least = work.kind == Kind::Reduce ? dims - 1 : dims;
        form(result.shape.size() >= least, "a result has too few dimensions");
      }
    }
  }

  void check_action(const Alias&, const Family& family) {
    if (has(family, 1, 1))
      form(slot(family.operands[0]).element == slot(family.results[0]).element, "alias: one type");
  }
  void check_action(const Concat&, const Family& family) {
    if (family.operands.empty() || family.results.size() != 1)
      return problem("concat: arrays to one array");
    const Slot& result = slot(family.results[0]);
    form(!result.is_scalar(), "concat: arrays expected");
    for (SlotId operand : family.operands)
      form(same(slot(operand), result), "concat: arrays of one type");
  }
  void check_action(const SortKeys& sort, const Family& family) {
    if (!has(family, sort.descending.size(), 1) || family.operands.empty())
      return form(false, "sort: keys expected");
    for (SlotId operand : family.operands)
      form(slot(operand).shape.size() == 1, "sort: keys are vectors");
    if (sort.values) {
      form(family.operands.size() == 1 && same(slot(family.operands[0]), slot(family.results[0])),
           "sort: the result is the one key in order");
      return;
    }
    form(slot(family.results[0]).shape.size() == 1 &&
             slot(family.results[0]).element == ElementType::I64,
         "sort: the result is a permutation");
  }

  static bool same(const Slot& a, const Slot& b) {
    return a.element == b.element && a.shape.size() == b.shape.size();
  }

  // The template takes `args` after `leading` i64 scalars, and yields `results`.
  void check_use(TemplateId id, std::size_t leading, std::vector<SlotId> args,
                 const std::vector<const Slot*>& results) {
    if (!program_.templates.contains(id)) return problem("a template does not exist");
    const Template& used = program_.templates[id];
    if (used.params.size() != leading + args.size() || used.yields.size() != results.size())
      return problem(fmt::format("`@{}` takes or yields another number of values", used.name));
    const auto exists = [&](SlotId slot) { return used.slots.contains(slot); };
    if (!std::all_of(used.params.begin(), used.params.end(), exists) ||
        !std::all_of(used.yields.begin(), used.yields.end(), exists))
      return problem(fmt::format("`@{}` has params or yields that do not exist", used.name));
    for (std::size_t k = 0; k < args.size(); ++k)
      form(same(slot(args[k]), used.slots[used.params[leading + k]]),
           fmt::format("`@{}` takes values of other types", used.name));
    for (std::size_t k = 0; k < leading; ++k) {
      const Slot& step = used.slots[used.params[k]];
      form(step.is_scalar() && step.element == ElementType::I64,
           "a body takes the step or the indices first");
    }
    for (std::size_t k = 0; k < results.size(); ++k)
      form(same(*results[k], used.slots[used.yields[k]]),
           fmt::format("`@{}` yields values of other types", used.name));
  }
  std::vector<const Slot*> slots_of(const std::vector<SlotId>& ids) const {
    std::vector<const Slot*> found;
    for (SlotId id : ids) found.push_back(&slot(id));
    return found;
  }

  void check_action(const Loop& loop, const Family& family) {
    const std::size_t states = loop.states;
    if (family.operands.size() < states + 1 || family.results.size() != states + loop.stacked)
      return problem("wrong number of operands or results");
    form(is_i64(family.operands[0]), "loop: the count is an i64 scalar");
    std::vector<Slot> rows;
    for (SlotId result : family.results) rows.push_back(slot(result));
    for (std::size_t k = states; k < rows.size(); ++k) {
      if (rows[k].is_scalar()) return problem("loop: a stacked result is an array");
      rows[k].shape.erase(rows[k].shape.begin());
    }
    std::vector<const Slot*> yields;
    for (const Slot& row : rows) yields.push_back(&row);
    check_use(loop.body, 1, {family.operands.begin() + 1, family.operands.end()}, yields);
    for (std::size_t k = 0; k < states; ++k)
      form(same(slot(family.operands[k + 1]), slot(family.results[k])),
           "loop: states keep their types");
  }
  void check_action(const Each& each, const Family& family) {
    for (const Size& extent : each.space) check_size(extent);
    const std::size_t dims = each.space.size();
    form(dims <= static_cast<std::size_t>(kernel::max_rank), "too many dimensions");
    form(!family.results.empty(), "no results");
    std::vector<Slot> points;
    for (SlotId result : family.results) {
      points.push_back(slot(result));
      if (points.back().shape.size() < dims)
        return problem("each: a result has too few dimensions");
      points.back().shape.erase(points.back().shape.begin(),
                                points.back().shape.begin() + static_cast<std::ptrdiff_t>(dims));
    }
    std::vector<const Slot*> yields;
    for (const Slot& point : points) yields.push_back(&point);
    check_use(each.body, dims, family.operands, yields);
  }
  void check_action(const While& loop, const Family& family) {
    if (family.operands.size() < loop.states || family.results.size() != loop.states)
      return problem("wrong number of operands or results");
    const Slot truth{ElementType::Bool, {}, ""};
    check_use(loop.condition, 0, family.operands, {&truth});
    check_use(loop.body, 0, family.operands, slots_of(family.results));
    for (std::size_t k = 0; k < loop.states; ++k)
      form(same(slot(family.operands[k]), slot(family.results[k])),
           "while: states keep their types");
  }
  void check_action(const Branch& branch, const Family& family) {
    if (family.operands.empty() || !is_bool(family.operands[0]))
      return problem("branch: the condition is a bool");
    for (TemplateId side : {branch.taken, branch.otherwise})
      check_use(side, 0, {family.operands.begin() + 1, family.operands.end()},
                slots_of(family.results));
  }
  void check_action(const Call& call, const Family& family) {
    for (std::size_t k = 0; k < call.awaited.size(); ++k)
      form(call.awaited[k] < family.operands.size() &&
               (k == 0 || call.awaited[k - 1] < call.awaited[k]),
           "the awaited operands are not in order");
    check_use(call.callee, 0, family.operands, slots_of(family.results));
  }

  const Program& program_;
  const Template* owner_ = nullptr;
  std::vector<bool> defined_;
  std::vector<std::optional<Scalar>> constants_;  // of the slots that are constants
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Program& program) { return Verifier(program).run(); }

}  // namespace dvm::task
