// Runs the passes with remarks, then tells for every line what happened to its arrays.
#include "backend/driver/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "backend/driver/explain/places.hpp"
#include "backend/driver/explain/tags.hpp"
#include "backend/driver/explain/tally.hpp"
#include "backend/driver/front.hpp"
#include "passes/pipeline.hpp"
#include "passes/plan/graph_to_tasks.hpp"

namespace dvm::driver {

namespace {

using graph::FunctionId;
using passes::Remark;

// What one array went through.
struct Told {
  const Remark* fusion = nullptr;  // the last word of fuse-maps
  const Remark* fused = nullptr;
  const Remark* shared = nullptr;
  std::vector<const Remark*> others;
};

// Reasons of the passes with names as the reader knows them.
std::string sentence(const Remark& remark) {
  std::string text = without_tags(remark.reason);
  for (std::size_t at = 0; (at = text.find("``", at)) != std::string::npos;)
    text.replace(at, 2, "another one");
  return text;
}

class Teller {
 public:
  Teller(Explanation& out, const SourceMap& sources, const std::vector<Remark>& remarks)
      : out_(out), sources_(sources), places_(out.graph_after, sources) {
    for (const Remark& remark : remarks) sort_in(remark);
  }

  void tell() {
    const Tally before(out_.graph_before, sources_, out_.names, nullptr, {});
    const Tally after(out_.graph_after, sources_, out_.names, &before, out_.chains);
    out_.before = before.total();
    out_.after = after.total();
    for (const auto& [place, amounts] : before.by_line()) line(place).before = amounts;
    for (const auto& [place, amounts] : after.by_line()) line(place).after = amounts;
    for (const Made& made : before.made()) add_story(made, after);
    for (const auto& [place, k] : line_of_) out_.lines[k].place = place;
    order_lines();
  }

 private:
  void sort_in(const Remark& remark) {
    const auto tag = tag_of(remark.array);
    if (!tag) {
      if (remark.op.empty()) out_.general.push_back(remark);
      return;
    }
    Told& told = told_[*tag];
    if (remark.pass == "fuse-maps") {
      told.fusion = &remark;
      if (remark.kind == Remark::Kind::Done) told.fused = &remark;
    } else if (remark.verdict == "shared") {
      told.shared = &remark;
    } else if (remark.verdict == "tile") {
      out_.chains.tiles.insert(*tag);
    } else {
      if (remark.verdict == "chained")
        out_.chains.leader[*tag] = tag_of(remark.other_array).value_or(*tag);
      told.others.push_back(&remark);
    }
  }

  LineStory& line(const Place& place) {
    const auto [found, is_new] = line_of_.emplace(place, out_.lines.size());
    if (is_new) {
      out_.lines.emplace_back();
      if (place.valid()) out_.lines.back().text = sources_.line_text(place.file, place.line);
    }
    return out_.lines[found->second];
  }

  void add_story(const Made& made, const Tally& after) {
    Story story;
    story.tag = made.tag;
    story.name = made.name;
    story.type = made.type;
    story.operation = made.operation;
    story.is_row = made.is_row;
    story.within = places_.library_function(made.loc);
    story.callers = places_.callers_of(made.loc);
    const auto found = told_.find(made.tag);
    const Told told = found == told_.end() ? Told() : found->second;
    const Remark* remark = told.fusion;
    if (after.holds(made.tag)) {
      story.fate = out_.chains.tiles.contains(made.tag) ? Fate::Tiled : Fate::Kept;
    } else if (told.fused != nullptr) {
      story.fate = Fate::Fused;
      remark = told.fused;
    } else if (told.shared != nullptr) {
      story.fate = Fate::Shared;
      remark = told.shared;
    } else {
      story.fate = Fate::Gone;
      remark = nullptr;
    }
    if (remark != nullptr && !(made.is_number && story.fate == Fate::Kept)) {
      story.verdict = remark->verdict;
      story.reason = sentence(*remark);
      story.other = places_.line_of(remark->other);
    }
    const Place here = places_.line_of(made.loc);
    add_notes(story, told, here);
    line(here).stories.push_back(std::move(story));
  }

  void add_notes(Story& story, const Told& told, const Place& here) {
    for (const Remark* remark : told.others) {
      if (remark->verdict == "chained" || remark->verdict == "joined") story.own_pass = false;
      // Who is not joined with whom matters only for what is there in the end.
      const bool apart = remark->kind == Remark::Kind::Kept;
      if (apart && (story.fate != Fate::Kept || story.is_row || remark != told.others.back()))
        continue;
      std::string note = sentence(*remark);
      if (const Place other = places_.line_of(remark->other); other.valid() && other != here)
        note += fmt::format(" (line {})", other.line);
      if (std::find(story.notes.begin(), story.notes.end(), note) == story.notes.end())
        story.notes.push_back(std::move(note));
    }
  }

  // The program's own file first, what has no place last.
  void order_lines() {
    const auto key = [&](const LineStory& line) {
      const bool own = line.place.valid() && sources_.file(line.place.file).path == out_.program;
      return std::pair(own ? 0 : line.place.valid() ? 1 : 2, line.place);
    };
    std::stable_sort(out_.lines.begin(), out_.lines.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
  }

  Explanation& out_;
  const SourceMap& sources_;
  Places places_;
  std::map<std::size_t, Told> told_;      // by tag
  std::map<Place, std::size_t> line_of_;  // in `out_.lines`, before they are ordered
};

}  // namespace

std::string_view word_of(Fate fate) {
  switch (fate) {
    case Fate::Kept:
      return "kept";
    case Fate::Tiled:
      return "tiled";
    case Fate::Fused:
      return "fused";
    case Fate::Shared:
      return "shared";
    case Fate::Gone:
      return "gone";
  }
  return "";
}

std::optional<Explanation> explain_program(Compilation& compilation, const std::string& path,
                                           std::string text, const std::vector<SizeChoice>& sizes) {
  // Calls are inlined before, so that the two graphs compare.
  static constexpr std::array<std::string_view, 2> first = {"fix-rounding", "inline-calls"};
  const auto syntax = parse_program(compilation, path, std::move(text));
  const auto typed = syntax ? check_types(compilation, *syntax) : std::nullopt;
  auto module = typed ? lower_entry(compilation, *typed) : std::nullopt;
  passes::Remarks remarks;
  if (!module || !run_passes(compilation, *module, first, false, &remarks)) return std::nullopt;
  add_tags(*module);
  Explanation explanation;
  explanation.program = path;
  explanation.entry = module->functions[FunctionId{0}].name;
  explanation.graph_before = *module;
  std::vector<std::string_view> rest;
  for (const std::string_view pass : passes::default_pipeline)
    if (std::find(first.begin(), first.end(), pass) == first.end()) rest.push_back(pass);
  if (!run_passes(compilation, *module, rest, true, &remarks)) return std::nullopt;
  explanation.graph_after = *std::move(module);
  remarks.begin("plan", 0);
  if (!passes::graph_to_tasks(explanation.graph_after, FunctionId{0}, passes::Machine{}, {},
                              &compilation.sources, compilation.diagnostics, &remarks))
    return std::nullopt;
  Teller(explanation, compilation.sources, remarks.all()).tell();
  for (const SizeChoice& size : sizes) {
    if (!explanation.names.has(size.name))
      return compilation.stop(
          {status::usage,
           "no-such-size",
           fmt::format("nothing in the explanation depends on a size `{}`", size.name),
           {fmt::format("sizes: {}", fmt::join(explanation.names.all(), ", "))}});
    explanation.names.give(size.name, size.value);
  }
  return explanation;
}

}  // namespace dvm::driver
