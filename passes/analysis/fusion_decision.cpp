// One sentence for each verdict.
#include "passes/analysis/fusion_decision.hpp"

#include <fmt/format.h>

namespace dvm::passes {

using namespace graph;

namespace {

// Thousands apart; four digits of what is small.
std::string number(double value) {
  if (value < 1000) return fmt::format("{:.4g}", value);
  if (value >= 1e15) return fmt::format("{:.3g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(double value, std::string_view what) {
  const std::string text = number(value);
  return fmt::format("{} {}{}", text, what, text == "1" ? "" : "s");
}

std::string times(double value) { return value <= 1.000001 ? "once" : number(value) + " times"; }

std::string_view mnemonic(const Function& function, NodeId node) {
  return node.valid() ? facts(function.nodes[node].op).mnemonic : "function";
}

std::string_view maker(const Function& function, const FusionDecision& decision) {
  return mnemonic(function, function.values[decision.array].node);
}

// `14 operations and 24 bytes read`; of loops `about`, since sizes are assumed there.
std::string work(const FusionDecision& decision, std::string_view about = "") {
  std::string text = fmt::format("{}{}", about, counted(decision.operations, "operation"));
  if (decision.read_bytes > 0)
    text += fmt::format(" and {} bytes read", number(decision.read_bytes));
  return text;
}

std::string fused(const FusionDecision& decision) {
  return fmt::format(
      "each element is computed where it is read ({}), {}, instead of being stored ({} bytes) and "
      "read again ({})",
      work(decision), times(decision.evaluations), number(decision.stored_bytes),
      times(decision.streams));
}

std::string carried(const Function& function, NodeId reader) {
  const Op& op = function.nodes[reader].op;
  if (std::holds_alternative<Loop>(op) || std::holds_alternative<While>(op))
    return "a loop takes or gives it as a whole, from step to step";
  if (std::holds_alternative<Branch>(op)) return "a branch gives it as a whole";
  return fmt::format("the body of a {} gives it as a whole", facts(op).mnemonic);
}

}  // namespace

std::string_view word_of(FusionVerdict verdict) {
  switch (verdict) {
    case FusionVerdict::Fused:
      return "fused";
    case FusionVerdict::MadeAtOnce:
      return "made-at-once";
    case FusionVerdict::ArrayRows:
      return "array-rows";
    case FusionVerdict::Result:
      return "result";
    case FusionVerdict::Carried:
      return "carried";
    case FusionVerdict::WantsMemory:
      return "wants-memory";
    case FusionVerdict::CheckedRead:
      return "checked-read";
    case FusionVerdict::FailingIndex:
      return "failing-index";
    case FusionVerdict::MayFail:
      return "may-fail";
    case FusionVerdict::LongBody:
      return "long-body";
    case FusionVerdict::DeepBody:
      return "deep-body";
    case FusionVerdict::HeavyRepeated:
      return "heavy-repeated";
    case FusionVerdict::HeavyReader:
      return "heavy-reader";
    case FusionVerdict::StaysAnyway:
      return "stays-anyway";
    case FusionVerdict::Repeated:
      return "repeated";
    case FusionVerdict::Traffic:
      return "traffic";
  }
  return "";
}

std::string reason_of(const Function& function, const FusionDecision& decision) {
  const std::string_view reader = mnemonic(function, decision.reader);
  switch (decision.verdict) {
    case FusionVerdict::Fused:
      return fused(decision);
    case FusionVerdict::MadeAtOnce:
      return fmt::format("a {} makes all its elements together, so none can be computed by itself",
                         maker(function, decision));
    case FusionVerdict::ArrayRows:
      return "its elements are whole arrays, which a read of one number cannot stand for";
    case FusionVerdict::Result:
      return "it is a result of the program";
    case FusionVerdict::Carried:
      return carried(function, decision.reader);
    case FusionVerdict::WantsMemory:
      return fmt::format("a {} works on it as a whole, in memory", reader);
    case FusionVerdict::CheckedRead:
      return "an index into it is checked where it is read, and the check needs the stored array";
    case FusionVerdict::FailingIndex:
      return "an index into it may fail, and computing the element would not always notice";
    case FusionVerdict::MayFail:
      return "computing an element may fail, and not every reader needs every element once and in "
             "any case";
    case FusionVerdict::LongBody:
      return fmt::format("with all that is fused into it, its body has {} nodes: too long a kernel",
                         number(decision.nodes));
    case FusionVerdict::DeepBody:
      return "too many bodies are fused into each other already";
    case FusionVerdict::HeavyRepeated:
      return fmt::format("an element takes a loop or reduction ({}) and would be computed {}",
                         work(decision, "about "), times(decision.evaluations));
    case FusionVerdict::HeavyReader:
      return fmt::format(
          "an element takes a loop or reduction ({}), and its reader is no map, where that loop "
          "would stand in the way of vectors",
          work(decision, "about "));
    case FusionVerdict::StaysAnyway:
      return fmt::format(
          "it is computed together with another array that must be stored, and would cost {} again",
          work(decision));
    case FusionVerdict::Repeated:
      return fmt::format("an element takes {} and would be computed {}", work(decision),
                         times(decision.evaluations));
    case FusionVerdict::Traffic:
      return fmt::format(
          "computing an element where it is read costs as much as {} ({}, {}), storing and reading "
          "its {} bytes as much as {}",
          counted(decision.cost_fused, "operation"), work(decision), times(decision.evaluations),
          number(decision.stored_bytes), number(decision.cost_stored));
  }
  return "";
}

}  // namespace dvm::passes
