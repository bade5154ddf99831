// Note [Text of tasks]. One item a line, in this order:
//   dvt 1
//   target "CPU" avx2|avx512 [contracted]
//   grain workers N task SECONDS least SECONDS cache BYTES tile BYTES
//   entry "main" sizes ["n", …] inputs [("xs" f64[$0] "Vec n Double"), …] results ["y", …]
//   check "message" at "place" path ["…", …] values [i64, …]
//   kernel @symbol phase scratch SIZE
//   template @name (%p: f64[n], …) {
//     %r: f64[n], … = action (%a, %b {dim factor low high}, %c {perhaps}, …) check N
//     %r: f64[n], … = chain DIMS keeps [%r, …] {
//       %r, … = action (%a, …) [by blocks]
//     }
//     yield %r, …
//   }
// Checks, kernels and templates are numbered in order of appearance. In sizes of a template a
// slot's name stands without %; elsewhere $k is the k-th symbol.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ir/task/text.hpp"

namespace dvm::task {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + '"';
}

template <class Range, class Show>
std::string list(const Range& items, const Show& show) {
  std::string result;
  for (const auto& item : items) result += (result.empty() ? "" : ", ") + show(item);
  return result;
}

std::string numbered(Size::Symbol symbol) { return fmt::format("${}", symbol); }

class TemplatePrinter {
 public:
  TemplatePrinter(const Program& program, const Template& owner)
      : program_(program), owner_(owner) {}

  std::string print() const {
    std::string out = fmt::format("\ntemplate @{} ({}) {{\n", owner_.name,
                                  list(owner_.params, [&](SlotId slot) { return typed(slot); }));
    for (const Family& family : owner_.families) out += "  " + line(family) + "\n";
    out += "  yield" + std::string(owner_.yields.empty() ? "" : " ") +
           list(owner_.yields, [&](SlotId slot) { return name(slot); }) + "\n}\n";
    return out;
  }

 private:
  std::string name(SlotId slot) const { return "%" + owner_.slots[slot].name; }
  std::string size(const Size& size) const {
    return size.to_text([&](Size::Symbol symbol) { return owner_.slots[SlotId{symbol}].name; });
  }
  std::string sizes(const std::vector<Size>& all) const {
    return "[" + list(all, [&](const Size& one) { return size(one); }) + "]";
  }
  std::string typed(SlotId slot) const {
    const Slot& what = owner_.slots[slot];
    return fmt::format("%{}: {}{}", what.name, facts(what.element).name,
                       what.is_scalar() ? "" : sizes(what.shape));
  }
  std::string template_name(TemplateId id) const { return "@" + program_.templates[id].name; }

  std::string operands(const std::vector<SlotId>& slots, const ArrayWork* work,
                       const Call* call = nullptr) const {
    std::string text;
    for (std::size_t k = 0; k < slots.size(); ++k) {
      text += (k ? ", " : "") + name(slots[k]);
      if (call && std::binary_search(call->awaited.begin(), call->awaited.end(), k))
        text += " {awaited}";
      if (!work) continue;
      const Access& access = work->accesses[k];
      if (access.perhaps)
        text += " {perhaps}";
      else if (!access.whole)
        text += fmt::format(" {{{} {} {} {}}}", access.dim, access.factor, access.low, access.high);
    }
    return "(" + text + ")";
  }

