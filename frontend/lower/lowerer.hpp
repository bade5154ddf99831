// The symbolic evaluator: all its state, its operations grouped by the file that has them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontend/lower/activation.hpp"
#include "frontend/lower/draws.hpp"
#include "frontend/lower/emitter.hpp"
#include "frontend/lower/tail.hpp"
#include "frontend/lower/value.hpp"

namespace dvm::lower {

// A size that changes from step to step of a loop stands in resolved types as a symbol of its own.
inline constexpr Size::Symbol first_changing = Size::Symbol{1} << 31;
inline constexpr Size::Symbol first_reserved = ~Size::Symbol{0} - 15;
inline bool is_changing(Size::Symbol symbol) {
  return symbol >= first_changing && symbol < first_reserved;
}
inline SizeVarId changing_variable(Size::Symbol symbol) {
  return SizeVarId{symbol - first_changing};
}

// What is needed to tell a failed pattern from one that cannot fail.
struct Match {
  ValueId condition;  // none: cannot fail
  bool never = false;
};

// A saturated call of a built-in function.
struct BuiltinCall {
  Lowerer& lower;
  const std::string& name;
  const std::vector<Lazy*>& args;
  const std::vector<TypeRef>& types;  // for the type variables of its signature, resolved
  Span span;
  const typed::Use* use;  // of its name, in
  Env* env;

  ValueRef value(std::size_t i) const;
  ValueId scalar(std::size_t i) const;
  ArrayValue array(std::size_t i) const;  // as it comes
  ArrayValue whole(std::size_t i) const;  // stored or a view
  Emitter& emit() const;
  ElementType type(std::size_t i) const;  // of a scalar type argument
};
struct BuiltinInfo {
  std::size_t arity;
  ValueRef (*run)(const BuiltinCall&);
};
using BuiltinTable = std::map<std::string, BuiltinInfo>;
const BuiltinInfo* find_builtin(const std::string& name);
// The tables, by section of the Prelude.
const BuiltinTable& number_builtins();
const BuiltinTable& order_builtins();
const BuiltinTable& bit_builtins();
const BuiltinTable& make_builtins();
const BuiltinTable& reduce_builtins();
const BuiltinTable& loop_builtins();
const BuiltinTable& shape_builtins();
const BuiltinTable& index_builtins();
const BuiltinTable& stencil_builtins();

// Methods at types (by key) that are known to be recursive.
using RecursiveMethods = std::set<std::pair<BindingId, std::string>>;
// Types apart from sizes: what functions are specialised for.
void write_key(const TypeRef& type, std::string& key);
// Stands for a size that could not be found in a resolved type.
inline constexpr Size::Symbol unknown_symbol = ~Size::Symbol{0} - 1;

class Lowerer {
 public:
  Lowerer(const typed::Program& program, const SourceMap& sources, graph::Module& module,
          const RecursiveMethods& recursive);

  // entry.cpp: the graph function of an entry point.
  void lower_entry(BindingId entry);

  Emitter& emit() { return *emitter_; }
  const typed::Program& program() const { return program_; }

  // --- errors and places (place.cpp)
  [[noreturn]] void fail(Span span, std::string code, std::string message, std::string label = "");
  [[noreturn]] void not_supported(Span span, const std::string& what);
  LocId loc_of(Span span);
  void at(Span span) { emit().set_loc(loc_of(span)); }
  CheckId new_check(Span span, std::string message);
  // The reduction that is made next is one whose neutral value and operator the program states.
  void state_laws() { stated_laws_.push_back(emit().loc()); }
  const std::vector<LocId>& stated_laws() const { return stated_laws_; }
  const Context& context() const { return context_; }
  void set_context(Context context) { context_ = std::move(context); }

  // --- names and lazy values (environment.cpp)
  Env* new_env(Env* parent);
  Lazy* new_lazy(std::function<ValueRef(Lowerer&)> compute, bool force, Span span,
                 std::string name = "");
  Lazy* ready(ValueRef value);
  ValueRef demand(Lazy* lazy);
  std::pair<const Env::Slot*, Env*> find(BindingId binding, Env* env);

