// What a module exports, with its documentation: the content of a page, and what must be complete.
#pragma once

#include <string>
#include <vector>

#include "frontend/ast/node.hpp"
#include "frontend/parse/doc_comment.hpp"

namespace dvm::driver {

struct MethodDoc {
  std::vector<std::string> names;
  ast::DeclId signature;
  parse::DocComment doc;
};

struct DocEntry {
  enum class Kind { Function, Data, Synonym, Class } kind = Kind::Function;
  std::vector<std::string> names;  // several when a signature has several
  ast::DeclId decl;                // signature (a function without one: its clauses), data, class
  std::uint32_t line = 1;
  parse::DocComment doc;           // without lines when there is none
  std::vector<std::string> parts;  // constructors, or methods: the exported ones
  std::vector<std::string> fields;
  std::vector<MethodDoc> methods;
  std::vector<ast::DeclId> instances;  // of the class or data type, declared in this module
};

struct DocSection {
  std::string heading;  // empty: what stands before the first heading
  std::vector<DocEntry> entries;
};

struct ModuleDoc {
  std::string name;
  std::string path;  // as the user wrote it
  FileId file;
  parse::DocComment doc;  // of the module
  std::vector<DocSection> sections;
};

ModuleDoc module_doc(const ast::Program& program, const ast::Module& module,
                     const SourceMap& sources, const parse::DocComments& comments);

// The text of a comment before its first example, with line breaks.
std::string description(const parse::DocComment& doc);

// What is not documented (`undocumented`): every exported function and class needs a description
// and an example that names it, every exported type a description, every constructor an example of
// its type that names it, every method a description and an example of its class that names it.
void check_complete(const ModuleDoc& module, const SourceMap& sources, Diagnostics& out);

}  // namespace dvm::driver
