// Which parameters of a type declaration are sizes: told apart by use.
#include "frontend/check/checker.hpp"

namespace dvm::check {

std::vector<bool> Checker::argument_kinds(ast::TypeId head) {
  const auto* constructor = std::get_if<ast::TypeConstructor>(&node(head).node);
  if (!constructor) return {};
  const ast::Name& name = constructor->name;
  if (name.qualifier.empty() && !scope_->own_types.count(name.text)) {
    if (name.text == "Vec") return {true, false};
    if (name.text == "Mat") return {true, true, false};
  }
  auto entity = find_type(name);
  if (!entity) return {};
  kinds_of(*entity);
  if (entity->sort == TypeEntity::Data) return datas_[entity->id].param_is_size;
  if (entity->sort == TypeEntity::Synonym) return synonyms_[entity->id].param_is_size;
  return {};
}

void Checker::note_kinds(ast::TypeId id, bool size_position,
                         std::unordered_map<std::string, bool>& found) {
  const ast::Type& type = node(id);
  if (auto* variable = std::get_if<ast::TypeVariable>(&type.node)) {
    if (size_position) found[variable->name.text] = true;
  } else if (auto* apply = std::get_if<ast::TypeApply>(&type.node)) {
    std::vector<bool> kinds = argument_kinds(apply->head);
    for (std::size_t i = 0; i < apply->args.size(); ++i)
      note_kinds(apply->args[i], i < kinds.size() && kinds[i], found);
  } else if (auto* arrow = std::get_if<ast::TypeFunction>(&type.node)) {
    note_kinds(arrow->param, false, found);
    note_kinds(arrow->result, false, found);
  } else if (auto* tuple = std::get_if<ast::TypeTuple>(&type.node)) {
    for (auto part : tuple->parts) note_kinds(part, false, found);
  } else if (auto* sizes = std::get_if<ast::TypeSizes>(&type.node)) {
    for (auto dim : sizes->dims) note_kinds(dim, true, found);
  } else if (auto* binary = std::get_if<ast::SizeBinary>(&type.node)) {
    note_kinds(binary->lhs, true, found);
    note_kinds(binary->rhs, true, found);
  } else if (auto* paren = std::get_if<ast::TypeParen>(&type.node)) {
    note_kinds(paren->inner, size_position, found);
  }
}

void Checker::kinds_of(TypeEntity entity) {
  std::unordered_map<std::string, bool> found;
  if (entity.sort == TypeEntity::Data) {
    DataRecord& record = datas_[entity.id];
    if (record.state != 0) return;
    record.state = 1;
    const auto& decl = std::get<ast::DataDecl>(node(record.decl).node);
    for (const auto& constructor : decl.constructors) {
      for (auto arg : constructor.args) note_kinds(arg, false, found);
      for (const auto& field : constructor.fields) note_kinds(field.type, false, found);
    }
    for (const auto& name : record.param_names)
      record.param_is_size.push_back(found.count(name) > 0);
    record.state = 2;
  } else if (entity.sort == TypeEntity::Synonym) {
    SynonymRecord& record = synonyms_[entity.id];
    if (record.state != 0) return;
    record.state = 1;
    const auto& decl = std::get<ast::TypeSynonym>(node(record.decl).node);
    note_kinds(decl.type, false, found);
    for (const auto& param : decl.params)
      record.param_is_size.push_back(found.count(param.text) > 0);
    record.state = 2;
  }
}

}  // namespace dvm::check