  // --- types and sizes (types.cpp)
  TypeRef resolve(const TypeRef& type, Env* env);
  ElementType scalar_type(const TypeRef& type, Env* env, Span span);
  std::optional<Size> find_size(SizeVarId variable, Env* env);
  std::optional<Size> size_in(const Size& size, Env* env);
  LayoutRef layout_of_type(const TypeRef& type, Env* env, Span span);
  void bind_opened(ast::ExprId expr, const ValueRef& value, Env* env);
  std::optional<Size> match_size(const TypeRef& type, const ValueRef& value, SizeVarId variable,
                                 Env* env);

  // --- expressions (expr.cpp, apply.cpp)
  ValueRef eval(ast::ExprId expr, Env* env);
  Lazy* argument(ast::ExprId expr, Env* env, bool force);
  ValueRef apply(const ValueRef& fn, std::vector<Lazy*> args, Span span);
  void at_call(Span span);
  ValueRef call(const ValueRef& fn, const std::vector<ValueRef>& args, Span span);
  ValueRef variable(BindingId binding, const typed::Use* use, Env* env, Span span);
  ValueRef choose(ValueId index, const std::vector<ValueRef>& elements, Span span);
  ValueRef construct(DataId data, std::uint32_t constructor, std::vector<ValueRef> fields);
  ValueRef native(std::size_t arity, Native body, Origin origin = {});
  Origin from_expr(ast::ExprId expr, Env* env);
  Origin from_binding(BindingId binding, std::vector<TypeRef> types, Env* home, Span span);
  ValueRef boolean(ValueId id) { return make_value(ScalarValue{id}); }
  ValueRef scalar_value(ValueId id) { return make_value(ScalarValue{id}); }
  ValueId as_scalar(const ValueRef& value, Span span);
  ValueRef read_index(const ArrayValue& array, const std::vector<ValueId>& index, Span span);

  // --- declarations, patterns, alternatives (pattern.cpp, clauses.cpp)
  void declare(const std::vector<ast::DeclId>& decls, Env* env);
  Match match(ast::PatternId pattern, const ValueRef& value, Env* env);
  Match match_literal(ast::PatternId pattern, const ast::LiteralPattern& literal,
                      const ValueRef& value, Env* env);
  Match match_constructor(ast::PatternId pattern, const ValueRef& value, Env* env);
  void bind_pattern(ast::PatternId pattern, Lazy* value, Env* env);  // cannot fail
  void bind_matching(ast::PatternId pattern, Lazy* value, Env* env);
  Match match_list(const std::vector<ast::PatternId>& parts, const ArrayValue& array, Env* env,
                   Span span);
  bool irrefutable(ast::PatternId pattern) const;
  // The clauses of a function on its arguments.
  ValueRef run_clauses(const std::vector<ast::Clause>& clauses, const std::vector<Lazy*>& args,
                       Env* env, Span span, const Tail* tail = nullptr);
  using Rest = std::function<ValueRef()>;
  ValueRef eval_rhs(const ast::Rhs& rhs, Env* env, const Rest& rest, const Tail* tail = nullptr);
  ValueRef eval_guarded(const std::vector<ast::Guarded>& alternatives, std::size_t from, Env* env,
                        const Rest& rest, const Tail* tail = nullptr);
  ValueRef eval_case(const std::vector<ast::Alternative>& alternatives, const ValueRef& scrutinee,
                     Env* env, Span span, const Tail* tail = nullptr);
  Match test_qualifiers(const std::vector<ast::Qualifier>& qualifiers, std::size_t from, Env* env);
  ValueRef no_alternative(Span span);

  // --- classes (instance.cpp, number.cpp); types are resolved
  struct FoundInstance {
    const typed::InstanceInfo* info = nullptr;
    std::vector<TypeRef> types;  // for its variables
    std::vector<Size> sizes;
  };
  // The instance that the program writes for the type; none: it is built in or derived.
  std::optional<FoundInstance> written_instance(ClassId of, const TypeRef& type) const;
  // A scalar type whose instance is built in.
  std::optional<ElementType> builtin_scalar(ClassId of, const TypeRef& type) const;
  // Whether no written instance is met down to the scalars (of Eq and Ord).
  bool compares_by_structure(ClassId of, const TypeRef& type);
  ValueRef method(BindingId method, const std::vector<TypeRef>& types, const typed::Use* use,
                  Env* env, Span span);
  ValueRef method_named(ClassId of, const char* name, const std::vector<TypeRef>& types, Span span);
  ValueRef builtin_value(BindingId binding, const std::vector<TypeRef>& types,
                         const typed::Use* use, Env* env, Span span);
  std::vector<std::vector<TypeRef>> field_types(const typed::DataType& data);
  // `fromInteger` of an i64, `toInteger`, `fromRational` of an f64, at any type.
  ValueRef from_integer(const TypeRef& type, ValueId value, Span span);
  ValueId to_integer(const TypeRef& type, const ValueRef& value, Span span);
  ValueRef from_rational(const TypeRef& type, ValueId value, Span span);
  ValueRef literal(const TypeRef& type, const ast::IntegerLiteral& literal, bool negative,
                   Span span);
  ValueRef literal(const TypeRef& type, const ast::FloatLiteral& literal, bool negative, Span span);

