// The state of checking one program, shared by the files of this folder; not part of the public
// API.
//
// Order: names.cpp makes the modules' scopes, resolve.cpp binds every name of a body and groups
// declarations, infer_*.cpp find types, unify.cpp and sizes.cpp solve, report.cpp words the errors,
// finish.cpp writes the tables of typed::Program.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/check/class_table.hpp"
#include "frontend/check/postponed.hpp"
#include "frontend/check/scope.hpp"
#include "frontend/check/situation.hpp"
#include "frontend/check/type.hpp"
#include "ir/base/diagnostic.hpp"

namespace dvm::check {

// The built-in name that a BUILTIN pragma gives name number `index` of the signature before it.
std::string pragma_name(const std::string& text, std::size_t index, std::size_t count);

struct Branches;

class Checker {
 public:
  Checker(const ast::Program& program, const SourceMap& sources, Diagnostics& out);
  void run();
  typed::Program finish();

 private:
  friend class ResolveWalk;
  friend class Finisher;

  // ---- names.cpp: modules, imports, exports
  void declare_module(const ast::Module& module);
  void declare_imports(const ast::Module& module);
  void import_module(const ast::Import& import, ModuleScope& scope, bool is_prelude);
  void unknown_import(const ast::Import& import, const ModuleScope& from, const ast::Name& name);
  // exports.cpp
  void declare_exports(const ast::Module& module);
  void export_value(const std::string& name, BindingId binding, Span span);
  void export_type(const std::string& name, TypeEntity entity, Span span);
  void export_entity(const ast::ImportItem& item);
  void export_module(const ast::Module& module, const ast::Name& name);
  void declare_data(const ast::Module& module, ast::DeclId decl);
  void declare_value(const ast::Name& name, BindingId binding);
  BindingId new_binding(std::string name, BindingKind kind, Span span);
  std::optional<BindingId> find_global(const ast::Name& name, bool constructor);
  std::optional<TypeEntity> find_type(const ast::Name& name);
  std::optional<TypeEntity> lookup_type(const ast::Name& name, bool& ambiguous);
  void unknown_name(const ast::Name& name, const char* what, std::vector<std::string> candidates);
  void report_list_type(Span list, Span element);
  void duplicate(const std::string& name, Span second, Span first, const char* what);
  ModuleScope* module_scope(const std::string& name);

  // ---- define_data.cpp
  void define_data(std::uint32_t id);
  void expand_synonyms(const ast::Module& module);

  // ---- written_type.cpp: syntax of types to types
  struct TypeContext;
  void kinds_of(TypeEntity entity);
  void note_kinds(ast::TypeId type, bool size_position,
                  std::unordered_map<std::string, bool>& found);
  std::vector<bool> argument_kinds(ast::TypeId head);
  Scheme convert_signature(const ast::QualifiedType& type, TypeNames& own_names);
  TypePtr convert(ast::TypeId type, TypeContext& context);
  TypePtr convert_application(ast::TypeId type, const ast::TypeApply& apply, TypeContext& context);
  TypePtr convert_entity(TypeEntity entity, const ast::Name& name,
                         const std::vector<ast::TypeId>& args, Span span, TypeContext& context);
  TypePtr convert_variable(const ast::Name& name, TypeContext& context);
  TypePtr convert_arrow(const ast::TypeFunction& arrow, TypeContext& context);
  Size convert_size(ast::TypeId type, TypeContext& context);
  void convert_context(const std::vector<ast::Constraint>& constraints, TypeContext& context);
  void convert_constraint(const ast::Constraint& constraint, TypeContext& context);
  const TypeName* find_type_name(const std::string& name) const;

  // ---- declare_class.cpp: classes, their methods and defaults
  void declare_class(ast::DeclId decl);
  void declare_method(ClassId of, const ast::Name& name, const std::string& builtin);
  std::optional<ClassId> find_class(const ast::Name& name);
  void define_classes(const ast::Module& module);
  void define_superclasses(ClassId id);
  void close_class(ClassId id);
  void define_methods(ClassId id);
  void define_signature(ClassId id, ast::DeclId signature);
  void define_default(ClassId id, ast::DeclId decl);
  void define_minimal(ClassId id);
  MethodRecord* method_of(ClassId of, const std::string& name);
  void not_a_method(ClassId of, const ast::Name& name);
  void only_methods(const ast::Decl& decl, const char* where);

