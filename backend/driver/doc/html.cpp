// Pages in HTML: one for each module, its source, and an index. Nothing is loaded from elsewhere.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "backend/driver/doc/html_style.hpp"
#include "backend/driver/doc/prose.hpp"
#include "backend/driver/doc/site.hpp"
#include "backend/driver/escape_html.hpp"

namespace dvm::driver {

namespace {

std::string span(std::string_view kind, std::string_view text) {
  return fmt::format("<span class=\"{}\">{}</span>", kind, escape_html(text));
}

std::string page_file(const std::string& module) { return module + ".html"; }
std::string source_file(const std::string& module) { return module + ".source.html"; }

std::string document(const std::string& title, const std::string& navigation,
                     const std::string& content) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<div class=\"frame\">\n"
      "<nav>\n{}</nav>\n<main>\n{}</main>\n</div>\n</body>\n</html>\n",
      escape_html(title), html_style, navigation, content);
}

// ---------------------------------------------------------------- code

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
}

// Numbers, keywords and names that begin with a capital in colour.
std::string coloured(std::string_view code) {
  static const std::set<std::string_view> keywords = {
      "if",      "then",     "else",   "let",    "in",   "case",  "of",
      "where",   "module",   "import", "data",   "type", "class", "instance",
      "newtype", "deriving", "infixl", "infixr", "infix"};
  std::string result;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at + 1;
    const bool digit = std::isdigit(static_cast<unsigned char>(code[at])) != 0;
    if (is_word(code[at])) {
      while (end < code.size() && (is_word(code[end]) || (digit && code[end] == '.'))) ++end;
    }
    const std::string_view word = code.substr(at, end - at);
    if (digit) {
      result += span("number", word);
    } else if (keywords.contains(word)) {
      result += span("keyword", word);
    } else if (std::isupper(static_cast<unsigned char>(word[0])) != 0) {
      result += span("type", word);
    } else {
      result += escape_html(word);
    }
    at = end;
  }
  return result;
}

std::string examples_html(const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples) {
    for (const parse::DocLine& line : example.code)
      text += span("prompt", ">>> ") + coloured(line.text) + "\n";
    for (const std::string& line : example.expected)
      text += span(example.expects_error() ? "failure" : "value", line) + "\n";
  }
  text.pop_back();
  return "<pre class=\"examples\">" + text + "</pre>\n";
}

// ---------------------------------------------------------------- a module's page

class ModulePage {
 public:
  ModulePage(const Site& site, const SitePage& page) : site_(site), page_(page) {}

  std::string html() {
    std::string content = fmt::format("<h1>{}</h1>\n", escape_html(page_.module.name));
    content += doc(page_.module.doc);
    for (std::size_t i = 0; i < page_.module.sections.size(); ++i)
      content += section(i, page_.module.sections[i]);
    return document(page_.module.name, navigation(), content);
  }

 private:
  std::string navigation() const {
    std::string text = "<a href=\"index.html\">Index</a>\n<b>Modules</b>\n";
    for (const SitePage& other : site_.pages()) {
      const bool here = other.module.name == page_.module.name;
      text += fmt::format("<a{} href=\"{}\">{}</a>\n", here ? " class=\"here\"" : "",
                          page_file(other.module.name), escape_html(other.module.name));
    }
    bool first = true;
    for (std::size_t i = 0; i < page_.module.sections.size(); ++i) {
      const std::string& heading = page_.module.sections[i].heading;
      if (heading.empty()) continue;
      if (first) text += "<b>On this page</b>\n";
      first = false;
      text += fmt::format("<a href=\"#s-{}\">{}</a>\n", i, escape_html(heading));
    }
    return text;
  }

  std::string link(const std::string& name, bool type, std::string_view kind,
                   const std::string& text) const {
    const auto target = site_.find(page_, name, type);
    if (!target) return span(kind, text);
    const bool here = target->module == page_.module.name;
    return fmt::format("<a class=\"{}\" href=\"{}#{}\">{}</a>", kind,
                       here ? "" : page_file(target->module), target->anchor, escape_html(text));
  }