  // --- structure (structure.cpp)
  // All arrays stored whole.
  ValueRef settle(const ValueRef& value, Span span, Functions functions = Functions::Refuse);
  ValueRef force(const ValueRef& value, Span span);  // computed arrays stored, views stay
  LayoutRef layout_of(const ValueRef& settled, Span span, Functions functions = Functions::Refuse);
  LayoutRef join_layouts(const LayoutRef& a, const LayoutRef& b, Span span);
  // Stored arrays and known constructors in the most general form (for loop states).
  LayoutRef generalise(const LayoutRef& layout);
  std::vector<ValueId> elements_as(const ArrayValue& array, const LayoutRef& element, Span span);
  void flatten(const ValueRef& settled, const LayoutRef& layout, std::vector<ValueId>& leaves,
               Span span);
  std::vector<graph::Type> leaf_types(const LayoutRef& layout);
  void leaf_names(const LayoutRef& layout, const std::string& prefix,
                  std::vector<std::string>& names);
  ValueRef rebuild(const LayoutRef& layout, const std::vector<ValueId>& leaves);
  ValueRef rebuild_at(const LayoutRef& layout, const std::vector<ValueId>& leaves,
                      std::size_t& next, const std::vector<ValueId>& prefix);
  void name_value(const ValueRef& value, const std::string& name);

  // --- arrays (array.cpp)
  ArrayValue as_array(const ValueRef& value, Span span);
  ArrayValue stored_array(Size extent, LayoutRef element, std::vector<ValueId> leaves,
                          std::vector<ValueId> prefix = {});
  ArrayValue pull(Size extent, std::function<ValueRef(Lowerer&, ValueId)> element, bool view);
  ArrayValue tabulate(const ArrayValue& array, Span span);        // stored whole
  ArrayValue stored_or_view(const ArrayValue& array, Span span);  // not computed on each read
  ArrayValue guarded(const ArrayValue& array, Requirement requirement);
  Requirement require(ValueId condition, std::vector<ValueId> values, Span span,
                      std::string message);
  ValueRef checked(const ValueRef& value, const Requirement& requirement);
  std::vector<Size> shape_of(const ArrayValue& array, std::size_t rank, Span span);
  bool element_is_costly(const ArrayValue& array, Span span);
  ArrayValue worthwhile(const ArrayValue& array,
                        Span span);  // forced when elements are costly and we are outside
  ValueId fulfil(ValueId value, const std::vector<Requirement>& requirements);
  ValueRef flatten_rows(const ArrayValue& array, Span span);
  // The message shows the sizes as {0} and {1}.
  Requirement same_size(
      const Size& a, const Size& b, Span span,
      const std::string& message = "arrays of different sizes {0} and {1} are taken together");
  // An extent that must not be negative.
  std::pair<Size, std::vector<Requirement>> extent_of(ValueId count, Span span,
                                                      const std::string& what);