  // ---- declare_instance.cpp: instances, derived ones too
  void declare_instances(const ast::Module& module);
  void declare_instance(ast::DeclId decl);
  void derive_instances(std::uint32_t data);
  bool check_head(const InstanceRecord& record, const ast::InstanceDecl& decl);
  void add_instance(InstanceRecord record);
  void derive_context(InstanceRecord& record);
  void check_superclasses(const InstanceRecord& record);

  // ---- instance_methods.cpp
  void define_instance_methods(InstanceRecord& record);
  void define_instance_method(InstanceRecord& record, ast::DeclId decl);
  void match_instance_signature(InstanceRecord& record, ast::DeclId signature);
  Scheme method_scheme(const InstanceRecord& record, const Scheme& method);
  void check_missing_methods(const InstanceRecord& record);
  void resolve_method_bodies(const ast::Module& module);
  void infer_method_bodies(const ast::Module& module);

  // ---- instances.cpp: which types are in which classes
  enum class Fit : std::uint8_t { Yes, No, Later };
  static std::uint64_t instance_key(ClassId of, TypePtr head);
  Fit match_head(TypePtr head, TypePtr type);
  bool heads_overlap(TypePtr a, TypePtr b) const;
  bool require(TypePtr type, const ClassSet& mask, const Need* need);
  bool require_instance(TypePtr type, ClassId of, const Need* need, bool& known);
  bool use_instance(const InstanceRecord& record, TypePtr type, const Need* need);
  bool is_given(TypePtr type, ClassId of);
  bool same_type(TypePtr a, TypePtr b);
  bool retry_wanted(std::size_t mark);
  void finish_wanted(std::size_t mark);
  void quantify_wanted(std::size_t mark, BindingInfo& binding);

  void check_recursive_data(std::size_t first);

  // ---- resolve.cpp, resolve_list.cpp: every name of a body
  int resolve_list(const std::vector<ast::DeclId>& decls, bool global);
  void resolve_signatures(const std::vector<ast::DeclId>& decls,
                          const std::unordered_map<std::string, BindingId>& names);
  void group_list(DeclList& list);

  // ---- infer_decl.cpp
  void infer_list(int list);
  void infer_group(const DeclList& list, const std::vector<int>& group);
  void infer_open_group(const std::vector<ast::DeclId>& group);
  void infer_with_signature(ast::DeclId decl, BindingInfo& binding);
  TypePtr infer_definition(ast::DeclId decl, TypePtr expected, const Reason& reason);
  void infer_pattern_binding(ast::DeclId decl);
  void infer_let(const std::vector<ast::DeclId>& decls);
  void generalise(BindingInfo& binding);
  void link_recursive_uses(std::size_t mark);
  void check_cyclic(BindingInfo& binding);
  void settle_group(std::size_t equations, std::size_t indices, std::size_t wanted);
  void default_metas(std::size_t mark, int level);
  // ---- infer_clauses.cpp
  struct ClauseView {
    const std::vector<ast::PatternId>* params;
    const ast::Rhs* rhs;  // or
    ast::ExprId body;
    Span span;
  };
  struct ClauseSet {
    std::string name;  // empty for lambdas
    Where where = Where::Clause;
    std::size_t arity = 0;
    std::vector<ClauseView> clauses;
    Span span;
    bool generalised =
        false;  // size symbols of parameters stay (a generalised function) or become metas
  };
  TypePtr infer_clauses(const ClauseSet& set, TypePtr expected, const Reason& reason);
  TypePtr pack(const std::vector<TypePtr>& params,
               const std::vector<std::optional<Size>>& arg_sizes, TypePtr result,
               std::size_t slot_base, int outer, const ClauseSet& set);
  void infer_rhs(const ast::Rhs& rhs, Branches& branches, const Reason& reason, Where where,
                 const std::string& name);
  void infer_alternatives(const std::vector<ast::Guarded>& alternatives, Branches& branches,
                          const Reason& reason, Where where, const std::string& name);
  void infer_branch(ast::ExprId body, Branches& branches, const Reason& reason, Where where,
                    const std::string& name);
  void infer_guard(const ast::Qualifier& qualifier);
  BindingInfo* plain_variable(ast::PatternId pattern);
  void report_arity(const ClauseSet& set, std::size_t arrows, TypePtr expected,
                    const Reason& reason);
  void report_escape(Symbol symbol, const ClauseSet& set);

