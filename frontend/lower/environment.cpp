// Names in scope, and values that are evaluated where they are first needed.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

Env* Lowerer::new_env(Env* parent) {
  envs_.push_back(std::make_unique<Env>());
  envs_.back()->parent = parent;
  envs_.back()->function = emit().function_id();
  envs_.back()->serial = static_cast<std::uint32_t>(envs_.size());
  return envs_.back().get();
}

Lazy* Lowerer::new_lazy(std::function<ValueRef(Lowerer&)> compute, bool force, Span span,
                        std::string name) {
  auto lazy = std::make_unique<Lazy>();
  lazy->compute = std::move(compute);
  lazy->function = emit().function_id();
  lazy->region = emit().current();
  lazy->force = force;
  lazy->context = context_;
  lazy->name = std::move(name);
  lazy->span = span;
  lazy->serial = static_cast<std::uint32_t>(lazies_.size());
  lazies_.push_back(std::move(lazy));
  return lazies_.back().get();
}

Lazy* Lowerer::ready(ValueRef value) {
  return new_lazy([value = std::move(value)](Lowerer&) { return value; }, true, {});
}

namespace {

// How many frames stay open while a value made in the frame at `home` is evaluated: those up to its
// home and the branches that follow directly.
std::size_t placement(const std::vector<Frame>& frames, std::size_t home) {
  std::size_t depth = home;
  while (depth < frames.size() && frames[depth].kind == FrameKind::Branch) ++depth;
  return depth;
}

}  // namespace

ValueRef Lowerer::demand(Lazy* lazy) {
  const FunctionId here = emit().function_id();
  for (const Lazy::Found& found : lazy->found)
    if (found.function == here && emit().depth_of(found.region)) return found.value;
  if (lazy->function != here) return imported(lazy);
  if (lazy->busy)
    fail(lazy->span, "cyclic-value",
         lazy->name.empty() ? "this value depends on itself"
                            : "`" + lazy->name + "` depends on itself");
  std::size_t depth = emit().frames().size();
  if (auto home = emit().depth_of(lazy->region)) depth = placement(emit().frames(), *home);
  const Context context = context_;
  const LocId loc = emit().loc();
  context_ = lazy->context;
  std::vector<Frame> above = emit().rise(depth);
  lazy->busy = true;
  ValueRef value = lazy->compute(*this);
  if (lazy->force) value = force(value, lazy->span);
  if (!lazy->name.empty()) name_value(value, lazy->name);
  lazy->busy = false;
  const RegionId region = emit().current();
  emit().sink(std::move(above));
  emit().set_loc(loc);
  context_ = context;
  lazy->found.push_back({here, region, value});
  return value;
}

std::pair<const Env::Slot*, Env*> Lowerer::find(BindingId binding, Env* env) {
  for (; env != nullptr; env = env->parent)
    if (auto found = env->values.find(binding); found != env->values.end())
      return {&found->second, env};
  return {nullptr, nullptr};
}

}  // namespace dvm::lower