  // --- reductions (reduction.cpp)
  ValueRef reduce(const ArrayValue& array, const ValueRef& op, const ValueRef& neutral, Span span);
  ValueRef scan(const ArrayValue& array, const ValueRef& op, const ValueRef& neutral,
                bool exclusive, Span span);
  ValueRef reduce_by_key(const ValueRef& op, const ValueRef& neutral, const Size& keys,
                         const ArrayValue& key, const ArrayValue& array, Span span);
  ValueRef scatter(const ArrayValue& into, const ArrayValue& indices, const ArrayValue& values,
                   const ValueRef& op, Span span);
  ValueRef filter(const ArrayValue& array, const std::function<ValueId(const ValueRef&)>& keep,
                  Span span);
  struct Operator {
    std::vector<graph::Component> components;
    std::optional<RegionId> region;
  };
  struct Terms {
    std::vector<Size> rows;  // extents of the elements when they are rows
    RegionId region;
    ValueId index;
    std::vector<ValueId> point;  // indices of the rows
    LayoutRef layout;            // of what stands at a point
    std::vector<ValueId> leaves;
  };
  Operator make_operator(const ValueRef& op, const LayoutRef& layout, const std::vector<Size>& rows,
                         Span span);
  Terms terms_of(const ArrayValue& array, bool index_first, const LayoutRef& neutral, Span span);
  ValueRef reduced(const Terms& terms, std::vector<Size> leading,
                   const std::vector<ValueId>& leaves);
  std::vector<graph::Type> reduced_types(const Terms& terms, const std::vector<Size>& leading);
  LayoutRef neutral_layout(const ValueRef& neutral, Span span);
  ValueRef wrap_rows(const ValueRef& scalars, const std::vector<Size>& extents,
                     const std::vector<ValueId>& point, std::size_t level);
  std::vector<ValueId> neutral_leaves(const ValueRef& neutral, const LayoutRef& layout,
                                      std::size_t rows, Span span);
  ValueRef row_element(ValueRef value, const std::vector<ValueId>& point, Span span);

  // --- order (order.cpp)
  // The stable order of a stored array, as indices.
  ArrayValue order_of(const ArrayValue& keys, bool descending, Span span);
  ArrayValue order_by(const ArrayValue& order, const std::vector<ArrayValue>& keys, bool descending,
                      Span span);
  ArrayValue order_by_columns(const ArrayValue& order, ValueId leaf, bool descending, Span span);

  // --- comprehensions (draws.cpp, comprehension.cpp)
  Draws draws_of(const std::vector<ast::Qualifier>& qualifiers, Env* env, Span span);
  Draws first_draws(const ast::Generator& generator, bool read_again, Env* env);
  Draws product_draws(const Draws& before, const ast::Generator& generator, Env* env);
  Draws dependent_draws(const Draws& before, const ast::Generator& generator, Env* env);
  Draws kept_draws(const Draws& before, const ast::Generator* generator,
                   const std::vector<ast::Qualifier>& rest, Env* env, Span span);
  Drawn draw_element(const ast::Generator& generator, const ArrayValue& source, ValueId index,
                     Env* outer);

  // --- control (control.cpp)
  void coerce(const LayoutRef& to, std::vector<ValueId>& leaves, Span span);
  ValueRef branch(ValueId condition, const Rest& then_side, const Rest& else_side, Span span);
  ValueId both(ValueId condition, const std::function<ValueId()>& rest, bool conjunction);
  ValueId both_known(ValueId condition, const std::function<ValueId()>& rest, bool conjunction);
  // `type` of the state, resolved; null: as the first state is.
  ValueRef loop(ValueId count, const ValueRef& initial,
                const std::function<ValueRef(ValueId, const ValueRef&)>& step, Span span,
                const TypeRef& type = nullptr);
  ValueRef until(const ValueRef& done, const ValueRef& step, const ValueRef& initial, Span span,
                 const TypeRef& type = nullptr);
  ValueRef scan_states(const ArrayValue& array, const ValueRef& step, const ValueRef& initial,
                       Span span, const TypeRef& type = nullptr);
  std::vector<ValueId> state_leaves(const ValueRef& value, const LayoutRef& layout, Span span);
  LayoutRef state_layout(const ValueRef& settled, Span span);

  // --- order by a written instance (sort_by.cpp)
  ValueRef prelude_function(const char* name, std::vector<TypeRef> types, Span span);
  DataId ordering_data(Span span);
  ArrayValue order_by_instance(const ArrayValue& keys, const TypeRef& type, Span span);

  // --- states of loops (state.cpp)
  struct StateForm {
    TypeRef type;
    LayoutRef layout;
    std::vector<Size> declared;  // sizes of the type that change, and what each is in `layout`
    std::vector<Size> extents;
  };
  using ChangeExtent = std::function<Size(const Size& declared, const Size& extent)>;
  // The layout with other extents where the type has a size that changes, and with the fields of
  // all constructors where any is possible.
  LayoutRef with_extents(const LayoutRef& layout, const TypeRef& type, const ChangeExtent& change,
                         Span span);
  StateForm state_form(const ValueRef& start, const TypeRef& type, Span span);
  StateForm at_extents(const StateForm& form, std::vector<Size> extents, Span span);
  ValueRef state_params(const StateForm& form, Span span);
  std::vector<ValueId> state_values(const ValueRef& state, const StateForm& form, Span span);
  std::pair<ValueRef, std::vector<ValueId>> state_results(const StateForm& form, Span span);

