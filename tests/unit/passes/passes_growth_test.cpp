// Passes and planning do work in proportion to the program: memory they ask for per node, counted
// at two sizes. Everything they do takes memory for what it makes, so a table of the whole function
// made for each node shows, and so does a body that is copied again and again. (Times are for
// bench/optimiser.)
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"
#include "ir/graph/text.hpp"
#include "passes/pass_table.hpp"
#include "passes/pipeline.hpp"
#include "passes/plan/graph_to_tasks.hpp"

namespace {

// Bytes taken, with a block's own cost.
std::size_t work = 0;

void* counted(std::size_t size) {
  work += size + 32;
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }

namespace {

using namespace dvm;

// A graph of repeated lines: `#` stands for the count, `$` for the one after it, `~` for the one
// before.
struct Shape {
  std::string_view name;
  std::string_view before, unit, after;
  std::size_t nodes;  // of a unit
};

constexpr std::string_view main_head =
    "graph @main(%n: i64, %x0: f64[n], %a: f64, %k: i64) -> (f64[n]) sizes 1 {\n";
constexpr std::string_view scalar_head =
    "graph @main(%n: i64, %xs: f64[n], %x0: f64, %k: i64) -> (f64) sizes 1 {\n";

const Shape shapes[] = {
    {"chain of maps", main_head,
     "%x$: f64[n] = map [n] { (%i#: i64)\n%e#: f64 = read %x#[%i#]\n%c#: f64 = constant 1.5\n"
     "%r#: f64 = mul %e#, %c#\nyield %r#\n}\n",
     "return %x#\n}\n", 4},
    {"every array read twice", main_head,
     "%l#: f64[n] = map [n] { (%li#: i64)\n%le#: f64 = read %x#[%li#]\n%lr#: f64 = mul %le#, %a\n"
     "yield %lr#\n}\n"
     "%r#: f64[n] = map [n] { (%ri#: i64)\n%re#: f64 = read %x#[%ri#]\n%rr#: f64 = sqrt %re#\n"
     "yield %rr#\n}\n"
     "%x$: f64[n] = map [n] { (%i#: i64)\n%u#: f64 = read %l#[%i#]\n%v#: f64 = read %r#[%i#]\n"
     "%w#: f64 = add %u#, %v#\nyield %w#\n}\n",
     "return %x#\n}\n", 10},
    {"arrays read by the next two", main_head,
     "%p#: f64[n] = map [n] { (%i#: i64)\n%u#: f64 = read %x#[%i#]\n%q#: f64 = mul %u#, %a\n"
     "yield %q#\n}\n"
     "%x$: f64[n] = map [n] { (%j#: i64)\n%s#: f64 = read %x#[%j#]\n%t#: f64 = read %p#[%j#]\n"
     "%w#: f64 = add %s#, %t#\nyield %w#\n}\n",
     "return %x#\n}\n", 7},
    {"chain of stencils", main_head,
     "%x$: f64[n] = map [n] { (%i#: i64)\n%one#: i64 = constant 1\n%zero#: i64 = constant 0\n"
     "%lo#: i64 = sub %i#, %one#\n%l#: i64 = max %lo#, %zero#\n%hi#: i64 = add %i#, %one#\n"
     "%last#: i64 = sub %n, %one#\n%h#: i64 = min %hi#, %last#\n%u#: f64 = read %x#[%l#]\n"
     "%v#: f64 = read %x#[%h#]\n%p#: f64 = add %u#, %v#\nyield %p#\n}\n",
     "return %x#\n}\n", 11},
    {"sums of maps", scalar_head,
     "%m#: f64[n] = map [n] { (%i#: i64)\n%e#: f64 = read %xs[%i#]\n%p#: f64 = mul %e#, %x#\n"
     "yield %p#\n}\n%z#: f64 = constant 0.0\n"
     "%x$: f64 = reduce [] [n] lanes add (%z#) { (%j#: i64)\n%t#: f64 = read %m#[%j#]\n"
     "yield %t#\n}\n",
     "return %x#\n}\n", 6},
    {"the same sum again and again", scalar_head,
     "%z#: f64 = constant 0.0\n"
     "%s#: f64 = reduce [] [n] lanes add (%z#) { (%j#: i64)\n%t#: f64 = read %xs[%j#]\n"
     "%q#: f64 = mul %t#, %x0\nyield %q#\n}\n%x$: f64 = add %x#, %s#\n",
     "return %x#\n}\n", 5},
    {"nests of loops", scalar_head,
     "%x$: f64 = loop %k (%x#) { (%i#: i64, %s#: f64)\n"
     "%l#: f64 = loop %k (%s#) { (%j#: i64, %t#: f64)\n%z#: f64 = constant 0.0\n"
     "%r#: f64 = reduce [] [n] lanes add (%z#) { (%h#: i64)\n%e#: f64 = read %xs[%h#]\nyield %e#\n"
     "}\n%v#: f64 = mul %t#, %r#\nyield %v#\n}\nyield %l#\n}\n",
     "return %x#\n}\n", 6},
    {"choices", scalar_head,
     "%t#: bool = gt %x#, %x0\n%x$: f64 = branch %t# {\n%u#: f64 = exp %x#\nyield %u#\n} else {\n"
     "%v#: f64 = sin %x#\nyield %v#\n}\n",
     "return %x#\n}\n", 4},
    {"one long body",
     "graph @main(%n: i64, %xs: f64[n], %a: f64) -> (f64[n]) sizes 1 {\n"
     "%y: f64[n] = map [n] { (%j0: i64)\n%x0: f64 = read %xs[%j0]\n",
     "%c#: f64 = constant 1.5\n%w#: f64 = mul %x#, %c#\n%d#: i64 = constant 2\n"
     "%j$: i64 = add %j#, %d#\n%f#: f64 = convert %j$\n%x$: f64 = add %w#, %f#\n",
     "yield %x#\n}\nreturn %y\n}\n", 6},
    {"sums of clamped indices",
     "checks {\n  0: \"index {0} outside of {1}\"\n}\n"
     "graph @main(%n: i64, %xs: f64[n]) -> (f64[n]) sizes 1 {\n"
     "%y: f64[n] = map [n] { (%i: i64)\n%one: i64 = constant 1\n%s0: i64 = constant 0\n"
     "%last: i64 = sub %n, %one\n%x0: f64 = constant 0.0\n",
     "%p#: i64 = sub %i, %s#\n%q#: i64 = max %p#, %one\n%m#: i64 = min %q#, %last\n"
     "%s$: i64 = add %s#, %m#\n%e#: f64 = read %xs[%s$] check 0\n%x$: f64 = add %x#, %e#\n",
     "yield %x#\n}\nreturn %y\n}\n", 6},
    {"functions that call the one before",
     "graph @main(%a: f64) -> (f64) {\n%r: f64 = call @f0(%a)\nreturn %r\n}\n",
     "graph @f#(%x: f64) -> (f64) {\n%y: f64 = mul %x, %x\n%z: f64 = call @f$(%y)\nreturn %z\n}\n",
     "graph @f#(%x: f64) -> (f64) {\nreturn %x\n}\n", 2},
};

std::string text_of(const Shape& shape, std::size_t nodes) {
  std::size_t count = 0;
  std::string text(shape.before);
  const auto repeat = [&](std::string_view lines) {
    for (char c : lines) {
      if (c == '#')
        text += std::to_string(count);
      else if (c == '$')
        text += std::to_string(count + 1);
      else
        text += c;
    }
  };
  for (; count * shape.nodes < nodes; ++count) repeat(shape.unit);
  repeat(shape.after);
  return text;
}

// One loop whose states each need the next one, two nodes a state.
std::string many_states(std::size_t nodes) {
  std::string names, types, params, body, yields, rest, sum = "%a";
  const std::size_t count = nodes / 3;
  for (std::size_t s = 0; s < count; ++s) {
    const std::string_view comma = s == 0 ? "" : ", ";
    names += fmt::format("{}%l{}: f64", comma, s);
    types += fmt::format("{}%a", comma);
    params += fmt::format(", %s{}: f64", s);
    body += fmt::format("%m{0}: f64 = mul %s{0}, %s{1}\n%n{0}: f64 = add %m{0}, %a\n", s,
                        (s + 1) % count);
    yields += fmt::format("{}%n{}", comma, s);
    rest += fmt::format("%t{0}: f64 = add {1}, %l{0}\n", s, sum);
    sum = fmt::format("%t{}", s);
  }
  return fmt::format(
      "graph @main(%a: f64, %k: i64) -> (f64) {{\n{} = loop %k ({}) {{ (%i: i64{})\n{}yield {}\n"
      "}}\n{}return {}\n}}\n",
      names, types, params, body, yields, rest, sum);
}

// Work of each pass, repeated ones added up, and of planning; per node of the graph.
std::vector<std::pair<std::string, double>> work_per_node(std::string text, std::size_t nodes) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("shape.dvg", std::move(text));
  std::optional<graph::Module> module = graph::parse(sources, file, diagnostics);
  REQUIRE(module.has_value());
  std::vector<std::pair<std::string, double>> result;
  const auto note = [&](std::string_view name, std::size_t amount) {
    for (auto& [known, sum] : result) {
      if (known != name) continue;
      sum += static_cast<double>(amount) / static_cast<double>(nodes);
      return;
    }
    result.emplace_back(name, static_cast<double>(amount) / static_cast<double>(nodes));
  };
  for (std::string_view name : passes::default_pipeline) {
    const std::size_t before = work;
    passes::find_pass(name)->run(*module, nullptr);
    note(name, work - before);
  }
  const std::size_t before = work;
  const auto plan = passes::graph_to_tasks(
      *module, graph::FunctionId{0}, {}, {"generic", VectorIsa::Avx2, false}, nullptr, diagnostics);
  CHECK(plan.has_value());
  note("plan", work - before);
  return result;
}

}  // namespace

TEST_CASE("the work of each pass grows with the program, not with its square") {
  // Far enough apart that something quadratic is sixteen times as much per node.
  constexpr std::size_t small = 1000, large = 16000;
  const auto compare = [](std::string_view name, std::string small_text, std::string large_text) {
    CAPTURE(name);
    const auto few = work_per_node(std::move(small_text), small);
    const auto many = work_per_node(std::move(large_text), large);
    for (std::size_t k = 0; k < few.size(); ++k) {
      CAPTURE(few[k].first);
      CAPTURE(few[k].second);
      CAPTURE(many[k].second);
      CHECK(many[k].second < 1.5 * few[k].second + 100);
    }
  };
  for (const Shape& shape : shapes)
    compare(shape.name, text_of(shape, small), text_of(shape, large));
  compare("a loop with very many states", many_states(small), many_states(large));
}
