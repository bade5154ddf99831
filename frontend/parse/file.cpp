// One file: UTF-8 check, lexer, layout, parser item by item, syntax tree.
#include "frontend/parse/file.hpp"

#include "frontend/parse/antlr_bridge.hpp"
#include "frontend/parse/builder.hpp"
#include "frontend/parse/syntax_error.hpp"

namespace dvm::parse {

ParsedFile parse_file(const SourceMap& sources, FileId file, ast::Arena& arena,
                      FixityScopes& scopes, Chains& chains, Diagnostics& out) {
  ParsedFile result;
  result.module.file = file;
  result.module.name = "Main";
  result.root = scopes.open(ScopeId{});  // of a file that is not even lexed
  const std::string& text = sources.file(file).text;
  if (text.size() >= std::size_t{1} << 31) {
    out.add({.code = "file-too-large",
             .message = "the file is larger than 2 GiB",
             .span = {file, 0, 0},
             .label = "",
             .others = {},
             .notes = {},
             .help = {}});
    return result;
  }
  if (!check_utf8(sources, file, out)) return result;
  result.source = lay_out(lex(sources, file, out), out);
  check_nesting(result.source, out);
  TreeParser parser(result.source);
  Builder builder(result.source, arena, scopes, chains, out);
  result.root = builder.root();
  if (result.source.header.has_value() && !result.source.header->bad) {
    if (auto tree = parser.header(*result.source.header)) {
      builder.header(*tree, result.module);
    } else {
      out.add(explain(tree.error(), *result.source.header, result.source));
    }
  }
  for (const Item& item : result.source.items) {
    if (item.bad) continue;
    if (auto tree = parser.item(item)) {
      builder.item(*tree, result.module);
    } else {
      out.add(explain(tree.error(), item, result.source));
    }
  }
  builder.finish(result.module);
  return result;
}

}  // namespace dvm::parse