  // --- comparison (comparison.cpp)
  // At a resolved type.
  ValueId equal(const ValueRef& a, const ValueRef& b, const TypeRef& type, Span span);
  // -1, 0, 1 as i64; total on floats.
  ValueId compare(const ValueRef& a, const ValueRef& b, const TypeRef& type, Span span);
  ValueId compare_arrays(const ArrayValue& a, const ArrayValue& b, const TypeRef& row, Span span);
  ValueRef ordering(ValueId sign, DataId data);
  ValueId tag_of(const DataValue& data);
  ValueId has_constructor(const DataValue& data, std::size_t constructor);
  // Lt, Le, Gt, Ge
  ValueId less(ScalarFn fn, const ValueRef& a, const ValueRef& b, const TypeRef& type, Span span);

  // --- functions in values (function_choice.cpp, identity.cpp)
  bool holds_function(const ValueRef& value) const;
  bool holds_function(const TypeRef& type) const;
  [[noreturn]] void function_at_run_time(const ValueRef& value, Span span,
                                         const ValueRef& instead_of = nullptr);
  std::string key_of(const ValueRef& function);

  // --- recursion (recursion.cpp, capture.cpp, tail_loop.cpp)
  ValueRef eval_tail(ast::ExprId expr, Env* env, const Tail* tail);
  // Values, sizes and types of enclosing graph functions in the current one.
  ValueRef imported(Lazy* lazy);
  std::optional<Size> imported(const Size& size, FunctionId from);
  TypeRef imported(const TypeRef& type, FunctionId from);

  ValueId zero(const graph::Type& type);
  ValueRef shaped(const FailureValue& failure, Span span);
  // The value itself; a failure takes the shape of its type.
  ValueRef concrete(const ValueRef& value, Span span);
  ValueRef failing_value(const LayoutRef& layout, ValueId ok, const std::vector<ValueId>& values,
                         CheckId check);
  TypeRef expr_type(ast::ExprId expr) const { return program_.expr_types[expr]; }
  const ast::Arena& arena() const { return program_.ast->arena; }

 private:
  RecursiveType recursive_type(BindingId binding, std::size_t arity,
                               const std::vector<TypeRef>& types) const;
  static bool holds_arrow(const TypeRef& type);
  ValueRef add_call(Instance& instance, Env* env, std::map<Size::Symbol, Size>& symbols,
                    std::vector<ValueId> operands, Span span);
  void check_growth(const Instance& instance, Span span);
  std::string types_text(const std::vector<TypeRef>& types) const;
  void outside(const std::function<void()>& work);
  std::optional<ValueId> import_symbol(FunctionId owner, ValueId symbol);
  LocalValue localise(const LayoutRef& layout, const std::vector<std::optional<Size>>& sizes,
                      const std::string& name);
  void pass_local(const LocalValue& local, const ValueRef& value,
                  std::map<Size::Symbol, Size>& sizes, std::vector<ValueId>& operands, Span span);
  void pass_captures(Instance& callee, std::size_t first, std::size_t end,
                     std::map<Size::Symbol, Size>& sizes, std::vector<ValueId>& operands,
                     Span span);
  const Capture& add_capture(Instance& taker, const Instance& callee, std::size_t k,
                             const std::map<Size::Symbol, Size>& sizes);
  void connect_calls();
  const TailCalls* tail_calls(BindingId id, ast::DeclId decl);
  void reached_from(BindingId from, std::set<BindingId>& reached);
  std::vector<ast::ExprId> uses_within(Span span);
  std::uint32_t scope_of(ast::ExprId expr, Env* env);
  std::string types_in(Env* env);
  std::string key_of(Lazy* lazy);
  void write_layout_key(const LayoutRef& layout, std::string& key);
  static TypeRef change_sizes(const TypeRef& type, const std::function<Size(const Size&)>& change);
  static bool is_known(const Size& size);
  LayoutRef complete(const LayoutRef& layout, const TypeRef& type, Env* env, Span span);
  ValueRef zero_value(const LayoutRef& layout);
  ValueRef tail_value(const Tail& tail, const ValueRef& value);
  ValueRef tail_call(const Tail& tail, const std::vector<Lazy*>& args, Span span);
  std::optional<ValueRef> tail_operator(const ast::Binary& node, Env* env, const Tail* tail,
                                        Span span);
  ValueRef tail_application(ast::ExprId expr, std::vector<ast::ExprId> args, Env* env,
                            const Tail* tail, Span span);
  bool calls_itself(ast::ExprId expr, const Tail* tail) const;
  std::string param_name(const ast::FunctionDecl& function, std::size_t i) const;
  friend class DepthGuard;
  struct JoinedSize {
    ValueId result;
    Size first, second;
  };

