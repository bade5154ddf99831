// One walk over what runs by itself; everything between two boxes becomes an arrow.
#include "backend/driver/explain/draw.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "backend/driver/escape_html.hpp"
#include "backend/driver/explain/places.hpp"
#include "backend/driver/explain/tags.hpp"
#include "backend/driver/explain/words.hpp"
#include "passes/analysis/users.hpp"
#include "passes/cost/traffic.hpp"
#include "passes/plan/kernel_limits.hpp"

namespace dvm::driver {

using namespace graph;

namespace {

// Lines named in one box.
constexpr std::size_t most_lines = 8;

using Sources = std::set<std::string>;  // names of boxes

class Drawing {
 public:
  Drawing(const Explanation& all, Side side, const SourceMap& sources)
      : all_(all),
        side_(side),
        module_(side == Side::Before ? all.graph_before : all.graph_after),
        sources_(sources),
        places_(module_, sources) {
    for (const LineStory& line : all.lines)
      for (const Story& story : line.stories) stories_.emplace(story.tag, &story);
  }

  std::optional<std::string> text() {
    const std::string_view id = side_ == Side::Before ? "before" : "after";
    out_ = fmt::format(
        "digraph {0} {{\n  graph [id=\"{0}\", bgcolor=\"transparent\", rankdir=TB, nodesep=0.3, "
        "ranksep=0.4, fontname=\"Helvetica\", fontsize=11, tooltip=\" \"];\n"
        "  node [shape=box, style=\"rounded\", fontname=\"Helvetica\", fontsize=12, "
        "margin=\"0.12,0.06\", tooltip=\" \"];\n"
        "  edge [arrowsize=0.7, tooltip=\" \"];\n",
        id);
    for (std::uint32_t k = 0; k < module_.functions.size(); ++k) function(FunctionId{k});
    if (boxes_ > most_boxes) return std::nullopt;
    std::size_t number = 0;
    for (const auto& [ends, kind] : edges_)
      out_ += fmt::format("  {} -> {} [id=\"{}_edge{}\"{}];\n", ends.first, ends.second, id,
                          ++number, kind);
    return out_ + "}\n";
  }

 private:
  // --- text

  std::string next_box() { return fmt::format("{}{}", prefix(), ++boxes_); }
  std::string_view prefix() const { return side_ == Side::Before ? "b" : "a"; }
  static std::string row(std::string_view text, int size, bool bold = false) {
    const std::string body = escape_html(text);
    return fmt::format("<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"{}\">{}{}{}</FONT></TD></TR>",
                       size, bold ? "<B>" : "", body, bold ? "</B>" : "");
  }
  void box(const std::string& name, const std::string& rows, std::string_view kind,
           std::string_view tooltip, const Place& place, std::string_view more = "") {
    const bool own = place.valid() && sources_.file(place.file).path == all_.program;
    const std::string link = own ? fmt::format(", URL=\"#L{}\"", place.line) : "";
    out_ += fmt::format(
        "  {0} [id=\"{0}\", class=\"{1}\", tooltip=\"{2}\"{3}{4}, label=<<TABLE BORDER=\"0\" "
        "CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\">{5}</TABLE>>];\n",
        name, kind, quoted(tooltip), link, more, rows);
  }
  static std::string quoted(std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c == '\n' ? ' ' : c;
    }
    return result.empty() ? " " : result;
  }
  void open_cluster(std::string_view label) {
    ++clusters_;
    out_ += fmt::format(
        "  subgraph cluster_{0}{1} {{ id=\"{0}_cluster{1}\"; class=\"around\"; style=\"rounded\"; "
        "labeljust=l; label=\"{2}\";\n",
        prefix(), clusters_, quoted(label));
  }
  void close_cluster() { out_ += "  }\n"; }
  std::string at_line(LocId loc) const {
    const Place place = places_.line_of(loc);
    return place.valid() ? fmt::format("line {}", place.line) : "";
  }

  // --- what flows

  Sources& of(ValueId value) { return flow_[value.index]; }
  void flows(ValueId from, ValueId to) {
    const Sources copy = of(from);
    of(to).insert(copy.begin(), copy.end());
  }
  void arrow(const Sources& from, const std::string& to, const std::string& kind = "") {
    for (const std::string& source : from) edges_.emplace(std::pair(source, to), kind);
  }

  void function(FunctionId id) {
    function_ = &module_.functions[id];
    flow_.assign(function_->values.size(), {});
    const bool entry = id.index == 0;
    if (!entry) open_cluster(fmt::format("function {}, recursive", function_->name));
    for (ValueId param : function_->params()) {
      const Value& value = function_->values[param];
      if (value.type.is_scalar()) continue;
      const std::string name = next_box();
      box(name, row(value.name, 12, true) + row(type_of(value.type), 10), "input",
          "an input of the program", {}, ", style=\"rounded,filled\"");
      of(param).insert(name);
    }
    region(function_->body);
    if (!entry) close_cluster();
    if (entry) results();
  }