  // ---- infer_expr.cpp
  friend struct Branches;
  TypePtr infer(ast::ExprId expr);
  TypePtr check(ast::ExprId expr, TypePtr expected, const Reason& reason);
  TypePtr infer_node(ast::ExprId expr, TypePtr expected, const Reason& reason, bool& checked);
  TypePtr infer_leaf(ast::ExprId expr, TypePtr expected);
  TypePtr infer_if(ast::ExprId expr, const ast::If& node, TypePtr expected, const Reason& reason);
  TypePtr infer_case(ast::ExprId expr, const ast::Case& node, TypePtr expected,
                     const Reason& reason);
  TypePtr infer_multi_if(ast::ExprId expr, const ast::MultiIf& node, TypePtr expected,
                         const Reason& reason);
  TypePtr infer_lambda(ast::ExprId expr, TypePtr expected, const Reason& reason);
  TypePtr infer_tuple(const ast::Tuple& node, TypePtr expected, const Reason& reason);
  TypePtr infer_annotated(ast::ExprId expr, const ast::Annotated& node);
  TypePtr infer_negate(ast::ExprId expr, const ast::Negate& node);
  TypePtr infer_record(ast::ExprId expr, const ast::RecordConstruct& node);
  TypePtr infer_update(ast::ExprId expr, const ast::RecordUpdate& node);
  TypePtr literal(ast::ExprId expr, const ast::IntegerLiteral& node, bool negative, Span span);
  TypePtr literal(ast::ExprId expr, const ast::FloatLiteral& node, bool negative, Span span);
  ast::ExprId strip(ast::ExprId expr) const;
  void reopen(ast::ExprId expr, TypePtr type, std::size_t mark);

  // ---- infer_apply.cpp
  TypePtr infer_spine(ast::ExprId expr);
  TypePtr infer_variable(ast::ExprId expr);
  TypePtr instantiate(ast::ExprId expr, BindingId binding);
  TypePtr instantiate(const Scheme& scheme, UseInfo* use, const Need& need);
  void require_context(const std::vector<Constraint>& context, const Need& need);
  TypePtr expect_function(TypePtr fn, ast::ExprId head, int number, Span arg_span);
  void check_argument(TypePtr fn, ast::ExprId arg, TypePtr arg_type, const Reason& reason);
  TypePtr open_result(TypePtr fn, ast::ExprId result_expr, const std::string& name);
  TypePtr finish_application(ast::ExprId expr, TypePtr type, std::size_t coerced_mark);
  void report_irregular(TypePtr type, Symbol symbol, ast::ExprId expr);
  std::string head_name(ast::ExprId head) const;
  std::string prelude_name(ast::ExprId expr) const;

  // ---- infer_operator.cpp
  TypePtr infer_binary(ast::ExprId expr);
  TypePtr infer_section(ast::ExprId expr);

  // ---- infer_loop.cpp
  bool is_loop(const std::string& name) const;
  void open_annotations(ast::ExprId expr, std::vector<ast::ExprId>& found) const;
  TypePtr with_sizes(TypePtr type, const std::vector<Symbol>& symbols,
                     const std::function<Size(Symbol)>& other);
  TypePtr infer_state(ast::ExprId state, const Scheme* annotation, const Reason& reason,
                      std::vector<Symbol>& changing);
  TypePtr infer_frontier(ast::ExprId head, const std::vector<ast::ExprId>& applications,
                         const Scheme* annotation);