  // Names that are defined here become the anchors, or links to them in an overview.
  std::string pieces(const Pieces& pieces, bool overview = false) const {
    std::string text;
    for (const Piece& piece : pieces) {
      switch (piece.role) {
        case Piece::Role::Plain:
          text += escape_html(piece.text);
          break;
        case Piece::Role::Keyword:
          text += span("keyword", piece.text);
          break;
        case Piece::Role::Type:
        case Piece::Role::Class:
          text += link(piece.text, true, "type", piece.text);
          break;
        case Piece::Role::Name:
          text += name(piece.text, overview);
          break;
      }
    }
    return text;
  }

  std::string name(const std::string& written, bool overview) const {
    std::string bare = written;
    if (bare.starts_with('(')) bare = bare.substr(1, bare.size() - 2);
    if (overview) return link(bare, type_names_, "name", written);
    return fmt::format("<span class=\"name\" id=\"{}\">{}</span>", anchor_of(bare, type_names_),
                       escape_html(written));
  }

  std::string words(const std::vector<Word>& words) const {
    std::string text;
    for (const Word& word : words) {
      if (!word.code) {
        text += escape_html(word.text);
        continue;
      }
      std::string bare = word.text;
      if (bare.starts_with('(') && bare.ends_with(')')) bare = bare.substr(1, bare.size() - 2);
      const bool type = !site_.find(page_, bare, false).has_value();
      if (site_.find(page_, bare, type)) {
        text += "<code>" + link(bare, type, "", word.text) + "</code>";
      } else {
        text += "<code>" + coloured(word.text) + "</code>";
      }
    }
    return text;
  }

  std::string doc(const parse::DocComment& comment) const {
    std::string text;
    bool list = false;
    for (const Block& block : blocks_of(comment)) {
      const bool item = block.kind == Block::Kind::Item;
      if (item != list) text += item ? "<ul>\n" : "</ul>\n";
      list = item;
      if (block.kind == Block::Kind::Examples) {
        text += examples_html(block.examples);
      } else {
        text += fmt::format("<{0}>{1}</{0}>\n", item ? "li" : "p", words(block.words));
      }
    }
    if (list) text += "</ul>\n";
    return text.empty() ? "" : "<div class=\"doc\">\n" + text + "</div>\n";
  }

  Pieces signature(const DocEntry& entry) const {
    const auto inferred = page_.inferred.find(entry.names[0]);
    return signature_of(page_.syntax->arena, entry,
                        inferred == page_.inferred.end() ? "" : inferred->second);
  }

  std::string section(std::size_t number, const DocSection& section) {
    std::string text;
    if (!section.heading.empty())
      text += fmt::format("<h2 id=\"s-{0}\"><a href=\"#s-{0}\">{1}</a></h2>\n", number,
                          escape_html(section.heading));
    text += "<ul class=\"overview\">\n";
    for (const DocEntry& entry : section.entries) {
      type_names_ = entry.kind != DocEntry::Kind::Function;
      text += "<li>" + pieces(signature(entry), true) + "</li>\n";
    }
    text += "</ul>\n";
    for (const DocEntry& entry : section.entries) text += this->entry(entry);
    return text;
  }

  std::string entry(const DocEntry& entry) {
    const ast::Arena& arena = page_.syntax->arena;
    type_names_ = entry.kind != DocEntry::Kind::Function;
    std::string text = fmt::format(
        "<div class=\"entry\">\n<div class=\"signature\">{}"
        "<a class=\"source\" href=\"{}#L{}\">source</a></div>\n",
        pieces(signature(entry)), source_file(page_.module.name), entry.line);
    text += doc(entry.doc);
    type_names_ = false;
    const auto constructors = constructors_of(arena, entry);
    if (!constructors.empty())
      text += "<div class=\"doc\">\n<div class=\"label\">Constructors</div>\n";
    for (const Pieces& constructor : constructors)
      text += "<div class=\"part\">" + pieces(constructor) + "</div>\n";
    if (!constructors.empty()) text += "</div>\n";
    if (!entry.methods.empty()) text += "<div class=\"doc\">\n<div class=\"label\">Methods</div>\n";
    for (const MethodDoc& method : entry.methods)
      text += "<div class=\"part\">" + pieces(signature_of(arena, method)) + "</div>\n" +
              doc(method.doc);
    if (!entry.methods.empty()) text += "</div>\n";
    if (!entry.instances.empty())
      text += "<div class=\"doc\">\n<div class=\"label\">Instances</div>\n";
    for (const ast::DeclId instance : entry.instances)
      text += "<div class=\"part\">" + pieces(instance_of(arena, instance)) + "</div>\n";
    if (!entry.instances.empty()) text += "</div>\n";
    return text + "</div>\n";
  }