  void results() {
    for (std::size_t k = 0; k < function_->results().size(); ++k) {
      const Value& value = function_->values[function_->results()[k]];
      const std::string name = next_box();
      const std::string given =
          k < function_->result_names.size() ? function_->result_names[k] : "result";
      box(name, row(given, 12, true) + row(type_of(value.type), 10), "output",
          "a result of the program", {}, ", style=\"rounded,filled\"");
      arrow(of(function_->results()[k]), name);
    }
  }

  std::string type_of(const Type& type) const {
    std::string text(facts(type.element).name);
    for (std::size_t k = 0; k < type.shape.size(); ++k) {
      text += k == 0 ? "[" : ", ";
      text += type.shape[k].to_text([&](Size::Symbol symbol) {
        const std::string name = without_tags(function_->values[ValueId{symbol}].name);
        return name.empty() ? "?" : name;
      });
    }
    return type.is_scalar() ? text : text + "]";
  }

  void region(RegionId id) {
    auto outer = std::exchange(chains_, {});
    region_nodes(id);
    draw_chains();
    chains_ = std::move(outer);
  }
  void region_nodes(RegionId id) {
    for (NodeId node_id : function_->regions[id].nodes) {
      if (boxes_ > most_boxes) return;
      const Node& node = function_->nodes[node_id];
      if (passes::is_sweep(node.op)) {
        sweep(node_id);
      } else if (std::holds_alternative<Call>(node.op)) {
        call(node);
      } else if (const auto* loop = std::get_if<Loop>(&node.op)) {
        repeat(node, 1, function_->regions[node.regions[0]], loop->stacked,
               fmt::format("repeated, {}", at_line(node.loc)));
      } else if (std::holds_alternative<While>(node.op)) {
        repeat(node, 0, function_->regions[node.regions[1]], 0,
               fmt::format("repeated while a condition holds, {}", at_line(node.loc)));
      } else if (std::holds_alternative<Branch>(node.op)) {
        branch(node);
      } else {
        for (ValueId operand : node.operands)
          for (ValueId result : node.results) flows(operand, result);
      }
    }
  }

  // Regions of loops: a param for each state in each region, after the step index of a counted one.
  void repeat(const Node& node, std::size_t first, const Region& body, std::size_t stacked,
              const std::string& label) {
    open_cluster(label);
    std::vector<std::string> states;
    for (std::size_t k = 0; k + first < body.params.size(); ++k) {
      const ValueId param = body.params[k + first];
      const ValueId start = node.operands[k + first];
      const Value& value = function_->values[param];
      states.emplace_back();
      if (value.type.is_scalar()) {
        for (RegionId each : node.regions)
          flows(start, function_->regions[each].params[k + (each == node.regions[0] ? first : 0)]);
        continue;
      }
      states.back() = next_box();
      const std::string given = without_tags(function_->values[node.results[k]].name);
      box(states.back(),
          row(given.empty() ? value.name : given, 11, true) + row("carried from step to step", 9),
          "state", "what one step gives and the next one takes", {}, ", style=\"rounded,dashed\"");
      for (RegionId each : node.regions)
        of(function_->regions[each].params[k + (each == node.regions[0] ? first : 0)])
            .insert(states.back());
      arrow(of(start), states.back());
    }
    for (RegionId each : node.regions) region(each);
    close_cluster();
    for (std::size_t k = 0; k < states.size(); ++k) {
      flows(body.yields[k], node.results[k]);
      if (!states[k].empty())
        arrow(of(body.yields[k]), states[k], ", style=dashed, constraint=false, class=\"back\"");
    }
    for (std::size_t k = states.size(); k < states.size() + stacked; ++k)
      flows(body.yields[k], node.results[k]);
  }

  void branch(const Node& node) {
    for (std::size_t side = 0; side < node.regions.size(); ++side) {
      const Region& body = function_->regions[node.regions[side]];
      open_cluster(
          fmt::format("{} the condition in {}", side == 0 ? "if" : "unless", at_line(node.loc)));
      region(node.regions[side]);
      close_cluster();
      for (std::size_t k = 0; k < node.results.size(); ++k) flows(body.yields[k], node.results[k]);
    }
    for (ValueId result : node.results) flows(node.operands[0], result);
  }

  void call(const Node& node) {
    const std::string name = next_box();
    const std::string& callee = module_.functions[std::get<Call>(node.op).callee].name;
    box(name, row("call " + callee, 12, true) + row(at_line(node.loc), 10), "call",
        "a function that calls itself", places_.line_of(node.loc));
    for (ValueId operand : node.operands) arrow(of(operand), name);
    for (ValueId result : node.results) of(result).insert(name);
  }

  // --- boxes