  // ---- infer_array.cpp
  TypePtr infer_list_literal(const ast::ArrayLiteral& node, TypePtr expected);
  TypePtr infer_range(ast::ExprId expr, const ast::Range& node);
  void settle_range(const ast::Range& range, TypePtr element);
  bool could_be_size(ast::ExprId expr, int fuel) const;
  bool size_constant(ast::ExprId expr) const;
  TypePtr infer_comprehension(ast::ExprId expr, const ast::Comprehension& node, TypePtr expected);
  std::optional<Size> infer_branch_size(const std::vector<ast::Qualifier>& qualifiers, int outer);
  bool try_index(IndexWant& want, bool last_chance);
  void retry_indices(std::size_t mark, bool last_chance);
  void report_index(TypePtr array, std::size_t indices, std::size_t dims, Span span);

  // ---- infer_pattern.cpp
  void check_pattern(ast::PatternId pattern, TypePtr type, int depth, int slot = -1);
  void check_constructor(ast::PatternId pattern, const std::vector<ast::PatternId>& args,
                         TypePtr type, int depth);
  void check_record(ast::PatternId pattern, const ast::RecordPattern& node, TypePtr type,
                    int depth);
  bool can_fail(ast::PatternId pattern) const;

  // ---- unify.cpp
  bool unify(TypePtr expected, TypePtr actual);
  bool unify_functions(TypePtr expected, TypePtr actual);
  bool bind(TypePtr meta, TypePtr type, bool meta_is_expected);
  TypePtr adjust(TypePtr type, TypePtr meta, bool& ok);
  void lower_depth(TypePtr type, int depth);
  void lower_level(TypePtr type, int level);
  bool unify_or_report(TypePtr expected, TypePtr actual, const Reason& reason);
  TypePtr join(TypePtr first, TypePtr second, Span place, const char* construct);
  TypePtr refresh(TypePtr type);
  Symbol unknown(std::string origin, Span span);

  // ---- sizes.cpp
  bool unify_sizes(const Size& expected, const Size& actual);
  enum class Solved : std::uint8_t { Yes, No, Later };
  Solved solve_sizes(const Size& expected, const Size& actual);
  bool retry_equations(std::size_t mark, bool last_chance);
  std::optional<Size> size_of(ast::ExprId expr, int fuel = 200);
  std::optional<Size> size_of_variable(ast::ExprId expr);
  std::optional<Size> size_of_call(const std::string& name, ast::ExprId arg);
  std::optional<Symbol> value_symbol(BindingInfo& binding);

  // ---- hole.cpp
  void note_hole(ast::ExprId expr);  // while resolving
  TypePtr infer_hole(ast::ExprId expr);
  void report_holes();
  void forget(std::size_t metas, std::size_t wanted);
  friend class HoleReport;

  // ---- report.cpp, report_mismatch.cpp
  void error(std::string code, std::string message, Span span, std::string label = "");
  void not_supported(const std::string& what, Span span);
  void report(const Reason& reason, TypePtr expected, TypePtr actual, const Failure& failure);
  void report_cyclic(const std::string& name, Span span);
  friend class Namer;
  // ---- report_class.cpp
  void report_class(const Reason& reason, const Failure& failure);
  void explain_class(Diagnostic& diagnostic, TypePtr type, const ClassSet& mask);
  // Points at the class, unless the Prelude has it.
  void show_class(Diagnostic& diagnostic, ClassId of, std::string text);
  std::vector<std::string> instance_texts(ClassId of);
  void report_sizes(const Reason& reason, TypePtr expected, TypePtr actual,
                    const Size& expected_size, const Size& actual_size);
  std::string describe(const Reason& reason, const char* trouble) const;
  friend class Mend;

  // ---- exhaustive.cpp
  void check_exhaustive();
  friend class Coverage;

  // ---- last_checks.cpp
  void finish_literals();
  void finish_uses();
  void finish_use(ast::ExprId expr, const UseInfo& use);
  void ambiguous_size(ast::ExprId expr, const UseInfo& use, const std::string& message, Label from);

