// explain-error: the page of a code, or the list of all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/error_pages.hpp"
#include "backend/driver/problem.hpp"
#include "backend/driver/suggest.hpp"

namespace dvm::driver {

namespace {

// In the order in which a program meets them.
constexpr std::array stages = {"syntax", "names", "types", "compiling", "running", "command line"};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

ErrorPage read_page(const EmbeddedPage& embedded) {
  std::string_view rest = embedded.text;
  std::string_view title = take_line(rest);
  if (const std::size_t colon = title.find(": "); colon != std::string_view::npos)
    title.remove_prefix(colon + 2);
  take_line(rest);
  std::string_view stage = take_line(rest);
  stage.remove_prefix(std::min<std::size_t>(stage.size(), std::string_view("Stage: ").size()));
  if (stage.ends_with('.')) stage.remove_suffix(1);
  return {embedded.code, title, stage, rest};
}

}  // namespace

std::optional<ErrorPage> find_error_page(std::string_view code) {
  for (const EmbeddedPage& page : embedded_pages())
    if (page.code == code) return read_page(page);
  return std::nullopt;
}

std::string show_page(const ErrorPage& page) {
  std::string out = fmt::format("{}: {}\n", page.code, page.title);
  std::string_view rest = page.body;
  bool fenced = false;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("```")) {
      fenced = !fenced;
    } else {
      out += fmt::format("{}{}\n", fenced && !line.empty() ? "    " : "", line);
    }
  }
  return out;
}

std::string list_pages() {
  std::size_t width = 0;
  for (const EmbeddedPage& page : embedded_pages()) width = std::max(width, page.code.size());
  std::string out;
  for (const std::string_view stage : stages) {
    out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", stage);
    for (const EmbeddedPage& embedded : embedded_pages()) {
      const ErrorPage page = read_page(embedded);
      if (page.stage == stage) out += fmt::format("  {:<{}}  {}\n", page.code, width, page.title);
    }
  }
  return out;
}

int explain_command(const Options& options, const Console& console) {
  if (options.error_code.empty()) {
    console.out << list_pages();
    return status::ok;
  }
  std::string code = options.error_code;  // also as it stands in a message: `[size-mismatch]`
  if (code.size() > 2 && code.front() == '[' && code.back() == ']')
    code = code.substr(1, code.size() - 2);
  if (const auto page = find_error_page(code)) {
    console.out << show_page(*page);
    return status::ok;
  }
  std::vector<std::string> codes;
  for (const EmbeddedPage& page : embedded_pages()) codes.emplace_back(page.code);
  const auto close = nearest(code, codes);
  return report(Problem{status::usage,
                        "unknown-code",
                        fmt::format("there is no error code `{}`{}", code,
                                    close ? fmt::format(", did you mean `{}`?", *close) : ""),
                        {"`dvmc explain-error` lists all codes"}},
                options, console);
}

}  // namespace dvm::driver
