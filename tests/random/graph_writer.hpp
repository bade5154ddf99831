// Writes one random function: a pool of what is in scope, from which everything new is made.
#pragma once

#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "ir/graph/builder.hpp"

namespace dvm::test {

// A function (k: i64, n: i64, x: f64, v: f64[n], w: i64[n]) -> (f64, f64[n]).
struct Callee {
  graph::FunctionId id;
};

class GraphWriter {
 public:
  // `budget`: nodes, more or less.
  GraphWriter(std::mt19937_64& random, graph::Module& module, const std::vector<Callee>& callees,
              int budget);

  graph::Function entry();
  // One that calls itself (`self`) while k is positive, or does not.
  graph::Function callee(graph::FunctionId self, bool recursive);

 private:
  using ValueId = graph::ValueId;
  using Type = graph::Type;
  using E = ElementType;

  struct Scope {
    std::size_t scalars, arrays, indices, extents;
  };
  // The components of a reduction, by themselves or with an operator in region 1.
  struct Combination {
    std::vector<graph::Component> components;
    std::vector<ValueId> neutrals;
    std::vector<E> elements;
  };

  // --- graph_scalars.cpp
  std::size_t draw(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool chance(int percent) { return draw(100) < static_cast<std::size_t>(percent); }
  template <class T, std::size_t count>
  T one_of(const T (&from)[count]) {
    return from[draw(count)];
  }
  const Type& type(ValueId value) { return builder_.type(value); }
  graph::CheckId check();
  Scope open() const;
  void close(const Scope& scope);
  E element();
  E number();
  ValueId keep(ValueId value);
  ValueId literal(E element);
  ValueId pick(E element);
  ValueId scalar(E element, int depth);
  ValueId emit(graph::ScalarFn fn, const std::vector<E>& operands, bool checked = false,
               std::optional<E> to = std::nullopt);
  ValueId operation(E element);
  ValueId float_operation(E element);
  ValueId integer_operation(E element);
  ValueId bool_operation();
  ValueId converted(E element);
  ValueId converted(ValueId value, E to);
  ValueId expression(E element, int depth);
  ValueId index(const Size& extent, bool& safe);
  ValueId free_index(const std::vector<ValueId>& indices);
  ValueId read(E element);
  ValueId guarded_read(E element);
  ValueId scalar_branch(E element, int depth);
  ValueId scalar_loop(E element, int depth);
  ValueId scalar_while(E element, int depth);

  // --- graph_arrays.cpp
  Size extent();
  std::vector<Size> space();
  void add_indices(const std::vector<Size>& extents);
  // A region over indices of these extents that yields what `yields` makes.
  template <class Yields>
  graph::RegionId body(const std::vector<Size>& extents, const Yields& yields) {
    const graph::RegionId region = builder_.open_region();
    const Scope scope = open();
    add_indices(extents);
    builder_.close_region(yields());
    close(scope);
    return region;
  }
  ValueId array_of(const Type& type, int depth);
  ValueId any_array();
  ValueId make_map(const Type& type, int depth);
  void statement(int depth);
  void map(int depth);
  Combination combination(bool one);
  std::vector<graph::RegionId> with_operator(graph::RegionId body, const Combination& combination);
  void combine(graph::Op op, const Combination& combination, graph::RegionId body,
               const std::vector<Size>& shape);
  std::vector<ValueId> terms(const Combination& combination, int depth);
  void reduce(int depth);
  ValueId nested_reduce(E element, int depth);
  void scan(int depth);
  void scatter(int depth);
  void by_key(int depth);
  void concat(int depth);
  void reshape(int depth);
  void sort(int depth);
  void filter(int depth);
  void keep_results(graph::NodeId node);

  // --- graph_control.cpp
  ValueId count();
  void array_loop(int depth);
  void array_while(int depth);
  void array_branch(int depth);
  void sized_branch(int depth);
  void array_check();
  void call(int depth);
  std::vector<Type> states();
  std::vector<ValueId> values_of(const std::vector<Type>& types, int depth);
  void keep_params(const std::vector<Type>& types);

  std::mt19937_64& random_;
  graph::Module& module_;
  const std::vector<Callee>& callees_;
  int budget_;
  graph::Function function_;
  graph::Builder builder_;
  ValueId n_, m_;
  std::vector<ValueId> scalars_, arrays_;
  std::vector<std::pair<ValueId, Size>> indices_;  // in range of a size
  std::vector<Size> extents_;                      // that are never negative
};

}  // namespace dvm::test
