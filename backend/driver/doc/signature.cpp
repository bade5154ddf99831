// The types of the syntax tree in pieces; line breaks are the page's.
#include "backend/driver/doc/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace dvm::driver {

namespace {

class Speller {
 public:
  explicit Speller(const ast::Arena& arena) : arena_(arena) {}
  Pieces take() { return std::move(pieces_); }

  void add(std::string text, Piece::Role role = Piece::Role::Plain) {
    if (role == Piece::Role::Plain && !pieces_.empty() && pieces_.back().role == role) {
      pieces_.back().text += text;
    } else {
      pieces_.push_back({role, std::move(text)});
    }
  }

  void names(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) add(", ");
      add(written_name(names[i]), Piece::Role::Name);
    }
  }

  void qualified(const ast::QualifiedType& type) {
    context(type.context);
    this->type(type.type);
  }

  void context(const std::vector<ast::Constraint>& constraints) {
    if (constraints.empty()) return;
    if (constraints.size() > 1) add("(");
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      if (i > 0) add(", ");
      add(constraints[i].class_name.text, Piece::Role::Class);
      add(" ");
      type(constraints[i].type);
    }
    add(constraints.size() > 1 ? ") => " : " => ");
  }

  void type(ast::TypeId id) {
    std::visit([&](const auto& node) { spell(node); }, arena_.types[id].node);
  }

  void fields(const std::vector<ast::FieldDecl>& fields) {
    add(" { ");
    for (std::size_t i = 0; i < fields.size(); ++i) {
      add(fields[i].name.text, Piece::Role::Name);
      if (i + 1 < fields.size() && fields[i + 1].type == fields[i].type) {
        add(", ");
        continue;
      }
      add(" :: ");
      type(fields[i].type);
      add(i + 1 < fields.size() ? ", " : " }");
    }
  }

 private:
  void spell(const ast::TypeVariable& node) { add(node.name.text); }
  void spell(const ast::TypeConstructor& node) { add(node.name.text, Piece::Role::Type); }
  void spell(const ast::TypeApply& node) {
    type(node.head);
    for (const ast::TypeId arg : node.args) {
      add(" ");
      type(arg);
    }
  }
  void spell(const ast::TypeFunction& node) {
    if (node.binder) add("(" + node.binder->text + " :: ");
    type(node.param);
    if (node.binder) add(")");
    add(" -> ");
    type(node.result);
  }
  void list(const std::vector<ast::TypeId>& parts, const char* open, const char* close) {
    add(open);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) add(", ");
      type(parts[i]);
    }
    add(close);
  }
  void spell(const ast::TypeTuple& node) { list(node.parts, "(", ")"); }
  void spell(const ast::TypeSizes& node) { list(node.dims, "[", "]"); }
  void spell(const ast::SizeLiteral& node) { add(std::to_string(node.value)); }
  void spell(const ast::SizeBinary& node) {
    constexpr const char* signs[] = {" + ", " - ", " * ", " / "};
    type(node.lhs);
    add(signs[static_cast<std::size_t>(node.op)]);
    type(node.rhs);
  }
  void spell(const ast::SizeUnknown& node) { add("?" + node.name.value_or("")); }
  void spell(const ast::TypeParen& node) {
    add("(");
    type(node.inner);
    add(")");
  }

  const ast::Arena& arena_;
  Pieces pieces_;
};

void head(Speller& speller, const char* keyword, const ast::Name& name,
          const std::vector<ast::Name>& params) {
  speller.add(keyword, Piece::Role::Keyword);
  speller.add(" ");
  speller.add(name.text, Piece::Role::Name);
  for (const ast::Name& param : params) speller.add(" " + param.text);
}

}  // namespace

std::string written_name(const std::string& name) {
  const auto first = static_cast<unsigned char>(name.empty() ? 'a' : name[0]);
  return std::isalpha(first) != 0 || first == '_' || first >= 0x80 ? name : "(" + name + ")";
}

Pieces signature_of(const ast::Arena& arena, const DocEntry& entry, const std::string& inferred) {
  Speller speller(arena);
  const auto& node = arena.decls[entry.decl].node;
  if (const auto* signature = std::get_if<ast::Signature>(&node)) {
    speller.names(entry.names);
    speller.add(" :: ");
    speller.qualified(signature->type);
  } else if (const auto* data = std::get_if<ast::DataDecl>(&node)) {
    head(speller, data->is_newtype ? "newtype" : "data", data->name, data->params);
  } else if (const auto* synonym = std::get_if<ast::TypeSynonym>(&node)) {
    head(speller, "type", synonym->name, synonym->params);
    speller.add(" = ");
    speller.type(synonym->type);
  } else if (const auto* type_class = std::get_if<ast::ClassDecl>(&node)) {
    speller.add("class", Piece::Role::Keyword);
    speller.add(" ");
    speller.context(type_class->context);
    speller.add(type_class->name.text, Piece::Role::Name);
    speller.add(" " + type_class->param.text);
  } else {
    speller.names(entry.names);
    if (!inferred.empty()) speller.add(" :: " + inferred);
  }
  return speller.take();
}

std::vector<Pieces> constructors_of(const ast::Arena& arena, const DocEntry& entry) {
  std::vector<Pieces> result;
  const auto* data = std::get_if<ast::DataDecl>(&arena.decls[entry.decl].node);
  if (data == nullptr) return result;
  for (const ast::ConstructorDecl& constructor : data->constructors) {
    const std::string& name = constructor.name.text;
    if (std::find(entry.parts.begin(), entry.parts.end(), name) == entry.parts.end()) continue;
    Speller speller(arena);
    speller.add(written_name(name), Piece::Role::Name);
    if (constructor.is_record) {
      speller.fields(constructor.fields);
    } else {
      for (const ast::TypeId arg : constructor.args) {
        speller.add(" ");
        speller.type(arg);
      }
    }
    result.push_back(speller.take());
  }
  return result;
}

Pieces signature_of(const ast::Arena& arena, const MethodDoc& method) {
  Speller speller(arena);
  speller.names(method.names);
  speller.add(" :: ");
  speller.qualified(std::get<ast::Signature>(arena.decls[method.signature].node).type);
  return speller.take();
}

Pieces instance_of(const ast::Arena& arena, ast::DeclId instance) {
  Speller speller(arena);
  const auto& node = std::get<ast::InstanceDecl>(arena.decls[instance].node);
  speller.add("instance", Piece::Role::Keyword);
  speller.add(" ");
  speller.context(node.context);
  speller.add(node.class_name.text, Piece::Role::Class);
  speller.add(" ");
  speller.type(node.type);
  return speller.take();
}

std::string plain_text(const Pieces& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += piece.text;
  return text;
}

}  // namespace dvm::driver
