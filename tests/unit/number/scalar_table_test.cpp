// The table of (element type x scalar function): for every combination of the values that hurt, the
// value that the language page states, and the same bits from the interpreter, the constant folder,
// and kernels for both instruction sets at array lengths that are all tail, all body and both.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>

#include "ir/graph/interpret.hpp"
#include "passes/runner.hpp"
#include "tests/unit/kernel/kernel_harness.hpp"
#include "tests/unit/number/scalar_reference.hpp"

namespace dvm::number_test {
namespace {

using enum graph::ScalarFn;
using graph::ScalarFn;

constexpr std::array all_types = {ElementType::Bool, ElementType::I8,  ElementType::I16,
                                  ElementType::I32,  ElementType::I64, ElementType::U8,
                                  ElementType::U16,  ElementType::U32, ElementType::U64,
                                  ElementType::F32,  ElementType::F64};
constexpr std::int64_t lengths[] = {1, 3, 7, 8, 16, 17, 33};

// One row of the table: functions of the same arguments, evaluated at the same points.
struct Entry {
  ScalarFn fn;
  ElementType result;
};
struct Row {
  std::vector<ElementType> params;
  std::vector<Entry> entries;
  std::vector<std::vector<Scalar>> points;
};

std::vector<std::vector<Scalar>> pairs(const std::vector<Scalar>& xs,
                                       const std::vector<Scalar>& ys) {
  std::vector<std::vector<Scalar>> points;
  for (const Scalar x : xs)
    for (const Scalar y : ys) points.push_back({x, y});
  return points;
}

Row unary(ElementType type) {
  Row row{{type}, {}, {}};
  for (const Scalar x : corner_values(type)) row.points.push_back({x});
  for (const ElementType to : all_types) {
    const bool number = to != ElementType::Bool;
    if (number && !(is_float(type) && is_integer(to)) &&
        !(type == ElementType::Bool && is_float(to)))
      row.entries.push_back({Convert, to});
    if (is_float(type) && is_integer(to))
      for (const ScalarFn fn : {Truncate, Floor, Ceiling, Round}) row.entries.push_back({fn, to});
  }
  if (type != ElementType::Bool)
    for (const ScalarFn fn : {Neg, Abs, Signum}) row.entries.push_back({fn, type});
  if (!is_float(type)) row.entries.push_back({Not, type});
  if (is_integer(type))
    for (const ScalarFn fn : {PopCount, CountLeadingZeros, CountTrailingZeros})
      row.entries.push_back({fn, ElementType::I64});
  if (is_float(type)) {
    row.entries.push_back({Sqrt, type});
    for (const ScalarFn fn : {IsNan, IsInfinite}) row.entries.push_back({fn, ElementType::Bool});
  }
  return row;
}

Row binary(ElementType type) {
  Row row{{type, type}, {}, pairs(corner_values(type), corner_values(type))};
  for (const ScalarFn fn : {Eq, Ne, Lt, Le, Gt, Ge}) row.entries.push_back({fn, ElementType::Bool});
  if (type != ElementType::Bool)
    for (const ScalarFn fn : {Add, Sub, Mul, Min, Max}) row.entries.push_back({fn, type});
  if (is_float(type)) row.entries.push_back({Div, type});
  if (!is_float(type))
    for (const ScalarFn fn : {And, Or, Xor}) row.entries.push_back({fn, type});
  return row;
}

Row division(ElementType type) {
  return {{type, type},
          {{IntDiv, type}, {IntMod, type}, {IntQuot, type}, {IntRem, type}},
          pairs(corner_values(type), corner_values(type))};
}

Row shifts(ElementType type) {
  return {{type, ElementType::I64},
          {{Shl, type}, {Shr, type}, {RotateL, type}, {RotateR, type}},
          pairs(corner_values(type), corner_counts(type))};
}

Row fused(ElementType type) {
  Row row{{type, type, type}, {{Fma, type}}, {}};
  const std::vector<Scalar> values = corner_values(type);
  for (std::size_t i = 0; i < values.size(); i += 3)
    for (std::size_t j = 0; j < values.size(); j += 2)
      for (std::size_t k = 0; k < values.size(); k += 3)
        row.points.push_back({values[i], values[j], values[k]});
  return row;
}

// A row without the points at which one of its functions fails.
Row without_failures(Row row) {
  std::erase_if(row.points, [&](const std::vector<Scalar>& point) {
    for (const Entry& entry : row.entries)
      if (!reference(entry.fn, point, entry.result)) return true;
    return false;
  });
  return row;
}

std::string_view word(ElementType type) { return facts(type).name; }
bool fails(ScalarFn fn) { return graph::facts(fn).fails; }

std::string checks_text(const Row& row) {
  std::string text;
  for (std::size_t k = 0; k < row.entries.size(); ++k)
    if (fails(row.entries[k].fn)) text += fmt::format("  {}: \"fails\"\n", k);
  return text.empty() ? "" : "checks {\n" + text + "}\n";
}

std::string application(const Row& row, std::size_t k, const std::string& result,
                        const std::string& point) {
  std::string text = fmt::format("  %{}: {} = {}", result, word(row.entries[k].result),
                                 graph::facts(row.entries[k].fn).mnemonic);
  for (std::size_t p = 0; p < row.params.size(); ++p)
    text += fmt::format("{} %x{}{}", p == 0 ? "" : ",", p, point);
  if (fails(row.entries[k].fn)) text += fmt::format(" check {}", k);
  return text + "\n";
}

// All functions of the row over arrays of points.
std::string map_text(const Row& row) {
  std::string params = "%n: i64", results, types, body, yields;
  for (std::size_t p = 0; p < row.params.size(); ++p) {
    params += fmt::format(", %a{}: {}[n]", p, word(row.params[p]));
    body += fmt::format("  %x{}: {} = read %a{}[%i]\n", p, word(row.params[p]), p);
  }
  for (std::size_t k = 0; k < row.entries.size(); ++k) {
    const std::string_view comma = k == 0 ? "" : ", ";
    types += fmt::format("{}{}[n]", comma, word(row.entries[k].result));
    results += fmt::format("{}%r{}", comma, k);
    yields += fmt::format("{}%y{}", comma, k);
    body += application(row, k, fmt::format("y{}", k), "");
  }
  std::string definitions;
  for (std::size_t k = 0; k < row.entries.size(); ++k)
    definitions += fmt::format("{}%r{}: {}[n]", k == 0 ? "" : ", ", k, word(row.entries[k].result));
  return fmt::format(
      "{}graph @main({}) -> ({}) sizes 1 {{\n{} = map [n] {{ (%i: i64)\n{}  yield {}\n}}\nreturn "
      "{}\n}}\n",
      checks_text(row), params, types, definitions, body, yields, results);
}

// One function of the row applied to literals.
std::string constant_text(const Row& row, std::size_t k) {
  std::string types, body, results;
  for (std::size_t i = 0; i < row.points.size(); ++i) {
    for (std::size_t p = 0; p < row.params.size(); ++p)
      body += fmt::format("  %x{}_{}: {} = constant {}\n", p, i, word(row.params[p]),
                          to_text(row.points[i][p]));
    body += application(row, k, fmt::format("r{}", i), fmt::format("_{}", i));
    types += fmt::format("{}{}", i == 0 ? "" : ", ", word(row.entries[k].result));
    results += fmt::format("{}%r{}", i == 0 ? "" : ", ", i);
  }
  return fmt::format("{}graph @main() -> ({}) {{\n{}  return {}\n}}\n", checks_text(row), types,
                     body, results);
}

std::string described(const Row& row, std::size_t k, const std::vector<Scalar>& point) {
  std::string text = fmt::format("{} to {}:", graph::facts(row.entries[k].fn).mnemonic,
                                 word(row.entries[k].result));
  for (const Scalar value : point) text += fmt::format(" {} {}", word(value.type), to_text(value));
  return text;
}

std::vector<Tensor> arguments(const Row& row, std::size_t from, std::size_t count) {
  std::vector<Tensor> args{kernel_test::scalar_i64(static_cast<std::int64_t>(count))};
  for (std::size_t p = 0; p < row.params.size(); ++p) {
    Tensor tensor = *Tensor::make(row.params[p], {static_cast<std::int64_t>(count)});
    for (std::size_t i = 0; i < count; ++i)
      tensor.set(static_cast<std::int64_t>(i), row.points[from + i][p]);
    args.push_back(tensor);
  }
  return args;
}

// Whether the results at points `from`, … are what the page says; reports the first that is not.
void expect(const Row& row, std::size_t from, const std::vector<Tensor>& results,
            const std::string& way) {
  REQUIRE(results.size() == row.entries.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (std::int64_t i = 0; i < results[k].count(); ++i) {
      const auto& point = row.points[from + static_cast<std::size_t>(i)];
      const auto want = reference(row.entries[k].fn, point, row.entries[k].result);
      const Scalar got = results[k].at(i);
      if (want && *want == got) continue;
      FAIL_CHECK(way << ", " << described(row, k, point) << " gives " << to_text(got) << ", not "
                     << (want ? to_text(*want) : "a failure"));
      break;
    }
  }
}

void check_interpreter_and_kernels(const Row& row) {
  if (row.points.empty()) return;
  const graph::Module module = kernel_test::parse_module(map_text(row));
  for (const char* cpu : {"native", "x86-64-v3"}) {
    kernel_test::Compiled compiled(module, cpu);
    graph::InterpretOptions options;
    options.isa = compiled.isa();
    const auto interpreted = graph::interpret(module, graph::FunctionId{0},
                                              arguments(row, 0, row.points.size()), options);
    REQUIRE(interpreted.ok());
    expect(row, 0, *interpreted, "interpreter");
    for (const std::int64_t length : lengths) {
      for (std::size_t from = 0; from < row.points.size();
           from += static_cast<std::size_t>(length)) {
        const std::size_t count =
            std::min(static_cast<std::size_t>(length), row.points.size() - from);
        const auto outcome = compiled.run(arguments(row, from, count));
        REQUIRE(outcome.error.check == -1);
        expect(row, from, outcome.results, fmt::format("{}, length {}", cpu, count));
      }
    }
  }
}

// Literals are folded before the run, to the same value.
void check_folding(const Row& row) {
  for (std::size_t k = 0; k < row.entries.size(); ++k) {
    graph::Module module = kernel_test::parse_module(constant_text(row, k));
    REQUIRE(passes::run_pass("fix-rounding", module).ok());
    REQUIRE(passes::run_pass("simplify", module).ok());
    const graph::Function& function = module.functions[graph::FunctionId{0}];
    for (std::size_t i = 0; i < row.points.size(); ++i) {
      const graph::ValueId result = function.results()[i];
      const auto* folded =
          std::get_if<graph::Constant>(&function.nodes[function.values[result].node].op);
      const auto want = reference(row.entries[k].fn, row.points[i], row.entries[k].result);
      if (folded != nullptr && want && folded->value == *want) continue;
      FAIL_CHECK("folded, " << described(row, k, row.points[i]) << " is "
                            << (folded != nullptr ? to_text(folded->value) : "no literal")
                            << ", not " << (want ? to_text(*want) : "a failure"));
      break;
    }
  }
}

// Each function of the row at each point where it fails, in every place of a vector and a tail.
void check_failures(const Row& row) {
  for (const Entry& entry : row.entries) {
    if (!fails(entry.fn)) continue;
    Row one{row.params, {entry}, {}};
    std::vector<Scalar> good;
    for (const auto& point : row.points) {
      if (reference(entry.fn, point, entry.result))
        good = point;
      else
        one.points.push_back(point);
    }
    REQUIRE_FALSE(one.points.empty());
    const graph::Module module = kernel_test::parse_module(map_text(one));
    kernel_test::Compiled compiled(module);
    graph::InterpretOptions options;
    options.isa = compiled.isa();
    const std::size_t failing = one.points.size();
    for (std::size_t place = 0; place < 33; ++place) {
      Row array = one;
      array.points.assign(33, good);
      array.points[place] = one.points[place % failing];
      const auto args = arguments(array, 0, 33);
      const auto interpreted = graph::interpret(module, graph::FunctionId{0}, args, options);
      const auto outcome = compiled.run(args);
      CAPTURE(described(one, 0, array.points[place]));
      REQUIRE_FALSE(interpreted.ok());
      CHECK(interpreted.error().index == static_cast<std::int64_t>(place));
      CHECK(outcome.error.check == 0);
      CHECK(outcome.error.index == static_cast<std::int64_t>(place));
    }
  }
}

void check_row(const Row& row) {
  const Row defined = without_failures(row);
  check_interpreter_and_kernels(defined);
  check_folding(defined);
}

}  // namespace

// language 4: Integers wrap, …
// language 4: `div`/`mod` floor, `quot`/`rem` truncate
// language 4: Floats are IEEE 754 with infinities and signed zeros
// language 4: `truncate floor ceiling round` (ties to even) saturate, and NaN gives 0.
TEST_CASE("every scalar function of one argument, at every element type") {
  for (const ElementType type : all_types) {
    CAPTURE(word(type));
    check_row(unary(type));
  }
}

TEST_CASE("every scalar function of two arguments, at every element type") {
  for (const ElementType type : all_types) {
    CAPTURE(word(type));
    check_row(binary(type));
  }
}

TEST_CASE("division of integers: values, and failures by zero") {
  for (const ElementType type : all_types) {
    if (!is_integer(type)) continue;
    CAPTURE(word(type));
    check_row(division(type));
    check_failures(division(type));
  }
}

TEST_CASE("shifts and rotations around the width, and failures of negative shifts") {
  for (const ElementType type : all_types) {
    if (!is_integer(type)) continue;
    CAPTURE(word(type));
    check_row(shifts(type));
    check_failures(shifts(type));
  }
}

TEST_CASE("fused multiply-add rounds once") {
  check_row(fused(ElementType::F32));
  check_row(fused(ElementType::F64));
}

}  // namespace dvm::number_test
