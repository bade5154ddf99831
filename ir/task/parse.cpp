// Reads .dvt text; see Note [Text of tasks] in print.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unordered_map>

#include "ir/task/text.hpp"
#include "ir/task/text_scanner.hpp"

namespace dvm::task {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) { number_templates(text); }

  Program program() {
    in_.expect("dvt");
    if (in_.integer() != 1) in_.fail("the text is of another version of the task format");
    read_header();
    while (in_.accept("check")) read_check();
    while (in_.accept("kernel")) read_kernel();
    while (in_.accept("template")) read_template();
    if (!in_.at_end()) in_.fail("expected `template` or the end");
    return std::move(program_);
  }

 private:
  using SizeNames = std::function<std::optional<Size::Symbol>(std::string_view)>;

  // Templates name each other before they are defined, so their order is found first.
  void number_templates(std::string_view text) {
    constexpr std::string_view mark = "\ntemplate @";
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
      TextScanner rest(text.substr(at + mark.size() - 1));
      const TemplateId id{static_cast<std::uint32_t>(template_ids_.size())};
      template_ids_.emplace(rest.name('@'), id);
    }
  }

  void read_header() {
    in_.expect("target");
    program_.target.cpu = in_.string();
    const std::string isa = in_.word();
    if (isa != "avx2" && isa != "avx512") in_.fail("expected `avx2` or `avx512`");
    program_.target.isa = isa == "avx512" ? VectorIsa::Avx512 : VectorIsa::Avx2;
    program_.target.contracted = in_.accept("contracted");
    in_.expect("grain");
    in_.expect("workers");
    const std::int64_t workers = in_.integer();
    if (workers < 1 || workers > 1'000'000) in_.fail("workers must be 1 to 1000000");
    program_.grain.workers = static_cast<int>(workers);
    in_.expect("task");
    program_.grain.task_seconds = in_.number();
    in_.expect("least");
    program_.grain.least_seconds = in_.number();
    in_.expect("cache");
    program_.grain.cache_bytes = in_.number();
    in_.expect("tile");
    program_.grain.tile_bytes = in_.number();
    if (!(program_.grain.task_seconds > 0) || !(program_.grain.least_seconds > 0))
      in_.fail("grain seconds must be positive");
    read_entry();
  }

  void read_entry() {
    graph::EntrySignature& entry = program_.entry;
    in_.expect("entry");
    entry.function = in_.string();
    in_.expect("sizes");
    in_.list([&] { entry.size_names.push_back(in_.string()); });
    in_.expect("inputs");
    in_.list([&] {
      graph::EntryInput input;
      in_.expect("(");
      input.name = in_.string();
      input.element = element();
      if (in_.peek("[")) in_.list([&] { input.shape.push_back(numbered_size()); });
      input.surface_type = in_.string();
      in_.expect(")");
      entry.inputs.push_back(std::move(input));
    });
    in_.expect("results");
    in_.list([&] { entry.result_names.push_back(in_.string()); });
  }

  void read_check() {
    Check check;
    check.message = in_.string();
    in_.expect("at");
    check.place = in_.string();
    in_.expect("path");
    in_.list([&] { check.path.push_back(in_.string()); });
    in_.expect("values");
    in_.list([&] { check.values.push_back(element()); });
    program_.checks.push(std::move(check));
  }

  void read_kernel() {
    Kernel kernel;
    kernel.symbol = in_.name('@');
    const auto phase = kernel::phase_from_name(in_.word());
    if (!phase) in_.fail("expected a kernel phase");
    kernel.phase = *phase;
    in_.expect("scratch");
    kernel.scratch = numbered_size();
    if (!kernel_ids_
             .emplace(kernel.symbol, KernelId{static_cast<std::uint32_t>(kernel_ids_.size())})
             .second)
      in_.fail(fmt::format("kernel `@{}` is there twice", kernel.symbol));
    program_.kernels.push(std::move(kernel));
  }

  void read_template() {
    Template owner;
    owner.name = in_.name('@');
    const auto known = template_ids_.find(owner.name);
    if (known == template_ids_.end() || known->second.index != program_.templates.size())
      in_.fail(
          fmt::format("template `@{}` is there twice, or not at the start of a line", owner.name));
    slots_.clear();
    current_ = &owner;
    read_params(owner);
    in_.expect("{");
    while (!in_.accept("yield")) owner.families.push_back(read_family());
    while (!in_.accept("}")) {
      owner.yields.push_back(use());
      if (!in_.peek("}")) in_.expect(",");
    }
    program_.templates.push(std::move(owner));
  }

  // Shapes of params may mention params that come later: names first, then types.
  void read_params(Template& owner) {
    in_.expect("(");
    const std::size_t begin = in_.position();
    for (const bool types : {false, true}) {
      in_.go_back(begin);
      for (std::size_t k = 0; !in_.accept(")"); ++k) {
        if (types) {
          in_.name('%');
          read_type(owner.params[k]);
        } else {
          owner.params.push_back(name_slot());
          in_.expect(":");
          in_.skip_past_shape();
        }
        if (!in_.peek(")")) in_.expect(",");
      }
    }
  }

  Family read_family() {
    Family family;
    while (!in_.accept("=")) {
      family.results.push_back(define());
      if (!in_.peek("=")) in_.expect(",");
    }
    const std::string action = in_.word();
    if (action == "chain") {
      family.action = read_chain();
      family.operands = outer_operands(std::get<Chain>(family.action));
      return family;
    }
    read_action(action, family);
    auto* call = std::get_if<Call>(&family.action);
    std::vector<Access> accesses = read_operands(family.operands, call ? &call->awaited : nullptr);
    if (auto* work = std::get_if<ArrayWork>(&family.action))
      work->accesses = std::move(accesses);
    else if (std::any_of(accesses.begin(), accesses.end(),
                         [](const Access& one) { return !one.whole || one.perhaps; }))
      in_.fail("only array work reads bands");
    if (in_.accept("check")) family.check = graph::CheckId{in_.count()};
    return family;
  }

  std::vector<Access> read_operands(std::vector<SlotId>& operands,
                                    std::vector<std::uint32_t>* awaits = nullptr) {
    std::vector<Access> accesses;
    in_.expect("(");
    while (!in_.accept(")")) {
      operands.push_back(use());
      bool awaited = false;
      accesses.push_back(read_access(awaited));
      if (awaited && !awaits) in_.fail("only calls wait for operands");
      if (awaited) awaits->push_back(static_cast<std::uint32_t>(operands.size() - 1));
      if (!in_.peek(")")) in_.expect(",");
    }
    return accesses;
  }

  Chain read_chain() {
    Chain chain;
    chain.dims = in_.count();
    in_.expect("keeps");
    in_.list([&] { chain.kept.push_back(use()); });
    in_.expect("{");
    while (!in_.accept("}")) {
      Stage stage;
      while (!in_.accept("=")) {
        stage.results.push_back(use());
        if (!in_.peek("=")) in_.expect(",");
      }
      stage.work = read_work(in_.word());
      stage.work.accesses = read_operands(stage.operands);
      if (in_.accept("by")) {
        in_.expect("blocks");
        stage.by_blocks = true;
      }
      chain.stages.push_back(std::move(stage));
    }
    return chain;
  }

  Access read_access(bool& awaited) {
    Access access;
    if (!in_.accept("{")) return access;
    if (in_.accept("awaited")) {
      awaited = true;
      in_.expect("}");
      return access;
    }
    if (in_.accept("perhaps")) {
      access.perhaps = true;
      in_.expect("}");
      return access;
    }
    access.whole = false;
    access.dim = in_.count();
    access.factor = in_.integer();
    access.low = in_.integer();
    access.high = in_.integer();
    in_.expect("}");
    return access;
  }

  void read_action(const std::string& action, Family& family) {
    if (action == "constant") {
      if (family.results.size() != 1) in_.fail("a constant has one result");
      const ElementType type = current_->slots[family.results[0]].element;
      const auto value = scalar_from_text(type, in_.raw_word());
      if (!value) in_.fail("expected a literal of the result's type");
      family.action = ConstantOf{*value};
    } else if (action == "size") {
      family.action = SizeValue{slot_size()};
    } else if (action == "compute") {
      const auto fn = graph::scalar_fn_from_mnemonic(in_.word());
      if (!fn) in_.fail("expected a scalar function");
      family.action = Compute{*fn};
    } else if (action == "read") {
      family.action = ReadElement{};
    } else if (action == "check") {
      family.action = CheckValue{};
    } else if (action == "alias") {
      family.action = Alias{};
    } else if (action == "concat") {
      family.action = Concat{};
    } else if (action == "sort") {
      SortKeys sort;
      sort.values = in_.accept("values");
      while (in_.peek("up") || in_.peek("down")) sort.descending.push_back(in_.word() == "down");
      family.action = std::move(sort);
    } else {
      read_compound(action, family);
    }
  }

  void read_compound(const std::string& action, Family& family) {
    if (action == "loop") {
      Loop loop;
      loop.body = template_use();
      in_.expect("states");
      loop.states = in_.count();
      in_.expect("stacked");
      loop.stacked = in_.count();
      family.action = loop;
    } else if (action == "while") {
      While loop;
      loop.condition = template_use();
      loop.body = template_use();
      in_.expect("states");
      loop.states = in_.count();
      family.action = loop;
    } else if (action == "branch") {
      Branch branch;
      branch.taken = template_use();
      branch.otherwise = template_use();
      family.action = branch;
    } else if (action == "call") {
      family.action = Call{template_use(), {}};
    } else if (action == "each") {
      Each each;
      each.body = template_use();
      in_.expect("space");
      in_.list([&] { each.space.push_back(slot_size()); });
      family.action = std::move(each);
    } else {
      family.action = read_work(action);
    }
  }

  ArrayWork read_work(const std::string& action) {
    using Kind = ArrayWork::Kind;
    ArrayWork work;
    bool known = false;
    for (int k = 0; k < 6; ++k)
      if (name(static_cast<Kind>(k)) == action) {
        work.kind = static_cast<Kind>(k);
        known = true;
      }
    if (!known) in_.fail(fmt::format("`{}` is not an action", action));
    in_.list([&] {
      const auto found = kernel_ids_.find(in_.name('@'));
      if (found == kernel_ids_.end()) in_.fail("the kernel is not defined");
      work.kernels.push_back(found->second);
    });
    in_.expect("space");
    in_.list([&] { work.space.push_back(slot_size()); });
    if (work.kind != Kind::Map) {
      in_.expect("extent");
      work.extent = slot_size();
    }
    if (work.kind == Kind::Keys) {
      in_.expect("keys");
      work.keys = slot_size();
    }
    in_.expect("cost");
    in_.list([&] {
      CostTerm term;
      term.nanoseconds = in_.number();
      term.cached_nanoseconds = in_.number();
      in_.expect("(");
      term.times = slot_size();
      in_.expect(")");
      work.cost.push_back(std::move(term));
    });
    work.reuses = in_.accept("reuses");
    if (in_.accept("careful")) work.careful = template_use();
    return work;
  }

  // --- names
  TemplateId template_use() {
    const std::string name = in_.name('@');
    const auto found = template_ids_.find(name);
    if (found == template_ids_.end()) in_.fail(fmt::format("template `@{}` is not defined", name));
    return found->second;
  }

  ElementType element() {
    const auto type = element_from_name(in_.word());
    if (!type) in_.fail("expected an element type");
    return *type;
  }

  SlotId name_slot() {
    Slot slot;
    slot.name = in_.name('%');
    const SlotId id{static_cast<std::uint32_t>(current_->slots.size())};
    if (!slots_.emplace(slot.name, id).second)
      in_.fail(fmt::format("`%{}` is there twice", slot.name));
    return current_->slots.push(std::move(slot));
  }
  void read_type(SlotId id) {
    in_.expect(":");
    current_->slots[id].element = element();
    if (!in_.peek("[")) return;
    std::vector<Size> shape;
    in_.list([&] { shape.push_back(slot_size()); });
    current_->slots[id].shape = std::move(shape);
  }
  // Shapes may mention the slot's own siblings, so the slot is known before its type is read.
  SlotId define() {
    const SlotId id = name_slot();
    read_type(id);
    return id;
  }

  SlotId use() {
    const std::string name = in_.name('%');
    const auto found = slots_.find(name);
    if (found == slots_.end()) in_.fail(fmt::format("`%{}` is not defined", name));
    return found->second;
  }

  Size slot_size() {
    return in_.size([&](const std::string& name) {
      const auto found = slots_.find(name);
      if (found == slots_.end()) in_.fail(fmt::format("size `{}` is not defined", name));
      return Size::Symbol{found->second.index};
    });
  }
  Size numbered_size() {
    return in_.size([&](const std::string& name) -> Size::Symbol {
      std::uint32_t symbol = 0;
      const char* end = name.data() + name.size();
      if (name.size() < 2 || name[0] != '$' ||
          std::from_chars(name.data() + 1, end, symbol).ptr != end)
        in_.fail("expected `$` and a number");
      return symbol;
    });
  }

  TextScanner in_;
  Program program_;
  Template* current_ = nullptr;
  std::unordered_map<std::string, SlotId> slots_;
  std::unordered_map<std::string, KernelId> kernel_ids_;
  std::unordered_map<std::string, TemplateId> template_ids_;
};

}  // namespace

Result<Program, std::string> parse(std::string_view text) {
  try {
    return Parser(text).program();
  } catch (const ScanError& error) {
    return Failure{fmt::format("line {}: {}", error.line, error.message)};
  }
}

}  // namespace dvm::task
