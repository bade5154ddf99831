// Declarations.
#include <algorithm>

#include "frontend/ast/printer.hpp"

namespace dvm::ast {
namespace {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

bool is_symbolic(const std::string& text) {
  const auto first = static_cast<unsigned char>(text.empty() ? 'a' : text[0]);
  return first < 0x80 && first != '_' && !(first >= 'a' && first <= 'z') &&
         !(first >= 'A' && first <= 'Z');
}

}  // namespace

// Infix where the name is an operator, or where an argument needs it.
DocId Printer::clause(const Name& name_, const Clause& clause) {
  const bool needs_infix = std::any_of(clause.params.begin(), clause.params.end(),
                                       [&](PatternId param) { return !is_atomic(param); });
  std::vector<DocId> parts;
  const bool infix = clause.params.size() >= 2 && (is_symbolic(name_.text) || needs_infix);
  std::size_t next = 0;
  if (infix) {
    if (clause.params.size() > 2) parts.push_back(text("("));
    parts.push_back(pattern(clause.params[0]));
    parts.push_back(text(" "));
    parts.push_back(operator_name(name_));
    parts.push_back(text(" "));
    parts.push_back(pattern(clause.params[1]));
    if (clause.params.size() > 2) parts.push_back(text(")"));
    next = 2;
  } else {
    Name plain = name_;
    plain.span = clause.span;  // of this clause, for the comments before it
    parts.push_back(name(plain));
  }
  for (; next < clause.params.size(); ++next) {
    parts.push_back(text(" "));
    parts.push_back(pattern(clause.params[next]));
  }
  const DocId head = nest(concat(std::move(parts)));
  return concat({head, rhs(clause.rhs, "=")});
}

DocId Printer::fixity(const FixityDecl& fixity) {
  const char* keyword = fixity.associativity == Associativity::Left    ? "infixl "
                        : fixity.associativity == Associativity::Right ? "infixr "
                                                                       : "infix ";
  std::vector<DocId> parts;
  for (const Name& op : fixity.operators) parts.push_back(operator_name(op));
  return concat({text(keyword + std::to_string(fixity.precedence) + " "), listed(parts)});
}

// Neighbours that share one written type are printed as `x, y :: T`.
DocId Printer::record_fields(const std::vector<FieldDecl>& fields) {
  std::vector<DocId> parts;
  for (std::size_t i = 0; i < fields.size();) {
    std::size_t end = i;
    std::vector<DocId> part;
    for (; end < fields.size() && fields[end].type == fields[i].type; ++end) {
      if (end > i) part.push_back(text(", "));
      part.push_back(name(fields[end].name));
    }
    part.push_back(text(" :: "));
    part.push_back(type(fields[i].type));
    parts.push_back(concat(std::move(part)));
    i = end;
  }
  if (parts.empty()) return text("{}");
  return concat({text("{ "), listed(parts), text(" }")});
}

DocId Printer::constructor(const ConstructorDecl& constructor) {
  if (constructor.is_record) {
    const DocId head = name(constructor.name);
    return concat({head, text(" "), record_fields(constructor.fields)});
  }
  if (is_symbolic(constructor.name.text) && constructor.args.size() == 2) {
    const DocId lhs = type(constructor.args[0]);
    const DocId op = operator_name(constructor.name);
    return concat({lhs, text(" "), op, text(" "), type(constructor.args[1])});
  }
  std::vector<DocId> parts{name(constructor.name)};
  for (const TypeId arg : constructor.args) {
    parts.push_back(text(" "));
    parts.push_back(type(arg));
  }
  return concat(std::move(parts));
}

DocId Printer::data(const DataDecl& data) {
  std::vector<DocId> parts{text(data.is_newtype ? "newtype " : "data "), name(data.name)};
  for (const Name& param : data.params) {
    parts.push_back(text(" "));
    parts.push_back(name(param));
  }
  std::vector<DocId> tail;
  for (std::size_t i = 0; i < data.constructors.size(); ++i) {
    tail.push_back(docs_.line());
    tail.push_back(text(i == 0 ? "= " : "| "));
    tail.push_back(nest(constructor(data.constructors[i])));
  }
  if (!data.deriving.empty()) {
    std::vector<DocId> names;
    for (const Name& item : data.deriving) names.push_back(name(item));
    tail.push_back(docs_.line());
    tail.push_back(concat({text("deriving ("), listed(names), text(")")}));
  }
  parts.push_back(nest(concat(std::move(tail))));
  return docs_.group(concat(std::move(parts)));
}

DocId Printer::decl(DeclId id) {
  const Decl& tree = arena_.decls[id];
  auto block = [&](const std::vector<DeclId>& ids) {
    if (ids.empty()) return docs_.empty();
    return concat({text(" where"), nest(concat({docs_.hard_line(), decls(ids, false)}))});
  };
  return std::visit(
      Match{
          [&](const Signature& node) {
            std::vector<DocId> names;
            for (const Name& item : node.names) names.push_back(name(item));
            const DocId head = listed(names);
            return nest(concat({head, text(" :: "), qualified_type(node.type)}));
          },
          [&](const FunctionDecl& node) {
            std::vector<DocId> parts;
            for (const Clause& part : node.clauses) {
              if (!parts.empty()) {
                if (blank_before(part.span.begin)) parts.push_back(docs_.blank_line());
                parts.push_back(docs_.hard_line());
              }
              parts.push_back(clause(node.name, part));
              if (source_ != nullptr) last_line_ = line_of(part.span.end);
            }
            return concat(std::move(parts));
          },
          [&](const PatternBinding& node) {
            const DocId head = nest(pattern(node.pattern));
            return concat({head, rhs(node.rhs, "=")});
          },
          [&](const FixityDecl& node) { return fixity(node); },
          [&](const DataDecl& node) { return data(node); },
          [&](const TypeSynonym& node) {
            std::vector<DocId> parts{text("type "), name(node.name)};
            for (const Name& param : node.params) {
              parts.push_back(text(" "));
              parts.push_back(name(param));
            }
            parts.push_back(text(" = "));
            parts.push_back(type(node.type));
            return nest(concat(std::move(parts)));
          },
          [&](const ClassDecl& node) {
            const DocId before = context(node.context);
            const DocId head = name(node.name);
            const DocId param = name(node.param);
            return concat({text("class "), before, head, text(" "), param, block(node.decls)});
          },
          [&](const InstanceDecl& node) {
            const DocId before = context(node.context);
            const DocId head = name(node.class_name);
            const DocId of = type(node.type);
            return concat({text("instance "), before, head, text(" "), of, block(node.decls)});
          },
          [&](const PragmaDecl& node) {
            return atom("{-# " + node.keyword + (node.text.empty() ? "" : " " + node.text) + " #-}",
                        tree.span);
          },
      },
      tree.node);
}

std::uint32_t Printer::line_of(std::uint32_t offset) const {
  const auto after =
      std::upper_bound(source_->line_starts.begin(), source_->line_starts.end(), offset);
  return static_cast<std::uint32_t>(after - source_->line_starts.begin());
}

DocId Printer::decls(const std::vector<DeclId>& ids, bool top_level) {
  std::vector<DocId> parts;
  const Decl* before = nullptr;
  for (const DeclId id : ids) {
    const Decl& tree = arena_.decls[id];
    if (source_ != nullptr) {
      if (before != nullptr) parts.push_back(docs_.hard_line());
      comments_before(tree.span.begin, parts, before != nullptr || top_level);
      if ((before != nullptr || top_level) && blank_before(tree.span.begin))
        parts.push_back(docs_.blank_line());
    } else if (before != nullptr) {
      const bool belongs = std::holds_alternative<Signature>(before->node) || !top_level ||
                           before->node.index() == tree.node.index();
      parts.push_back(belongs && !std::holds_alternative<FunctionDecl>(before->node)
                          ? docs_.hard_line()
                      : top_level ? docs_.blank_line()
                                  : docs_.hard_line());
    }
    if (source_ == nullptr && !tree.doc.empty()) doc_comment(tree.doc, parts);
    parts.push_back(decl(id));
    if (source_ != nullptr) last_line_ = line_of(tree.span.end);
    before = &tree;
  }
  return concat(std::move(parts));
}

}  // namespace dvm::ast
