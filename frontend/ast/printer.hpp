// Syntax to documents, inside frontend/ast only; split by construct like the builder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/ast/doc.hpp"
#include "frontend/ast/node.hpp"
#include "frontend/ast/print.hpp"

namespace dvm::ast {

class Printer {
 public:
  // Without `source`, doc comments are printed from the declarations.
  Printer(const Arena& arena, const SourceLayout* source) : arena_(arena), source_(source) {}
  std::string run(const Module& module);

 private:
  // ------------------------------------------------ names, comments, pieces (print.cpp)
  DocId text(std::string value) { return docs_.text(std::move(value)); }
  DocId concat(std::vector<DocId> parts) { return docs_.concat(std::move(parts)); }
  DocId nest(DocId inner) { return docs_.nest(2, inner); }
  DocId atom(std::string value, Span span);  // with the comments before it
  void comments_before(std::uint32_t offset, std::vector<DocId>& parts, bool keep_blank_lines);
  bool blank_before(std::uint32_t offset) const;
  std::uint32_t line_of(std::uint32_t offset) const;
  void doc_comment(const std::string& doc, std::vector<DocId>& parts);
  DocId name(const Name& name);                   // as a variable: `(+)` for operators
  DocId operator_name(const Name& name);          // between operands: backquotes for words
  DocId listed(const std::vector<DocId>& parts);  // a, b, c: as many on a line as fit
  DocId header(const Module& module);
  DocId import(const Import& import);
  DocId items(const std::vector<ImportItem>& items);

  // ------------------------------------------------ types and patterns (print_type.cpp)
  DocId type(TypeId id);
  DocId qualified_type(const QualifiedType& type);
  DocId context(const std::vector<Constraint>& context);
  DocId function_type(TypeId id);
  DocId pattern(PatternId id);
  bool is_atomic(PatternId id) const;

  // ------------------------------------------------ expressions (print_expr.cpp, print_block.cpp)
  DocId expr(ExprId id);
  DocId chain(ExprId id);
  DocId application(ExprId id);
  const Name& section_name(ExprId op) const;
  DocId tuple_section(const Lambda& lambda);
  bool is_tuple_section(ExprId id) const;
  bool ends_in_block(ExprId id) const;
  bool hangs(ExprId id) const;
  DocId array(const ArrayLiteral& array);
  DocId comprehension(const Comprehension& comprehension);
  DocId fields(const std::vector<FieldValue>& fields);
  DocId conditional(ExprId id);
  DocId let(const Let& let);
  DocId alternatives(const std::vector<Alternative>& alternatives);
  DocId qualifier(const Qualifier& qualifier);
  DocId qualifiers(const std::vector<Qualifier>& qualifiers);
  DocId rhs(const Rhs& rhs, const std::string& sign);
  DocId body(ExprId id, const std::string& sign);
  DocId guarded(const Guarded& guarded, const std::string& sign);

  // ------------------------------------------------ declarations (print_decl.cpp)
  DocId decls(const std::vector<DeclId>& ids, bool top_level);
  DocId decl(DeclId id);
  DocId clause(const Name& name, const Clause& clause);
  DocId data(const DataDecl& data);
  DocId constructor(const ConstructorDecl& constructor);
  DocId record_fields(const std::vector<FieldDecl>& fields);
  DocId fixity(const FixityDecl& fixity);

  const Arena& arena_;
  const SourceLayout* source_;
  DocTable docs_;
  std::size_t next_comment_ = 0;
  std::uint32_t last_line_ = 0;  // of the last comment or declaration printed
};

}  // namespace dvm::ast
