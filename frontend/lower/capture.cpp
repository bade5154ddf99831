// Values from outside of a recursive function: they become parameters of its graph function, and
// operands of each of its calls.
//
// Note [Captures]. The body of a local recursive function, or of a function that was given as an
// argument, reads names of the functions around it. When such a value is first needed in the graph
// function of the instance, it is evaluated where the instance is called (which may take it from
// further out), and gets parameters here. A call asks for the value at its own place. Calls made
// while their callee is not finished, the recursive ones, are completed when all captures are
// known: by then every function on the way has them as parameters.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

using graph::Type;

namespace {

const Type index_type{ElementType::I64, {}};

// The layout with every extent replaced.
template <class Change>
LayoutRef map_extents(const LayoutRef& layout, const Change& change) {
  if (const auto* tuple = std::get_if<TupleLayout>(&layout->node)) {
    TupleLayout result;
    for (const LayoutRef& part : tuple->parts) result.parts.push_back(map_extents(part, change));
    return make_layout(std::move(result));
  }
  if (const auto* data = std::get_if<DataLayout>(&layout->node)) {
    DataLayout result = *data;
    for (auto& fields : result.fields)
      for (LayoutRef& field : fields) field = map_extents(field, change);
    return make_layout(std::move(result));
  }
  if (const auto* array = std::get_if<ArrayLayout>(&layout->node)) {
    const Size extent = change(array->extent);
    return make_layout(ArrayLayout{extent, map_extents(array->element, change)});
  }
  return layout;
}

void extents_of(const LayoutRef& layout, std::vector<Size>& extents) {
  map_extents(layout, [&](const Size& extent) {
    extents.push_back(extent);
    return extent;
  });
}

}  // namespace

const Capture* Instance::find(const Capture& wanted) const {
  if (wanted.lazy != nullptr) {
    const auto found = by_lazy.find(wanted.lazy);
    return found == by_lazy.end() ? nullptr : &captures[found->second];
  }
  const auto found = by_symbol.find({wanted.owner, wanted.symbol});
  return found == by_symbol.end() ? nullptr : &captures[found->second];
}

// Runs `work` where the current instance is called.
void Lowerer::outside(const std::function<void()>& work) {
  Activation top = std::move(activations_.back());
  activations_.pop_back();
  std::unique_ptr<Emitter> inner = std::move(emitter_);
  const Context context = context_;
  std::vector<JoinedSize>* joined = joined_sizes_;
  emitter_ = std::move(top.caller);
  context_ = top.context;
  joined_sizes_ = nullptr;
  work();
  joined_sizes_ = joined;
  context_ = context;
  top.caller = std::move(emitter_);
  emitter_ = std::move(inner);
  activations_.push_back(std::move(top));
}

// A size of an enclosing graph function in the current one; none when it is not known there.
std::optional<ValueId> Lowerer::import_symbol(FunctionId owner, ValueId symbol) {
  if (owner == emit().function_id()) {
    if (!emit().visible(symbol)) return std::nullopt;
    return symbol;
  }
  if (activations_.empty()) return std::nullopt;
  // A size that the owner has from further out goes by its first owner.
  if (auto known = instance_by_function_.find(owner); known != instance_by_function_.end())
    for (const Capture& capture : known->second->captures)
      if (capture.param == symbol && capture.lazy == nullptr)
        return import_symbol(capture.owner, capture.symbol);
  Instance& here = *activations_.back().instance;
  if (auto found = here.by_symbol.find({owner, symbol}); found != here.by_symbol.end())
    return here.captures[found->second].param;
  bool known = false;
  std::string name;
  outside([&] {
    known = import_symbol(owner, symbol).has_value();
    if (known && owner == emit().function_id()) name = emit().function().values[symbol].name;
  });
  if (!known) return std::nullopt;
  Capture capture;
  capture.owner = owner;
  capture.symbol = symbol;
  capture.param = emit().function_param(index_type, name.empty() ? "n" : name);
  emit().mark_size(capture.param);
  here.by_symbol[{owner, symbol}] = here.captures.size();
  here.captures.push_back(capture);
  return capture.param;
}