  BindingInfo& info(BindingId id) { return bindings_.at(id.index); }
  const BindingInfo& info(BindingId id) const { return bindings_.at(id.index); }
  const ast::Expr& node(ast::ExprId id) const { return program_.arena.exprs[id]; }
  const ast::Pattern& node(ast::PatternId id) const { return program_.arena.patterns[id]; }
  const ast::Type& node(ast::TypeId id) const { return program_.arena.types[id]; }
  const ast::Decl& node(ast::DeclId id) const { return program_.arena.decls[id]; }
  TypePtr int_type() { return store_.scalar(ElementType::I64); }
  TypePtr bool_type() { return store_.scalar(ElementType::Bool); }
  TypePtr fresh() { return store_.meta(level_, depth_); }

  const ast::Program& program_;
  const SourceMap& sources_;
  Diagnostics& out_;
  TypeStore store_;

  std::deque<BindingInfo> bindings_;  // references stay valid
  std::deque<DataRecord> datas_;
  std::deque<SynonymRecord> synonyms_;
  ClassTable classes_;
  std::deque<InstanceRecord> instances_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> instance_index_;  // by instance_key
  std::array<ClassSet, element_type_count> scalar_classes_;    // with the instances of the program
  ClassSet universal_;                                         // `instance C a`
  std::unordered_map<std::uint32_t, TypeNames> method_names_;  // by DeclId, of instance methods
  std::deque<ModuleScope> scopes_;
  std::unordered_map<std::string, std::size_t> scope_by_name_;
  ModuleScope* scope_ = nullptr;  // of the module being checked
  std::unordered_map<std::string, TypeEntity> builtin_types_;
  BindingId true_, false_;

  // By syntax node.
  IdVector<ast::ExprId, Reference> references_;
  IdVector<ast::ExprId, TypePtr> expr_types_;
  IdVector<ast::ExprId, std::int32_t> use_index_;
  IdVector<ast::ExprId, std::vector<Symbol>> opened_;
  IdVector<ast::PatternId, TypePtr> pattern_types_;
  IdVector<ast::PatternId, BindingId> pattern_bindings_, pattern_constructors_;
  IdVector<ast::DeclId, BindingId> decl_bindings_;
  IdVector<ast::DeclId, std::int32_t> list_of_first_;  // DeclList of the list that starts with it
  std::unordered_map<std::uint32_t, Scheme> signatures_;  // by DeclId of the Signature
  std::unordered_map<std::uint32_t, TypeNames> signature_names_;
  std::unordered_map<std::uint32_t, Scheme> expr_annotations_, pattern_annotations_;
  std::unordered_map<std::uint32_t, BindingId>
      update_selectors_;  // RecordUpdate expr -> its first field
  std::deque<DeclList> lists_;
  std::deque<UseInfo> uses_;
  std::vector<std::pair<std::int32_t, BindingId>>
      recursive_uses_;  // uses of bindings without scheme yet

  // Scopes of the resolver.
  std::unordered_map<std::string, std::vector<Reference>> locals_;
  std::vector<std::string> local_undo_;
  std::unordered_map<std::string, std::vector<TypeName>> type_names_;
  std::vector<std::string> type_undo_;

  // Inference.
  int level_ = 0, depth_ = 0;
  std::vector<std::optional<Symbol>> slots_;
  std::vector<Symbol>
      coerced_;    // unknowns that stand for the results of functions passed as arguments
  Reason reason_;  // of the unification under way
  TypePtr whole_expected_ = nullptr, whole_actual_ = nullptr;
  Failure failure_;
  std::vector<Equation> equations_;
  std::vector<IndexWant> indices_;
  std::vector<LiteralUse> literals_;
  std::vector<WantedClass> wanted_;
  std::vector<Constraint> givens_;  // of the signatures around, on types that are no variables
  bool deriving_ = false;           // constraints on variables are collected, not checked
  const InstanceRecord* through_ = nullptr;  // whose context is being required
  const Scheme* loop_annotation_ = nullptr;  // of the application that is inferred next
  std::vector<HoleUse> holes_;
  int nesting_ = 0;
};

}  // namespace dvm::check
