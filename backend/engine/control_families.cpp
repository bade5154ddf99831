// Loops, branches and calls: families that instantiate templates.
#include "backend/engine/needs.hpp"
#include "backend/engine/run.hpp"

namespace dvm::engine {

namespace {

// Iterations whose states may be incomplete at once: enough that neighbouring steps overlap tile by
// tile, few enough that memory holds a handful of states.
constexpr std::size_t open_iterations = 3;

}  // namespace

void Run::fire_action(Instance& instance, std::uint32_t family, const task::Branch& action) {
  const task::Family& what = instance.facts->shape->families[family];
  std::vector<Value*> args = operands(instance, what);
  const bool taken = args[0]->bits != 0;
  args.erase(args.begin());
  const TemplateFacts& side = facts_.templates[(taken ? action.taken : action.otherwise).index];
  Instance* inside = instantiate(side, instance.path, family, taken ? 0 : 1, instance.depth, args,
                                 results(instance, family));
  if (!inside) return;
  inside->frame = instance.frame;
  inside->tail = instance.tail && instance.facts->families[family].tail;
}

// Note [Tail calls]. A call whose results are those of the call around it takes that one's place:
// its path is a further iteration of the same family, and it is not deeper. The instances around it
// go as soon as their families have fired, so a chain of tail calls takes constant memory.
void Run::fire_action(Instance& instance, std::uint32_t family, const task::Call& action) {
  const task::Family& what = instance.facts->shape->families[family];
  const TemplateFacts& callee = facts_.templates[action.callee.index];
  const std::vector<Value*> args = operands(instance, what);
  const std::vector<Value*> into = results(instance, family);
  const Path& frame = *instance.frame;
  Instance* inside = nullptr;
  if (instance.tail && instance.facts->families[family].tail && frame.parent) {
    inside = instantiate(callee, frame.parent, frame.family, frame.iteration + 1, instance.depth,
                         args, into);
  } else {
    if (instance.depth >= options_.deepest_call) return abort(too_deep(instance));
    inside = instantiate(callee, instance.path, family, 0, instance.depth + 1, args, into);
  }
  if (inside) inside->tail = true;
}

Control* Run::new_control(Instance& instance, std::uint32_t family, std::size_t first_state,
                          std::size_t states) {
  const task::Family& what = instance.facts->shape->families[family];
  Control* control = enlist(new Control);
  control->family = &what;
  control->instance = retain(instance.path);
  control->index = family;
  control->depth = instance.depth;
  for (std::size_t k = first_state; k < what.operands.size(); ++k) {
    Value* value = retain(instance.slots[what.operands[k].index]);
    (k < first_state + states ? control->states : control->captures).push_back(value);
  }
  for (Value* value : results(instance, family)) control->results.push_back(retain(value));
  auto known = behind_.find(&what);
  if (known == behind_.end()) known = behind_.emplace(&what, states_behind(program_, what)).first;
  if (!known->second.empty()) control->behind = &known->second;
  control->lost.assign(states, nullptr);
  return control;
}

void Run::fire_action(Instance& instance, std::uint32_t family, const task::Loop& action) {
  const task::Family& what = instance.facts->shape->families[family];
  Control* control = new_control(instance, family, 1, action.states);
  control->body = &facts_.templates[action.body.index];
  control->count = std::max<std::int64_t>(0, instance.slots[what.operands[0].index]->as_i64());
  start_stacks(*control, instance);
  advance(*control);
}

void Run::fire_action(Instance& instance, std::uint32_t family, const task::While& action) {
  Control* control = new_control(instance, family, 0, action.states);
  control->condition = &facts_.templates[action.condition.index];
  control->body = &facts_.templates[action.body.index];
  advance(*control);
}

// Runs as many steps as can be started now, then waits or ends.
void Run::advance(Control& control) {
  while (!stopped()) {
    const bool more = control.condition ? advance_while(control) : advance_loop(control);
    if (!more) return end(control);
    if (!settle(control)) return;
  }
}

// One iteration; false: there is none left.
bool Run::advance_loop(Control& control) {
  if (control.step == control.count && control.step > 0) {
    if (ask_behind(control)) return true;
    end_joined(control, nullptr);
    return false;
  }
  if (control.step == control.count) return ask_needs(control) || end_without_steps(control);
  const bool last = control.step + 1 == control.count && !control.behind;
  Value* step = new_value(ElementType::I64, true);
  complete_scalar(step, Scalar::of_i64(control.step));
  std::vector<Value*> args{step};
  args.insert(args.end(), control.states.begin(), control.states.end());
  args.insert(args.end(), control.captures.begin(), control.captures.end());
  std::vector<Value*> next;
  for (std::size_t k = 0; k < control.states.size(); ++k) {
    const Value& like = *control.results[k];
    next.push_back(last ? retain(control.results[k]) : new_value(like.element, like.scalar));
  }
  std::vector<Value*> yields = next;
  for (Stack* stack : control.stacks) {
    const task::Template& body = *control.body->shape;
    Value* row = new_value(body.slots[body.yields[yields.size()]]);
    settle_in(*row, *stack, control.step);
    stack_row(*stack, row, control.step, control.instance, control.index);
    yields.push_back(row);
  }
  instantiate(*control.body, control.instance, control.index, control.step, control.depth, args,
              yields);
  for (std::size_t k = control.states.size(); k < yields.size(); ++k) release(yields[k]);
  release(step);
  ++control.step;
  control.window.push_back(std::move(control.states));
  control.states = std::move(next);
  return !last;
}

// Either asks the condition, or, when it is known, starts the body. Iterations are numbered so that
// the condition of step k is 2k and the body 2k + 1.
bool Run::advance_while(Control& control) {
  std::vector<Value*> args = control.states;
  args.insert(args.end(), control.captures.begin(), control.captures.end());
  if (!control.holds) {
    control.holds = new_value(ElementType::Bool, true);
    instantiate(*control.condition, control.instance, control.index, 2 * control.step,
                control.depth, args, {control.holds});
    return true;
  }
  const FailureRecord* failure = control.holds->failure;
  const bool holds = control.holds->bits != 0;
  if (!failure && !holds && control.step == 0)
    return ask_needs(control) || end_without_steps(control);
  if (control.behind && (failure || !holds)) {
    if (ask_behind(control)) return true;
    end_joined(control, failure);
    return false;
  }
  release(control.holds);
  control.holds = nullptr;
  if (failure || !holds) {
    for (std::size_t k = 0; k < control.states.size(); ++k)
      failure ? complete(control.results[k], failure)
              : forward(control.results[k], control.states[k]);
    return false;
  }
  std::vector<Value*> next;
  for (const Value* like : control.results) next.push_back(new_value(like->element, like->scalar));
  instantiate(*control.body, control.instance, control.index, 2 * control.step + 1, control.depth,
              args, next);
  ++control.step;
  control.window.push_back(std::move(control.states));
  control.states = std::move(next);
  return true;
}

// The next step wants a known condition, states whose shapes are known, and the states of some
// iterations ago complete.
bool Run::settle(Control& control) {
  if (control.ends) return control.pending == 0;
  note_failures(control, control.leaving);
  const auto wait_complete = [&](Value* value) {
    if (value->is_complete()) return;
    ++control.pending;
    await_complete(value, Event::Control, &control);
  };
  if (control.holds) {
    wait_complete(control.holds);
    return control.pending == 0;
  }
  for (Value* state : control.states)
    if (!state->scalar && !state->is_bound() && !state->is_complete()) {
      ++control.pending;
      await_bound(state, Event::Control, &control);
    }
  if (control.window.size() >= open_iterations) {
    for (Value* state : control.window.front()) wait_complete(state);
    if (control.behind)
      control.leaving = std::move(control.window.front());
    else
      release_all(control.window.front());
    control.window.erase(control.window.begin());
  }
  return control.pending == 0;
}

// Note [Loops without steps]. Their results are the first states, and rows of none; but what the
// body needs for a result must not have failed, whatever the count.
bool Run::ask_needs(Control& control) {
  if (control.ends) return false;
  control.ends = true;
  for (const std::vector<Value*>* values : {&control.states, &control.captures})
    for (Value* value : *values)
      if (!value->is_complete()) {
        ++control.pending;
        await_complete(value, Event::Control, &control);
      }
  return true;
}

bool Run::end_without_steps(Control& control) {
  std::vector<Value*> values = control.states;
  values.insert(values.end(), control.captures.begin(), control.captures.end());
  bool any = false;
  for (const Value* value : values) any |= value->failure != nullptr;
  const std::size_t first = control.condition ? 0 : 1;  // operand of the first state
  for (std::size_t k = 0; k < control.results.size(); ++k) {
    const FailureRecord* failure = nullptr;
    if (any) {
      std::vector<bool> wanted(control.results.size(), false);
      wanted[k] = true;
      const std::vector<bool> needed = needed_operands(program_, *control.family, wanted);
      for (std::size_t v = 0; v < values.size(); ++v)
        if (needed[first + v]) failure = earlier(failure, values[v]->failure);
    }
    if (failure || k >= control.states.size())
      complete(control.results[k], failure);
    else
      forward(control.results[k], control.states[k]);
  }
  return false;
}

// Note [States behind a result]. Where a step makes one state from another, both are needed, at
// every step: also where the last step's other state goes nowhere, or stands in a branch that is
// not taken. A state that the next one does not read is needed as well. So such results stand when
// it is known that no state behind them has failed.
bool Run::ask_behind(Control& control) {
  if (control.ends) return false;
  control.ends = true;
  const auto wait = [&](const std::vector<Value*>& states) {
    for (Value* value : states)
      if (!value->is_complete()) {
        ++control.pending;
        await_complete(value, Event::Control, &control);
      }
  };
  wait(control.leaving);
  for (const std::vector<Value*>& states : control.window) wait(states);
  wait(control.states);
  return true;
}

void Run::note_failures(Control& control, std::vector<Value*>& states) {
  for (std::size_t k = 0; k < states.size(); ++k)
    control.lost[k] = earlier(control.lost[k], states[k]->failure);
  release_all(states);
}

const FailureRecord* Run::lost_behind(const Control& control, std::size_t result) const {
  const FailureRecord* failure = nullptr;
  for (std::size_t k = 0; k < control.states.size(); ++k)
    if ((*control.behind)[result][k]) failure = earlier(failure, control.lost[k]);
  return failure;
}

void Run::end_joined(Control& control, const FailureRecord* failure) {
  note_failures(control, control.leaving);
  for (std::vector<Value*>& states : control.window) note_failures(control, states);
  for (std::size_t k = 0; k < control.states.size(); ++k)
    control.lost[k] = earlier(control.lost[k], control.states[k]->failure);
  for (std::size_t k = 0; k < control.states.size(); ++k)
    if (const FailureRecord* lost = earlier(failure, lost_behind(control, k)))
      complete(control.results[k], lost);
    else
      forward(control.results[k], control.states[k]);
  for (std::size_t k = 0; k < control.stacks.size(); ++k) {
    Stack& stack = *control.stacks[k];
    stack.failure = earlier(stack.failure, lost_behind(control, control.states.size() + k));
    if (--stack.left == 0) complete(stack.array, stack.failure);
  }
}

void Run::end(Control& control) {
  if (control.holds) release(control.holds);
  release_all(control.leaving);
  for (std::vector<Value*>& states : control.window) release_all(states);
  release_all(control.states);
  release_all(control.captures);
  release_all(control.results);
  for (Stack* stack : control.stacks) release(stack);
  release(control.instance);
  delete &control;
}

}  // namespace dvm::engine