  void sweep(NodeId id) {
    const Node& node = function_->nodes[id];
    const std::string name = next_box();
    std::string rows = row(facts(node.op).mnemonic, 12, true);
    std::string tooltip;
    std::string_view kind = "number";
    std::vector<std::pair<std::string, std::size_t>> made;  // equal ones once, with their number
    std::set<std::string> reasons;
    std::string rows_after;
    const auto join = [&](const std::string& text) {
      tooltip += (tooltip.empty() ? "" : "; ") + text;
    };
    for (ValueId result : node.results) {
      const Value& value = function_->values[result];
      const std::string name = without_tags(value.name);
      const std::string text = (name.empty() ? "" : name + " ") + type_of(value.type);
      if (made.empty() || made.back().first != text) made.emplace_back(text, 0);
      ++made.back().second;
      const auto found = stories_.find(tag_of(value.name).value_or(~std::size_t{0}));
      if (found == stories_.end()) continue;
      const Story& story = *found->second;
      const bool is_array = !value.type.is_scalar();
      const bool tiled = story.fate == Fate::Tiled && side_ == Side::After;
      if (is_array) kind = side_ == Side::Before || tiled ? word_of(story.fate) : "kept";
      if (is_array && tiled) rows_after = row("never whole: a tile at a time", 9);
      std::string why(word_of(story.fate));
      if (!story.reason.empty()) why += ": " + story.reason;
      if (tooltip.find(why) == std::string::npos) join(why);
      if (side_ == Side::After && is_array && story.fate == Fate::Kept && !story.verdict.empty())
        reasons.emplace(short_reason(story.verdict));
    }
    for (const auto& [text, times] : made)
      rows += row(times == 1 ? text : fmt::format("{} ×{}", text, times), 11);
    if (!reasons.empty()) rows += row(fmt::format("stored: {}", fmt::join(reasons, ", ")), 9);
    rows += rows_after + row(lines_of(id), 9);
    if (side_ == Side::After) join_chain(id, name);
    const bool each = !node.regions.empty() && !passes::fits_kernel(*function_, id);
    box(name, rows, kind, tooltip, places_.line_of(node.loc),
        kind == "fused" || kind == "gone" || kind == "shared" ? ", style=\"rounded,dashed\"" : "");
    for (ValueId value : passes::free_values(*function_, id)) arrow(of(value), name);
    for (ValueId result : node.results) of(result).insert(name);
    if (!each) return;
    open_cluster("for each element of the box above");
    for (RegionId body : node.regions) region(body);
    close_cluster();
  }

  // Frames around what the plan makes one pass, drawn at the end of the region that it stands in.
  void join_chain(NodeId id, const std::string& box) {
    const auto tag = tag_of(function_->values[function_->nodes[id].results[0]].name);
    if (!tag) return;
    const auto found = all_.chains.leader.find(*tag);
    chains_[found == all_.chains.leader.end() ? *tag : found->second].push_back(box);
  }
  void draw_chains() {
    for (const auto& [leader, boxes] : chains_) {
      if (boxes.size() < 2) continue;
      open_cluster("one pass, tile by tile");
      out_ += fmt::format("    {};\n", fmt::join(boxes, "; "));
      close_cluster();
    }
  }

  // The lines that a box computes, its own one first.
  std::string lines_of(NodeId id) const {
    std::vector<std::uint32_t> lines;
    const Place own = places_.line_of(function_->nodes[id].loc);
    if (own.valid()) lines.push_back(own.line);
    std::set<std::uint32_t> others;
    collect(id, own.file, others);
    for (std::uint32_t line : others)
      if (lines.empty() || line != lines[0]) lines.push_back(line);
    if (lines.empty()) return "";
    const bool cut = lines.size() > most_lines;
    if (cut) lines.resize(most_lines);
    return fmt::format("line{} {}{}", lines.size() == 1 ? "" : "s", fmt::join(lines, ", "),
                       cut ? ", …" : "");
  }
  void collect(NodeId id, FileId file, std::set<std::uint32_t>& lines) const {
    for (RegionId region : function_->nodes[id].regions)
      for (NodeId inner : function_->regions[region].nodes) {
        const Node& node = function_->nodes[inner];
        const bool computes = std::holds_alternative<ScalarOp>(node.op) || !node.regions.empty();
        const Place place = computes ? places_.line_of(node.loc) : Place();
        if (place.valid() && place.file == file) lines.insert(place.line);
        collect(inner, file, lines);
      }
  }

  const Explanation& all_;
  Side side_;
  const Module& module_;
  const SourceMap& sources_;
  Places places_;
  std::map<std::size_t, const Story*> stories_;  // by tag
  const Function* function_ = nullptr;
  std::map<std::size_t, std::vector<std::string>> chains_;  // boxes of a region, by leader
  std::vector<Sources> flow_;                               // by value: the boxes it comes from
  std::map<std::pair<std::string, std::string>, std::string> edges_;  // ends, then attributes
  std::string out_;
  std::size_t boxes_ = 0, clusters_ = 0;
};

}  // namespace

std::optional<std::string> graphviz_text(const Explanation& explanation, Side side,
                                         const SourceMap& sources) {
  return Drawing(explanation, side, sources).text();
}

}  // namespace dvm::driver
