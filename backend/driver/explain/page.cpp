// Summary, pictures, source.
#include "backend/driver/explain/page.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "backend/driver/escape_html.hpp"
#include "backend/driver/explain/draw.hpp"
#include "backend/driver/explain/page_style.hpp"
#include "backend/driver/explain/words.hpp"

namespace dvm::driver {

namespace {

std::string to_read() {
  return R"html(<section class="reading">
<h2>How to read this page</h2>
<p>The program says what each array <em>is</em>. Taken literally, each array operation would walk over memory once and
store an array for the next one to read. Moving numbers to and from memory takes far longer than computing with them,
so the compiler merges operations until few walks and few stored arrays are left. It never changes a result, not by a bit.</p>
<p>In the pictures a <b>box</b> is one walk over memory: which operation it is, what it makes, and the lines of the
program that it computes. An <b>arrow</b> means that a box reads what another one stored. A frame stands around what a loop
repeats (a dashed arrow there goes back to the next step), and around boxes that share a walk, tile by tile.
Click on a box to see its line in the program below; rest on it to see why it is as it is.</p>
<ul class="legend"><li class="fused"><i></i>fused: computed where it is read, never stored</li>
<li class="kept"><i></i>kept: an array in memory</li>
<li class="tiled"><i></i>one tile at a time, in the cache</li><li class="number"><i></i>gives one number</li>
<li class="gone"><i></i>shared with an equal one, or not needed any more</li>
<li class="outside"><i></i>input or result of the program</li></ul>
</section>
)html";
}

std::string summary(const Explanation& all) {
  std::string out =
      "<table class=\"summary\"><tr><th></th><th>before</th><th></th><th>after</th></tr>\n";
  for (const Change& row : totals(all.before, all.after, all.names))
    out += fmt::format("<tr{}><td>{}</td><td>{}</td><td class=\"to\">→</td><td>{}</td></tr>\n",
                       row.before == row.after ? " class=\"same\"" : "", row.what,
                       escape_html(row.before), escape_html(row.after));
  out += "</table>\n";
  if (!all.names.given().empty()) {
    out += "<p class=\"soft\">With";
    for (const auto& [name, value] : all.names.given())
      out += fmt::format(" <code>{}</code> = {}", escape_html(name), value);
    out += ".</p>\n";
  }
  return out;
}

Result<std::string, std::string> picture(const Explanation& all, Side side,
                                         const SourceMap& sources) {
  const auto text = graphviz_text(all, side, sources);
  if (!text)
    return fmt::format("<p class=\"soft\">More than {} boxes: too many to see anything.</p>",
                       most_boxes);
  return run_graphviz(*text);
}

std::string count(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

Result<std::string, std::string> pictures(const Explanation& all, const SourceMap& sources) {
  const auto before = picture(all, Side::Before, sources);
  if (!before) return Failure{before.error()};
  const auto after = picture(all, Side::After, sources);
  if (!after) return Failure{after.error()};
  const auto figure = [&](std::string_view title, const Amounts& amounts, const std::string& svg) {
    const std::string passes = all.names.text(amounts.passes);
    return fmt::format(
        "<figure><figcaption><b>{}</b> {} in memory, {} walk{}</figcaption>\n"
        "<div class=\"scroll\">{}</div></figure>\n",
        title, count(amounts.arrays, "array"), escape_html(passes), passes == "1" ? "" : "s", svg);
  };
  return "<div class=\"pictures\">\n" + figure("Before", all.before, *before) +
         figure("After", all.after, *after) + "</div>\n";
}

// Text with `code` in it.
std::string with_code(std::string_view text) {
  std::string out;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t mark = text.find('`');
    const std::string part = escape_html(text.substr(0, mark));
    out += inside ? "<code>" + part + "</code>" : part;
    if (mark == std::string_view::npos) break;
    text.remove_prefix(mark + 1);
    inside = !inside;
  }
  return out;
}

std::string note(const LineStory& line, const Names& names) {
  std::string out = "<div class=\"note\">";
  for (const Story& story : line.stories) {
    const bool number = story.type.find('[') == std::string::npos;
    const bool kept = story.fate == Fate::Kept;
    out += fmt::format("<p><span class=\"badge {}\">{}</span> {}{}</p>",
                       kept && number ? "number" : word_of(story.fate),
                       kept && number ? (story.own_pass ? "pass" : "joined") : word_of(story.fate),
                       with_code(describe(story)), with_code(": " + fate_of(story, line.place)));
    for (const std::string& also : story.notes)
      out += fmt::format("<p class=\"also\">{}</p>", with_code(also));
  }
  const std::vector<Change> rows = changes(line.before, line.after, names);
  if (!rows.empty()) {
    out += "<p class=\"amounts\">";
    for (const Change& change : rows)
      out += fmt::format("<span class=\"{}\">{}: <b>{}</b></span> ",
                         change.before == change.after ? "same" : "changed", change.what,
                         escape_html(change.text()));
    out += "</p>";
  }
  return out + "</div>";
}

// All lines of the program's own file, and of others those with notes.
std::string listing(const Explanation& all, const SourceMap& sources) {
  std::map<Place, const LineStory*> notes;
  std::map<FileId, bool> files;  // by file: it is the program's own
  for (std::uint32_t k = 0; k < sources.size(); ++k)
    if (sources.file(FileId{k}).path == all.program) files[FileId{k}] = true;
  for (const LineStory& line : all.lines) {
    if (!line.place.valid() || !is_worth_telling(line)) continue;
    notes[line.place] = &line;
    files.emplace(line.place.file, false);
  }
  std::string own, others;
  for (const auto& [file, is_own] : files) {
    const SourceFile& source = sources.file(file);
    std::string& out = is_own ? own : others;
    out += fmt::format("<h3>{}</h3>\n<div class=\"listing\">\n", escape_html(source.path));
    const auto last = static_cast<std::uint32_t>(source.line_starts.size());
    for (std::uint32_t line = 1; line <= last; ++line) {
      const auto found = notes.find({file, line});
      if (!is_own && found == notes.end()) continue;
      out += fmt::format("<div class=\"line\"{}><i>{}</i><code>{}</code></div>",
                         is_own ? fmt::format(" id=\"L{}\"", line) : "", line,
                         escape_html(sources.line_text(file, line)));
      if (found != notes.end()) out += note(*found->second, all.names);
      out += "\n";
    }
    out += "</div>\n";
  }
  return own + others;
}

}  // namespace

Result<std::string, std::string> explain_as_page(const Explanation& explanation,
                                                 const SourceMap& sources) {
  const auto drawn = pictures(explanation, sources);
  if (!drawn) return Failure{drawn.error()};
  std::string general;
  for (const passes::Remark& remark : explanation.general)
    general += fmt::format("<li>{}: {}</li>\n", remark.pass, escape_html(remark.reason));
  if (!general.empty()) general = "<ul class=\"soft\">\n" + general + "</ul>\n";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}: what the compiler made of it</title>\n<style>{1}</style>\n</head>\n<body>\n"
      "<main>\n<h1>{0}</h1>\n<p class=\"soft\">What the compiler made of the arrays of "
      "<code>{2}</code></p>\n{3}{4}<h2>Before and after</h2>\n{5}<h2>Line by line</h2>\n"
      "{6}{7}</main>\n</body>\n</html>\n",
      escape_html(std::filesystem::path(explanation.program).filename().string()), page_style,
      escape_html(explanation.entry), summary(explanation), to_read(), *drawn,
      listing(explanation, sources), general);
}

}  // namespace dvm::driver