std::optional<Size> Lowerer::imported(const Size& size, FunctionId from) {
  if (from == emit().function_id()) return size;
  bool all = true;
  Size result = size.substitute([&](Size::Symbol symbol) {
    if (auto value = import_symbol(from, ValueId{symbol})) return Size::symbol(value->index);
    all = false;
    return Size(0);
  });
  if (!all) return std::nullopt;
  return result;
}

ValueRef Lowerer::imported(Lazy* lazy) {
  if (activations_.empty()) not_supported(lazy->span, "this value here");
  Instance& here = *activations_.back().instance;
  if (auto found = here.by_lazy.find(lazy); found != here.by_lazy.end()) {
    const LocalValue& value = here.captures[found->second].value;
    return rebuild(value.layout, value.leaves);
  }
  ValueRef value;
  LayoutRef layout;
  FunctionId from;
  std::vector<bool> shared;  // by extent: its symbols are those of the whole function
  outside([&] {
    value = demand(lazy);
    from = emit().function_id();
    if (get_if<FailureValue>(value) || get_if<StringValue>(value) || get_if<ClosureValue>(value))
      return;
    value = settle(value, lazy->span, Functions::Keep);
    layout = layout_of(value, lazy->span, Functions::Keep);
    std::vector<Size> extents;
    extents_of(layout, extents);
    for (const Size& extent : extents) shared.push_back(emit().visible_at(extent, 1));
  });
  if (const auto* failure = get_if<FailureValue>(value))
    return make_value(FailureValue{failure->message, failure->span, imported(failure->type, from)});
  if (!layout) return value;
  // Sizes first: they may be captures of their own, which come before this one.
  std::size_t next = 0;
  std::vector<std::optional<Size>> sizes;
  map_extents(layout, [&](const Size& extent) {
    sizes.push_back(shared[next++] ? imported(extent, from) : std::nullopt);
    return extent;
  });
  Capture capture;
  capture.lazy = lazy;
  capture.value = localise(layout, sizes, lazy->name.empty() ? "x" : lazy->name);
  here.by_lazy[lazy] = here.captures.size();
  here.captures.push_back(std::move(capture));
  const LocalValue& local = here.captures.back().value;
  return rebuild(local.layout, local.leaves);
}

// Parameters of the current graph function for a value of this layout elsewhere; `sizes` are the
// extents that are known here.
LocalValue Lowerer::localise(const LayoutRef& layout, const std::vector<std::optional<Size>>& sizes,
                             const std::string& name) {
  LocalValue result;
  std::size_t next = 0;
  result.layout = map_extents(layout, [&](const Size& extent) {
    const std::size_t k = next++;
    if (k < sizes.size() && sizes[k]) return *sizes[k];
    if (k < sizes.size() && extent.constant()) return extent;
    const ValueId param = emit().function_param(index_type, "n");
    emit().mark_size(param);
    result.extents.push_back(param);
    return Size::symbol(param.index);
  });
  for (const Type& type : leaf_types(result.layout))
    result.leaves.push_back(emit().function_param(type, name));
  return result;
}

// The operands for a localised value at a call: its extents, then its leaves. `sizes` is what the
// callee's symbols are here; the extents are added to it.
void Lowerer::pass_local(const LocalValue& local, const ValueRef& raw,
                         std::map<Size::Symbol, Size>& sizes, std::vector<ValueId>& operands,
                         Span span) {
  const ValueRef value = settle(raw, span, Functions::Keep);
  const LayoutRef layout = layout_of(value, span, Functions::Keep);
  std::string wanted, found;
  write_layout_key(local.layout, wanted);
  write_layout_key(layout, found);
  if (wanted != found) not_supported(span, "a call in which a captured value has another form");
  std::vector<Size> inside, here;
  extents_of(local.layout, inside);
  extents_of(layout, here);
  for (std::size_t i = 0; i < inside.size(); ++i)
    for (ValueId extent : local.extents)
      if (inside[i] == Size::symbol(extent.index)) sizes[extent.index] = here.at(i);
  for (ValueId extent : local.extents)
    operands.push_back(emit().size_value(sizes.at(extent.index)));
  const LayoutRef expected = map_extents(local.layout, [&](const Size& extent) {
    return extent.substitute([&](Size::Symbol symbol) { return sizes.at(symbol); });
  });
  const std::vector<ValueId> leaves = state_leaves(value, expected, span);
  operands.insert(operands.end(), leaves.begin(), leaves.end());
}

