// Constructors and fields of data types, and synonyms, from their declarations.
#include "frontend/check/type_context.hpp"

namespace dvm::check {

// ---- data declarations
void Checker::define_data(std::uint32_t id) {
  DataRecord& record = datas_[id];
  const auto& decl = std::get<ast::DataDecl>(node(record.decl).node);
  kinds_of({TypeEntity::Data, id});
  std::vector<TypePtr> type_args;
  std::vector<Size> size_args;
  std::vector<std::string> pushed;
  for (std::size_t i = 0; i < record.param_names.size(); ++i) {
    const std::string& name = record.param_names[i];
    TypeName entry;
    entry.is_size = record.param_is_size[i];
    if (entry.is_size) {
      entry.id = store_.symbol(SymbolKind::Rigid, name, "a size of `" + record.name + "`",
                               record.span, 0, 0);
      record.size_params.push_back(entry.id);
      size_args.push_back(Size::symbol(entry.id));
    } else {
      store_.variables.push_back({name, record.span, {}, 0, nullptr});
      entry.id = static_cast<std::uint32_t>(store_.variables.size() - 1);
      record.type_params.push_back(entry.id);
      type_args.push_back(store_.variable(entry.id));
    }
    type_names_[name].push_back(entry);
    pushed.push_back(name);
  }
  TypePtr whole = store_.data(id, type_args, size_args);
  TypeContext context;
  for (std::size_t c = 0; c < decl.constructors.size(); ++c) {
    const auto& constructor = decl.constructors[c];
    auto& entry = record.constructors[c];
    for (auto arg : constructor.args) entry.fields.push_back(convert(arg, context));
    for (const auto& field : constructor.fields)
      entry.fields.push_back(convert(field.type, context));
    TypePtr type = whole;
    for (std::size_t f = entry.fields.size(); f-- > 0;)
      type = store_.function(entry.fields[f], type);
    BindingInfo& binding = info(entry.binding);
    binding.has_scheme = true;
    binding.scheme = {record.type_params, record.size_params, {}, type, {}};
    for (std::size_t f = 0; f < entry.field_names.size() && entry.is_record; ++f) {
      auto own = scope_->own.find(entry.field_names[f]);
      if (own == scope_->own.end() || info(own->second).kind != BindingKind::Selector) continue;
      BindingInfo& selector = info(own->second);
      if (selector.has_scheme || selector.data != typed::DataId{id}) continue;
      selector.has_scheme = true;
      selector.scheme = {
          record.type_params, record.size_params, {}, store_.function(whole, entry.fields[f]), {}};
    }
  }
  for (const auto& name : pushed) type_names_[name].pop_back();
  if (record.is_newtype &&
      (record.constructors.size() != 1 || record.constructors[0].fields.size() != 1))
    error("invalid-newtype", "a `newtype` has one constructor with one field", record.span,
          "use `data` for anything else");
}

// Every synonym is expanded once, so that mistakes in it are found where it stands.
void Checker::expand_synonyms(const ast::Module& module) {
  for (ast::DeclId id : module.decls) {
    const auto* decl = std::get_if<ast::TypeSynonym>(&node(id).node);
    if (!decl) continue;
    auto entity = scope_->own_types.find(decl->name.text);
    if (entity == scope_->own_types.end() || entity->second.sort != TypeEntity::Synonym) continue;
    kinds_of(entity->second);
    SynonymRecord& record = synonyms_[entity->second.id];
    std::map<std::string, std::variant<TypePtr, Size>> params;
    for (std::size_t i = 0; i < decl->params.size(); ++i) {
      if (record.param_is_size[i])
        params.emplace(decl->params[i].text, Size(1));
      else
        params.emplace(decl->params[i].text, store_.error());
    }
    TypeContext context;
    context.params = &params;
    record.expanding = true;
    convert(decl->type, context);
    record.expanding = false;
  }
}

}  // namespace dvm::check