  std::string head(const ConstantOf& constant) const { return " " + to_text(constant.value); }
  std::string head(const SizeValue& value) const { return " " + size(value.size); }
  std::string head(const Compute& compute) const {
    return " " + std::string(graph::facts(compute.fn).mnemonic);
  }
  std::string head(const ReadElement&) const { return ""; }
  std::string head(const CheckValue&) const { return ""; }
  std::string head(const Alias&) const { return ""; }
  std::string head(const Concat&) const { return ""; }
  std::string head(const ArrayWork& work) const {
    std::string text = fmt::format(
        " [{}] space {}",
        list(work.kernels, [&](KernelId id) { return "@" + program_.kernels[id].symbol; }),
        sizes(work.space));
    if (work.kind != ArrayWork::Kind::Map) text += " extent " + size(work.extent);
    if (work.kind == ArrayWork::Kind::Keys) text += " keys " + size(work.keys);
    const auto term = [&](const CostTerm& one) {
      return fmt::format("{} {} ({})", one.nanoseconds, one.cached_nanoseconds, size(one.times));
    };
    return text + " cost [" + list(work.cost, term) + "]" + (work.reuses ? " reuses" : "") +
           (work.careful ? " careful " + template_name(*work.careful) : "");
  }
  std::string head(const SortKeys& sort) const {
    std::string text = sort.values ? " values" : "";
    for (bool down : sort.descending) text += down ? " down" : " up";
    return text;
  }
  std::string head(const Loop& loop) const {
    return fmt::format(" {} states {} stacked {}", template_name(loop.body), loop.states,
                       loop.stacked);
  }
  std::string head(const While& loop) const {
    return fmt::format(" {} {} states {}", template_name(loop.condition), template_name(loop.body),
                       loop.states);
  }
  std::string head(const Branch& branch) const {
    return fmt::format(" {} {}", template_name(branch.taken), template_name(branch.otherwise));
  }
  std::string head(const Call& call) const { return " " + template_name(call.callee); }
  std::string head(const Each& each) const {
    return fmt::format(" {} space {}", template_name(each.body), sizes(each.space));
  }

  std::string names(const std::vector<SlotId>& slots) const {
    return list(slots, [&](SlotId slot) { return name(slot); });
  }
  std::string head(const Chain& chain) const {
    std::string text = fmt::format(" {} keeps [{}] {{\n", chain.dims, names(chain.kept));
    for (const Stage& stage : chain.stages)
      text += fmt::format("    {} = {}{} {}{}\n", names(stage.results), task::name(stage.work.kind),
                          head(stage.work), operands(stage.operands, &stage.work),
                          stage.by_blocks ? " by blocks" : "");
    return text + "  }";
  }

  std::string line(const Family& family) const {
    std::string text = list(family.results, [&](SlotId slot) { return typed(slot); });
    text += text.empty() ? "= " : " = ";
    text += mnemonic(family.action);
    text += std::visit([&](const auto& action) { return head(action); }, family.action);
    if (std::holds_alternative<Chain>(family.action)) return text;
    text += " " + operands(family.operands, std::get_if<ArrayWork>(&family.action),
                           std::get_if<Call>(&family.action));
    if (family.check.valid()) text += fmt::format(" check {}", family.check.index);
    return text;
  }

  const Program& program_;
  const Template& owner_;
};

std::string print_entry(const graph::EntrySignature& entry) {
  const auto input = [](const graph::EntryInput& in) {
    const std::string shape = in.shape.empty() ? "" : "[" + list(in.shape, [](const Size& size) {
                                                        return size.to_text(numbered);
                                                      }) + "]";
    return fmt::format("({} {}{} {})", quoted(in.name), facts(in.element).name, shape,
                       quoted(in.surface_type));
  };
  return fmt::format("entry {} sizes [{}] inputs [{}] results [{}]\n", quoted(entry.function),
                     list(entry.size_names, quoted), list(entry.inputs, input),
                     list(entry.result_names, quoted));
}

}  // namespace

std::string print(const Program& program) {
  std::string out = "dvt 1\n";
  out += fmt::format("target {} {}{}\n", quoted(program.target.cpu),
                     program.target.isa == VectorIsa::Avx512 ? "avx512" : "avx2",
                     program.target.contracted ? " contracted" : "");
  out += fmt::format("grain workers {} task {} least {} cache {} tile {}\n", program.grain.workers,
                     program.grain.task_seconds, program.grain.least_seconds,
                     program.grain.cache_bytes, program.grain.tile_bytes);
  out += print_entry(program.entry);
  for (const Check& check : program.checks)
    out += fmt::format(
        "check {} at {} path [{}] values [{}]\n", quoted(check.message), quoted(check.place),
        list(check.path, quoted),
        list(check.values, [](ElementType type) { return std::string(facts(type).name); }));
  for (const Kernel& kernel : program.kernels)
    out += fmt::format("kernel @{} {} scratch {}\n", kernel.symbol, kernel::name(kernel.phase),
                       kernel.scratch.to_text(numbered));
  for (const Template& owner : program.templates) out += TemplatePrinter(program, owner).print();
  return out;
}

}  // namespace dvm::task