  const Site& site_;
  const SitePage& page_;
  bool type_names_ = false;  // whether names that are defined are types or classes
};

// ---------------------------------------------------------------- source and index

std::string source_html(const SitePage& page) {
  std::string listing;
  std::size_t number = 1;
  for (std::size_t at = 0; at < page.source.size(); ++number) {
    const std::size_t end = std::min(page.source.find('\n', at), page.source.size());
    const std::string_view line = std::string_view(page.source).substr(at, end - at);
    const bool comment =
        line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("--");
    listing += fmt::format("<span id=\"L{0}\"><i>{0}</i>{1}</span>", number,
                           comment ? span("comment", line) : coloured(line));
    at = end + 1;
  }
  const std::string name = escape_html(page.module.name);
  return document(page.module.name + ", source",
                  fmt::format("<a href=\"index.html\">Index</a>\n<a href=\"{}\">{}</a>\n",
                              page_file(page.module.name), name),
                  fmt::format("<h1>{}</h1>\n<pre class=\"listing\">{}</pre>\n", name, listing));
}

std::string plain_words(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words)
    text += word.code ? "<code>" + escape_html(word.text) + "</code>" : escape_html(word.text);
  return text;
}

std::string index_html(const Site& site) {
  std::string navigation = "<a class=\"here\" href=\"index.html\">Index</a>\n<b>Modules</b>\n";
  std::string content = "<h1>Modules</h1>\n<dl class=\"modules\">\n";
  for (const SitePage& page : site.pages()) {
    const std::string anchor = fmt::format("<a href=\"{}\">{}</a>", page_file(page.module.name),
                                           escape_html(page.module.name));
    navigation += anchor + "\n";
    content +=
        fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", anchor, plain_words(summary_of(page.module.doc)));
  }
  content += "</dl>\n<h2 id=\"built-in\">Built in</h2>\n<dl class=\"modules\">\n";
  for (const BuiltIn& group : built_in_types()) {
    std::string names;
    for (const std::string& name : names_of(group))
      names += fmt::format("{}<span class=\"type\" id=\"{}\">{}</span>", names.empty() ? "" : ", ",
                           anchor_of(name, true), name);
    content += fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", names,
                           plain_words(words_of(std::string(group.what))));
  }
  content += "</dl>\n";
  std::string letter;
  for (const Site::Entry& entry : site.index()) {
    std::string group = "Operators";
    if (written_name(entry.name) == entry.name)
      group = static_cast<char>(std::toupper(static_cast<unsigned char>(entry.name[0])));
    if (group != letter) {
      if (!letter.empty()) content += "</ul>\n";
      content +=
          fmt::format("<h2 id=\"i-{0}\">{0}</h2>\n<ul class=\"letters\">\n", escape_html(group));
      letter = group;
    }
    content += fmt::format("<li><a href=\"{}#{}\"><code>{}</code></a> <small>{}</small></li>\n",
                           page_file(entry.target.module), entry.target.anchor,
                           escape_html(written_name(entry.name)), escape_html(entry.target.module));
  }
  if (!letter.empty()) content += "</ul>\n";
  return document("Modules", navigation, content);
}

}  // namespace

std::map<std::string, std::string> html_files(const Site& site) {
  std::map<std::string, std::string> files;
  files["index.html"] = index_html(site);
  for (const SitePage& page : site.pages()) {
    files[page_file(page.module.name)] = ModulePage(site, page).html();
    files[source_file(page.module.name)] = source_html(page);
  }
  return files;
}

}  // namespace dvm::driver
