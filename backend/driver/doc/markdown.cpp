// Pages in Markdown: the content of the HTML pages for where Markdown is shown.
#include <fmt/format.h>

#include "backend/driver/doc/prose.hpp"
#include "backend/driver/doc/site.hpp"

namespace dvm::driver {

namespace {

std::string page_file(const std::string& module) { return module + ".md"; }

std::string words_text(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) {
    if (!word.code) {
      for (const char c : word.text) {
        if (c == '*' || c == '_' || c == '<' || c == '|' || c == '\\') text += '\\';
        text += c;
      }
      continue;
    }
    const bool ticks = word.text.find('`') != std::string::npos;
    text += (ticks ? "`` " : "`") + word.text + (ticks ? " ``" : "`");
  }
  return text;
}

std::string code_block(const std::string& code) { return "```haskell\n" + code + "```\n\n"; }

std::string doc_text(const parse::DocComment& doc) {
  std::string text;
  bool list = false;
  for (const Block& block : blocks_of(doc)) {
    const bool item = block.kind == Block::Kind::Item;
    if (list && !item) text += "\n";
    list = item;
    if (block.kind == Block::Kind::Examples) {
      std::string code;
      for (const Example& example : block.examples) {
        for (const parse::DocLine& line : example.code) code += ">>> " + line.text + "\n";
        for (const std::string& line : example.expected) code += line + "\n";
      }
      text += code_block(code);
    } else {
      text += (item ? "* " : "") + words_text(block.words) + (item ? "\n" : "\n\n");
    }
  }
  if (list) text += "\n";
  return text;
}

std::string anchors(const std::vector<std::string>& names, bool type) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("<a id=\"{}\"></a>", anchor_of(name, type));
  return text;
}

std::string entry_text(const SitePage& page, const DocEntry& entry) {
  const ast::Arena& arena = page.syntax->arena;
  const bool type = entry.kind != DocEntry::Kind::Function;
  const auto inferred = page.inferred.find(entry.names[0]);
  std::string text = anchors(entry.names, type) + anchors(entry.parts, false) +
                     anchors(entry.fields, false) + "\n\n";
  std::string code = plain_text(signature_of(
                         arena, entry, inferred == page.inferred.end() ? "" : inferred->second)) +
                     "\n";
  std::string sign = "  = ";
  for (const Pieces& constructor : constructors_of(arena, entry)) {
    code += sign + plain_text(constructor) + "\n";
    sign = "  | ";
  }
  for (const MethodDoc& method : entry.methods)
    code += "  " + plain_text(signature_of(arena, method)) + "\n";
  for (const ast::DeclId instance : entry.instances)
    code += plain_text(instance_of(arena, instance)) + "\n";
  text += code_block(code) + doc_text(entry.doc);
  for (const MethodDoc& method : entry.methods)
    if (!method.doc.lines.empty())
      text += fmt::format("`{}`: {}", method.names[0], doc_text(method.doc));
  return text;
}

std::string page_text(const SitePage& page) {
  std::string text = fmt::format("# {}\n\n{}", page.module.name, doc_text(page.module.doc));
  for (const DocSection& section : page.module.sections) {
    if (!section.heading.empty()) text += fmt::format("## {}\n\n", section.heading);
    for (const DocEntry& entry : section.entries) text += entry_text(page, entry);
  }
  return text;
}

std::string index_text(const Site& site) {
  std::string text = "# Modules\n\n";
  for (const SitePage& page : site.pages())
    text += fmt::format("* [{}]({}): {}\n", page.module.name, page_file(page.module.name),
                        words_text(summary_of(page.module.doc)));
  text += "\n# Built in\n\n";
  for (const BuiltIn& group : built_in_types())
    text += fmt::format("* `{}`: {}\n", group.names, words_text(words_of(std::string(group.what))));
  text += "\n# Names\n\n";
  for (const Site::Entry& entry : site.index())
    text += fmt::format("* [`{}`]({}#{}) {}\n", written_name(entry.name),
                        page_file(entry.target.module), entry.target.anchor, entry.target.module);
  return text;
}

}  // namespace

std::map<std::string, std::string> markdown_files(const Site& site) {
  std::map<std::string, std::string> files;
  files["index.md"] = index_text(site);
  for (const SitePage& page : site.pages()) files[page_file(page.module.name)] = page_text(page);
  return files;
}

}  // namespace dvm::driver
