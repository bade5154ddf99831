// What array operations store, read and compute, counted by hand for small graphs.
#include <doctest/doctest.h>

#include "ir/graph/text.hpp"
#include "passes/cost/traffic.hpp"

namespace dvm::passes {
namespace {

using namespace graph;

struct Counted {
  std::size_t passes = 0, rows = 0;  // operations that walk over memory; arrays inside kernels
  std::string runs, stored, row_bytes, read, operations;
};

// Sums as text, params by their names and everything else as `?`.
Counted count(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("test.dvg", text);
  const auto module = parse(sources, file, diagnostics);
  REQUIRE_MESSAGE(module.has_value(), render_text(diagnostics, sources));
  const Function& function = module->functions[FunctionId{0}];
  const Traffic all = traffic(function);
  Size runs, stored, row_bytes, read, operations;
  Counted counted;
  for (const Sweep& sweep : all.sweeps) {
    for (const Size& bytes : sweep.stored) {
      Size& sum = sweep.around.valid() ? row_bytes : stored;
      sum = sum + bytes;
    }
    if (sweep.around.valid()) {
      ++counted.rows;
      continue;
    }
    ++counted.passes;
    runs = runs + sweep.runs;
    for (const auto& [array, bytes] : sweep.read) read = read + bytes;
  }
  for (const auto& [loc, number] : all.operations) operations = operations + number;
  const auto text_of = [&](const Size& size) {
    return size.to_text([&](Size::Symbol symbol) -> std::string {
      if (symbol >= function.values.size()) return "?";
      const Value& value = function.values[ValueId{symbol}];
      return value.name.empty() ? "?" : value.name;
    });
  };
  counted.runs = text_of(runs);
  counted.stored = text_of(stored);
  counted.row_bytes = text_of(row_bytes);
  counted.read = text_of(read);
  counted.operations = text_of(operations);
  return counted;
}

TEST_CASE("a map and a fused product") {
  const Counted all = count(R"(
graph @main(%n: i64, %m: i64, %xs: f64[n, m], %a: f64) -> (f64[n, m], f64[n]) sizes 2 {
  %b: f64[n, m] = map [n, m] { (%i: i64, %j: i64)
    %x: f64 = read %xs[%i, %j]
    %same: f64 = mul %a, %a
    %y: f64 = exp %x
    %z: f64 = mul %y, %same
    yield %z
  }
  %zero: f64 = constant 0.0
  %s: f64[n] = reduce [n] [m] lanes add.fused (%zero) { (%p: i64, %q: i64)
    %u: f64 = read %xs[%p, %q]
    yield %u, %u
  }
  return %b, %s
}
)");
  CHECK(all.passes == 2);
  CHECK(all.runs == "2");
  CHECK(all.stored == "8 * n * m + 8 * n");
  CHECK(all.read == "16 * n * m");
  CHECK(all.operations == "4 * n * m");  // exp, mul; mul and add. `%same` is computed once
}

TEST_CASE("loops repeat, and the check of their count is looked through") {
  const Counted all = count(R"(
checks {
  0: "negative"
}
graph @main(%n: i64, %xs: f32[n], %steps: i64) -> (f32[n]) sizes 1 {
  %zero: i64 = constant 0
  %fine: bool = ge %steps, %zero
  %count: i64 = check %steps, %fine, %steps check 0
  %r: f32[n] = loop %count (%xs) { (%t: i64, %s: f32[n])
    %a: f32[n] = map [n] { (%i: i64)
      %x: f32 = read %s[%i]
      %y: f32 = neg %x
      yield %y
    }
    yield %a
  }
  return %r
}
)");
  CHECK(all.passes == 1);
  CHECK(all.runs == "steps");
  CHECK(all.stored == "4 * n * steps");
  CHECK(all.operations == "n * steps");
}

TEST_CASE("a while runs as often as nobody knows, and both sides of a branch count") {
  const Counted all = count(R"(
graph @main(%n: i64, %xs: f64[n], %c: bool) -> (f64[n]) sizes 1 {
  %zero: i64 = constant 0
  %r: f64[n], %left: i64 = while (%xs, %n) { (%s0: f64[n], %k0: i64)
    %more: bool = gt %k0, %zero
    yield %more
  } do { (%s: f64[n], %k: i64)
    %one: i64 = constant 1
    %next: i64 = sub %k, %one
    %a: f64[n] = branch %c {
      %b: f64[n] = map [n] { (%i: i64)
        %x: f64 = read %s[%i]
        %y: f64 = neg %x
        yield %y
      }
      yield %b
    } else {
      %d: f64[n] = map [n] { (%j: i64)
        %u: f64 = read %s[%j]
        %v: f64 = add %u, %u
        yield %v
      }
      yield %d
    }
    yield %a, %next
  }
  return %r
}
)");
  CHECK(all.runs == "2 * ?");
  CHECK(all.operations == "2 * n * ?");
}

TEST_CASE("inner lengths: a triangle counts as its square, segments as an unknown length") {
  const Counted triangle = count(R"(
graph @main(%n: i64, %xs: f64[n]) -> (f64[n]) sizes 1 {
  %r: f64[n] = map [n] { (%i: i64)
    %zero: f64 = constant 0.0
    %s: f64 = reduce [] [i] lanes add (%zero) { (%j: i64)
      %x: f64 = read %xs[%j]
      yield %x
    }
    yield %s
  }
  return %r
}
)");
  CHECK(triangle.operations == "n * n");
  const Counted segments = count(R"(
graph @main(%n: i64, %m: i64, %at: i64[n], %xs: f64[m]) -> (f64[n]) sizes 2 {
  %r: f64[n] = map [n] { (%i: i64)
    %zero: f64 = constant 0.0
    %k: i64 = read %at[%i]
    %s: f64 = reduce [] [m - k] lanes add (%zero) { (%j: i64)
      %l: i64 = add %k, %j
      %x: f64 = read %xs[%l]
      yield %x
    }
    yield %s
  }
  return %r
}
)");
  CHECK(segments.operations == "n * ?");
}

TEST_CASE("arrays inside kernels are rows, no passes; a reshape is nothing") {
  const Counted all = count(R"(
graph @main(%n: i64, %m: i64, %xs: f64[n, m]) -> (f64[n * m]) sizes 2 {
  %r: f64[n, m] = map [n] { (%i: i64)
    %row: f64[m] = map [m] { (%j: i64)
      %x: f64 = read %xs[%i, %j]
      %y: f64 = neg %x
      yield %y
    }
    yield %row
  }
  %flat: f64[n * m] = reshape %r
  return %flat
}
)");
  CHECK(all.passes == 1);
  CHECK(all.rows == 1);
  CHECK(all.stored == "8 * n * m");
  CHECK(all.row_bytes == "8 * n * m");
  CHECK(all.operations == "n * m");
}

}  // namespace
}  // namespace dvm::passes
