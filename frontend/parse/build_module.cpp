// Header, exports, imports, and the top level of a module.
#include <fmt/format.h>

#include "frontend/parse/builder.hpp"

namespace dvm::parse {

using namespace ast;

ImportItem Builder::entity(DvmParser::EntityContext* tree) {
  ImportItem item;
  if (auto* value = dynamic_cast<DvmParser::EntityValueContext*>(tree)) {
    item.name = bracketed_name(value->var());
    return item;
  }
  auto* type = static_cast<DvmParser::EntityTypeContext*>(tree);
  item.name = bracketed_name(type->con());
  item.all_parts = type->DOTDOT() != nullptr;
  for (DvmParser::EntityPartContext* part : type->entityPart())
    item.parts.push_back(bracketed_name(part));
  return item;
}

void Builder::header(DvmParser::FileHeaderContext* tree, Module& module) {
  module.name =
      source_.file.text.substr(span_of(tree->moduleName()).begin,
                               span_of(tree->moduleName()).end - span_of(tree->moduleName()).begin);
  module.has_header = true;
  module.doc = doc_before(tree);
  if (tree->exportList() == nullptr) return;
  module.exports.emplace();
  for (DvmParser::ExportItemContext* part : tree->exportList()->exportItem()) {
    if (auto* value = dynamic_cast<DvmParser::ExportEntityContext*>(part)) {
      module.exports->push_back(entity(value->entity()));
      continue;
    }
    auto* name = static_cast<DvmParser::ExportModuleContext*>(part)->moduleName();
    const Span span = span_of(name);
    ImportItem item;
    item.name = {"", source_.file.text.substr(span.begin, span.end - span.begin), span};
    item.whole_module = true;
    module.exports->push_back(std::move(item));
  }
}

void Builder::import_decl(DvmParser::ImportDeclContext* tree, Module& module) {
  if (!top_.empty()) {
    report(span_of(tree), "import-after-declaration", "imports stand before all declarations",
           "too late", "move it up, below the module header")
        .others.push_back({top_.front().span, "the first declaration"});
    flush();
  }
  auto text = [&](DvmParser::ModuleNameContext* name) {
    const Span span = span_of(name);
    return source_.file.text.substr(span.begin, span.end - span.begin);
  };
  Import result;
  result.module = text(tree->moduleName(0));
  result.span = span_of(tree->moduleName(0));
  result.qualified = !tree->QUALIFIED().empty();
  if (tree->AS() != nullptr) result.alias = text(tree->moduleName(1));
  result.hiding = tree->HIDING() != nullptr;
  if (tree->importList() != nullptr) {
    result.items.emplace();
    for (DvmParser::EntityContext* part : tree->importList()->entity())
      result.items->push_back(entity(part));
  }
  module.imports.push_back(std::move(result));
}

void Builder::item(DvmParser::TopItemContext* tree, Module& module) {
  if (tree->importDecl() != nullptr) {
    import_decl(tree->importDecl(), module);
    return;
  }
  DvmParser::TopDeclContext* decl = tree->topDecl();
  RawDecl raw;
  if (auto* value = dynamic_cast<DvmParser::ValueDeclContext*>(decl)) {
    raw = raw_decl(value->decl());
    if (const auto* fixity = std::get_if<FixityDecl>(&raw.decl.node);
        fixity != nullptr && !raw.equation) {
      for (const Name& name : fixity->operators)
        scopes_.declare(root_, name.text, {fixity->associativity, fixity->precedence});
    }
  } else if (auto* data = dynamic_cast<DvmParser::DataDeclContext*>(decl)) {
    raw = data_decl(data);
  } else if (auto* synonym = dynamic_cast<DvmParser::TypeSynonymContext*>(decl)) {
    raw = type_synonym(synonym);
  } else if (auto* type_class = dynamic_cast<DvmParser::ClassDeclContext*>(decl)) {
    raw = class_decl(type_class);
  } else {
    raw = instance_decl(static_cast<DvmParser::InstanceDeclContext*>(decl));
  }
  raw.span = span_of(decl);
  raw.doc = doc_before(decl);
  top_.push_back(std::move(raw));
}

void Builder::finish(Module& module) {
  module.decls = group(std::move(top_), root_, false);
  top_.clear();
  flush();
}

}  // namespace dvm::parse