  std::optional<Size> size_in_frame(SizeVarId variable, Env* frame);
  std::optional<Size> changing_size(const Size& size) const;
  std::optional<Size> solve(const Size& declared, const Size& actual, SizeVarId variable, Env* env);
  bool mentions(const TypeRef& type, SizeVarId variable) const;
  ValueRef eval_node(ast::ExprId expr, Env* env);
  ValueRef eval_literal(ast::ExprId expr, Env* env);
  ValueRef eval_negate(const ast::Negate& node, ast::ExprId expr, Env* env);
  ValueRef right_section(const ast::RightSection& node, ast::ExprId expr, Env* env);
  ValueRef lambda_case(const ast::LambdaCase& node, ast::ExprId expr, Env* env);
  ValueRef eval_variable(ast::ExprId expr, Env* env);
  Lazy* global_part(BindingId id, Span span);
  ValueRef eval_application(ast::ExprId expr, Env* env);
  ValueRef eval_binary(ast::ExprId expr, Env* env);
  std::optional<ValueRef> eval_long_chain(ast::ExprId expr, Env* env);
  ValueId chain_of_conditions(const std::vector<ast::ExprId>& terms, bool conjunction, Env* env);
  ValueRef chain_of_functions(const std::vector<ast::ExprId>& functions, Env* env, Span span);
  ValueRef joined_in_halves(const ValueRef& join, const std::vector<ast::ExprId>& parts,
                            std::size_t from, std::size_t to, Env* env, Span span);
  ValueRef chain_from_inside(const std::vector<ast::ExprId>& nodes, bool applies, ast::ExprId last,
                             Env* env);
  ValueRef eval_record_construct(const ast::RecordConstruct& node, ast::ExprId expr, Env* env);
  ValueRef eval_record_update(const ast::RecordUpdate& node, ast::ExprId expr, Env* env);
  ValueRef eval_array_literal(const ast::ArrayLiteral& node, ast::ExprId expr, Env* env);
  ValueRef eval_range(const ast::Range& node, ast::ExprId expr, Env* env);
  ValueId range_number(const ValueRef& value, Span span);
  ValueRef range_element(ValueId number, const ValueRef& like);
  std::int64_t last_number(const ValueRef& like, bool greatest, Span span);
  ValueRef eval_comprehension(const ast::Comprehension& node, ast::ExprId expr, Env* env);
  ArrayValue generator_source(const ast::Generator& generator, Env* env);
  bool is_grid(const ast::Comprehension& node, ast::ExprId expr) const;
  ValueRef generator_grid(const ast::Comprehension& node,
                          const std::vector<ast::Qualifier>& qualifiers, std::size_t from, Env* env,
                          Span span);
  ValueRef lambda(const ast::Lambda& node, ast::ExprId expr, Env* env);
  ValueRef function_value(BindingId binding, ast::DeclId decl, const typed::Use* use, Env* home,
                          Env* use_env, Span span);
  // A declared function at an instance of its type.
  struct FunctionAt {
    BindingId binding;
    ast::DeclId decl;
    std::vector<TypeRef> types;  // for the type variables of its scheme
    std::vector<Size> sizes;     // for the size variables of its scheme, over those of use_env
    std::vector<std::pair<SizeVarId, Size>> known;  // sizes that are found already
    Env* home = nullptr;                            // where it is declared; none: at top level
    Env* use_env = nullptr;
    bool is_method = false;
    FunctionId from;  // whose values `types` and `known` mention
    Span span;        // where it is named
    // Finds types and sizes again, once the arguments have told sizes that were unknown.
    std::function<void(FunctionAt&)> refresh;
  };
  ValueRef function_at(FunctionAt function);
  void import_sizes(Instance& instance, const std::vector<LayoutRef>& held, const Env* env,
                    Env* home, Span span);
  void lower_instance(Instance& instance, const FunctionAt& use, const std::vector<LayoutRef>& held,
                      Span span);
  Instance& instance_of(const FunctionAt& use, const RecursiveType& type,
                        const std::vector<LayoutRef>& held, Span span);
  ValueRef call_recursive(const FunctionAt& use, const RecursiveType& type,
                          const std::vector<Lazy*>& args, Span span);
  ValueRef tail_loop(const FunctionAt& use, const RecursiveType& type,
                     const std::vector<Lazy*>& args, Span span);
  ValueRef run_at(FunctionAt function, const std::vector<Lazy*>& args);
  const MethodCall* enter_method(const FunctionAt& function, bool& recursive, Span span);
  FunctionAt instance_method(BindingId method, const FoundInstance& found,
                             const std::vector<TypeRef>& types, const typed::Use* use);
  ValueRef run_function(BindingId binding, ast::DeclId decl, const std::vector<Lazy*>& args,
                        Env* home, const std::vector<Size>& use_sizes, Env* use_env,
                        const Tail* tail = nullptr);
  ValueRef recursive_value(FunctionAt function, std::size_t arity);
  void move_here(FunctionAt& function);
  ValueRef select_field(DataId data, const std::string& name, const ValueRef& value, Span span);
  ValueRef check_constructors(const DataValue& data, const std::vector<std::size_t>& with,
                              const std::string& field, ValueRef value, Span span);
  std::string wrong_constructor(const typed::DataInfo& info, std::size_t constructor,
                                const std::string& field) const;
  ast::ExprId strip(ast::ExprId expr) const;
  bool is_prelude(BindingId binding, const char* name) const;
  bool is_builtin_of_prelude(BindingId binding, const char* name) const;
  std::optional<std::vector<ValueId>> promote_reduce(RegionId region,
                                                     const std::vector<Size>& space,
                                                     const std::vector<ValueId>& yields);
  bool is_cheap(RegionId region, bool choices = false);
  ValueRef branch_functions(ValueId condition, const Rest& then_side, const Rest& else_side,
                            Span span);
  ValueRef choose_parts(Lazy* condition, const ValueRef& a, const ValueRef& b, Span span);
  ValueRef choose_data(Lazy* condition, const DataValue& a, const DataValue& b, Span span);
  ValueRef branch_values(ValueId condition, const ValueRef& then_value, Frame then_frame,
                         const ValueRef& else_value, Frame else_frame, Span span);