// Operands for captures `first` to `end` of the callee, at the current place.
void Lowerer::pass_captures(Instance& callee, std::size_t first, std::size_t end,
                            std::map<Size::Symbol, Size>& sizes, std::vector<ValueId>& operands,
                            Span span) {
  for (std::size_t k = first; k < end; ++k) {
    const Capture& capture = callee.captures[k];
    if (capture.lazy != nullptr) {
      pass_local(capture.value, demand(capture.lazy), sizes, operands, span);
      continue;
    }
    const auto value = import_symbol(capture.owner, capture.symbol);
    if (!value) fail(span, "unknown-size", "a size of this call is not known here");
    operands.push_back(*value);
    sizes[capture.param.index] = emit().as_size(*value);
  }
}

// Gives `taker`, which is lowered, parameters for what capture `k` of another instance stands for.
const Capture& Lowerer::add_capture(Instance& taker, const Instance& callee, std::size_t k,
                                    const std::map<Size::Symbol, Size>& sizes) {
  const Capture& capture = callee.captures[k];
  graph::Function& function = module_.functions[taker.function];
  const auto param = [&](Type type, const std::string& name) {
    const ValueId id = function.values.push(graph::Value{std::move(type), name, {}});
    function.regions[function.body].params.push_back(id);
    return id;
  };
  const graph::Function& from = module_.functions[callee.function];
  Capture copy = capture;
  if (capture.lazy == nullptr) {
    copy.param = param(index_type, from.values[capture.param].name);
    taker.by_symbol[{capture.owner, capture.symbol}] = taker.captures.size();
    taker.captures.push_back(copy);
    return taker.captures.back();
  }
  std::map<Size::Symbol, Size> own = sizes;
  copy.value.extents.clear();
  for (ValueId extent : capture.value.extents) {
    copy.value.extents.push_back(param(index_type, "n"));
    own[extent.index] = Size::symbol(copy.value.extents.back().index);
  }
  copy.value.layout = map_extents(capture.value.layout, [&](const Size& extent) {
    return extent.substitute([&](Size::Symbol symbol) { return own.at(symbol); });
  });
  copy.value.leaves.clear();
  const std::vector<Type> types = leaf_types(copy.value.layout);
  for (std::size_t i = 0; i < types.size(); ++i)
    copy.value.leaves.push_back(param(types[i], from.values[capture.value.leaves[i]].name));
  taker.by_lazy[capture.lazy] = taker.captures.size();
  taker.captures.push_back(std::move(copy));
  return taker.captures.back();
}

// Completes the calls that were made before all captures of their callees were known. Every caller
// is an instance by now; what it does not have yet becomes a parameter of it, for its own callers
// to pass on, until nothing is missing.
void Lowerer::connect_calls() {
  for (bool changed = true; changed;) {
    changed = false;
    for (CallSite& site : call_sites_) {
      Instance& callee = *site.callee;
      if (site.passed == callee.captures.size()) continue;
      Instance& caller = *instance_by_function_.at(site.function);
      changed = true;
      std::map<Size::Symbol, Size> sizes;
      for (std::size_t k = 0; k < callee.captures.size(); ++k) {
        const Capture* have = caller.find(callee.captures[k]);
        if (have == nullptr) have = &add_capture(caller, callee, k, sizes);
        const Capture wanted = callee.captures[k];
        std::vector<ValueId>& operands = module_.functions[site.function].nodes[site.node].operands;
        const bool fresh = k >= site.passed;
        if (wanted.lazy == nullptr) {
          sizes[wanted.param.index] = Size::symbol(have->param.index);
          if (fresh) operands.push_back(have->param);
          continue;
        }
        for (std::size_t i = 0; i < wanted.value.extents.size(); ++i)
          sizes[wanted.value.extents[i].index] = Size::symbol(have->value.extents.at(i).index);
        if (!fresh) continue;
        operands.insert(operands.end(), have->value.extents.begin(), have->value.extents.end());
        operands.insert(operands.end(), have->value.leaves.begin(), have->value.leaves.end());
      }
      site.passed = callee.captures.size();
    }
  }
}

}  // namespace dvm::lower