  const typed::Program& program_;
  const SourceMap& sources_;
  graph::Module& module_;
  std::unique_ptr<Emitter> emitter_;
  Context context_;
  int depth_ = 0;
  std::vector<JoinedSize>* joined_sizes_ = nullptr;
  std::vector<std::pair<SizeVarId, Env*>> sizes_in_progress_;
  std::vector<std::pair<SizeVarId, Size>> changing_sizes_;  // of the states of open loops

  std::deque<std::unique_ptr<Env>> envs_;
  std::deque<std::unique_ptr<Lazy>> lazies_;
  std::map<std::pair<Span, std::uint32_t>, LocId> locs_;
  std::vector<LocId> stated_laws_;
  std::unordered_map<SizeVarId, BindingId> size_bindings_;
  std::map<std::pair<BindingId, FunctionId>, Lazy*> globals_;
  const RecursiveMethods& recursive_methods_;
  std::vector<std::vector<const typed::InstanceInfo*>> written_;  // by class
  std::deque<MethodCall> method_calls_;
  std::map<std::pair<BindingId, std::string>, std::unique_ptr<Instance>> instances_;
  std::map<FunctionId, Instance*> instance_by_function_;
  std::vector<Activation> activations_;  // innermost last; `emitter_` is its function's
  std::vector<CallSite> call_sites_;
  std::uint32_t functions_ = 0;  // made so far that are not by name
  std::vector<ast::ExprId> uses_in_order_;
  std::map<ast::ExprId, std::vector<ast::ExprId>> names_in_;
  std::map<BindingId, std::optional<TailCalls>> tail_calls_;
};

}  // namespace dvm::lower
