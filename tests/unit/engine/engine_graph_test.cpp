// From graph text to results: planned, compiled, packed, loaded and run, against the interpreter.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine_compile.hpp"
#include "ir/task/text.hpp"

using namespace dvm;
using namespace dvm::test;

TEST_CASE("two programs that are loaded at once each have their own code") {
  const auto map_with = [](const std::string& fn) {
    return compile(
        "graph @main(%n: i64, %xs: i64[n]) -> (i64[n]) sizes 1 {\n"
        "  %r: i64[n] = map [n] { (%i: i64)\n"
        "    %x: i64 = read %xs[%i]\n"
        "    %y: i64 = " +
        fn +
        " %x, %x\n"
        "    yield %y\n"
        "  }\n"
        "  return %r\n"
        "}\n");
  };
  const auto sums = map_with("add"), products = map_with("mul");
  const std::vector<Tensor> args = {scalar_of(std::int64_t{3}),
                                    vector_of(std::vector<std::int64_t>{1, 3, 5})};
  CHECK(check(products, args).results[0].at(2).as_i64() == 25);
  CHECK(check(sums, args).results[0].at(2).as_i64() == 10);
}

TEST_CASE("a stencil in a counted loop") {
  const Compiled program = compile(R"(
graph @main(%n: i64, %steps: i64, %xs: f64[n]) -> (f64[n]) sizes 1 {
  %last: i64 = size n - 1
  %y: f64[n] = loop %steps (%xs) {
    (%k: i64, %x: f64[n])
    %z: f64[n] = map [n] {
      (%i: i64)
      %zero: i64 = constant 0
      %one: i64 = constant 1
      %half: f64 = constant 0.25
      %l: i64 = sub %i, %one
      %lc: i64 = max %l, %zero
      %r: i64 = add %i, %one
      %rc: i64 = min %r, %last
      %a: f64 = read %x[%lc]
      %b: f64 = read %x[%rc]
      %c: f64 = read %x[%i]
      %s: f64 = add %a, %b
      %t: f64 = add %s, %c
      %u: f64 = mul %t, %half
      yield %u
    }
    yield %z
  }
  return %y
}
)");
  CHECK(task::print(program.loaded.program).find("{0 1 -1 1}") != std::string::npos);
  for (const std::int64_t n : {0, 1, 5, 20'000})
    for (const std::int64_t steps : {0, 1, 9}) {
      CAPTURE(n);
      CAPTURE(steps);
      check(program, {scalar_of(n), scalar_of(steps),
                      vector_of(random_values(static_cast<std::size_t>(n), 1))});
    }
}

TEST_CASE("filter, then sum") {
  const Compiled program = compile(R"(
graph @main(%n: i64, %xs: f64[n]) -> (i64, f64) sizes 1 {
  %k: i64, %kept: f64[k] = filter [n] {
    (%i: i64)
    %quarter: f64 = constant 0.25
    %x: f64 = read %xs[%i]
    %c: bool = gt %x, %quarter
    yield %c, %x
  }
  %zero: f64 = constant 0.0
  %s: f64 = reduce [] [k] unset add (%zero) {
    (%j: i64)
    %x.1: f64 = read %kept[%j]
    yield %x.1
  }
  return %k, %s
}
)");
  for (const std::int64_t n : {0, 1, 4096, 4097, 60'001}) {
    CAPTURE(n);
    const Outcome outcome =
        check(program, {scalar_of(n), vector_of(random_values(static_cast<std::size_t>(n), 2))});
    CHECK(mentions(outcome, "reduce_blocks") == (n > 50'000));
  }
}

TEST_CASE("parallel merge sort") {
  const Compiled program = compile(R"(
checks {
  0: "negative shift"
}
graph @main(%n: i64, %xs: f64[n]) -> (f64[n]) sizes 1 {
  %s: f64[n] = call @sort(%n, %xs)
  return %s
}
graph @sort(%n: i64, %xs: f64[n]) -> (f64[n]) sizes 1 {
  %limit: i64 = constant 700
  %small: bool = le %n, %limit
  %r: f64[n] = branch %small {
    %order: i64[n] = sort %xs
    %ys: f64[n] = map [n] {
      (%i: i64)
      %p: i64 = read %order[%i]
      %y: f64 = read %xs[%p]
      yield %y
    }
    yield %ys
  } else {
    %a: i64 = size n / 2
    %b: i64 = size n - n / 2
    %l: f64[n / 2] = map [n / 2] {
      (%i.1: i64)
      %y.1: f64 = read %xs[%i.1]
      yield %y.1
    }
    %h: f64[n - n / 2] = map [n - n / 2] {
      (%i.2: i64)
      %from: i64 = add %i.2, %a
      %y.2: f64 = read %xs[%from]
      yield %y.2
    }
    %ls: f64[n / 2] = call @sort(%a, %l)
    %hs: f64[n - n / 2] = call @sort(%b, %h)
    %zero: i64 = constant 0
    %one: i64 = constant 1
    %two: i64 = constant 2
    %back: bool = constant false
    %m: f64[n] = map [n] {
      (%i.3: i64)
      %ib: i64 = sub %i.3, %b
      %low: i64 = max %zero, %ib
      %high: i64 = min %i.3, %a
      %lo: i64, %hi: i64 = while (%low, %high) {
        (%u: i64, %v: i64)
        %go: bool = lt %u, %v
        yield %go
      } do {
        (%u.1: i64, %v.1: i64)
        %uv: i64 = add %u.1, %v.1
        %mid: i64 = shr %uv, %one check 0
        %le: f64 = read %ls[%mid]
        %rest: i64 = sub %i.3, %mid
        %before: i64 = sub %rest, %one
        %re: f64 = read %hs[%before]
        %lq: bool = le %le, %re
        %mid1: i64 = add %mid, %one
        %un: i64 = select %lq, %mid1, %u.1
        %vn: i64 = select %lq, %v.1, %mid
        yield %un, %vn
      }
      %right: i64 = sub %i.3, %lo
      %leftends: bool = ge %lo, %a
      %rightin: bool = lt %right, %b
      %useright: bool = branch %rightin {
        %ur: bool = branch %leftends {
          %yes: bool = constant true
          yield %yes
        } else {
          %lv: f64 = read %ls[%lo]
          %rv: f64 = read %hs[%right]
          %lt: bool = lt %rv, %lv
          yield %lt
        }
        yield %ur
      } else {
        yield %back
      }
      %e: f64 = branch %useright {
        %er: f64 = read %hs[%right]
        yield %er
      } else {
        %el: f64 = read %ls[%lo]
        yield %el
      }
      yield %e
    }
    yield %m
  }
  return %r
}
)");
  for (const std::int64_t n : {0, 1, 700, 701, 8'000}) {
    CAPTURE(n);
    std::vector<double> x = random_values(static_cast<std::size_t>(n), 9);
    const Outcome outcome = check(program, {scalar_of(n), vector_of(x)});
    std::sort(x.begin(), x.end());
    REQUIRE(outcome.results.size() == 1);
    CHECK(identical(outcome.results[0], vector_of(x)));
  }
}

TEST_CASE("conjugate gradients until the residual is small") {
  const Compiled program = compile(R"(
graph @main(%n: i64, %b: f64[n]) -> (f64[n], f64, i64) sizes 1 {
  %zero: f64 = constant 0.0
  %none: i64 = constant 0
  %one: i64 = constant 1
  %most: i64 = constant 8
  %small: f64 = constant 1e-20
  %last: i64 = size n - 1
  %x0: f64[n] = map [n] {
    (%i: i64)
    yield %zero
  }
  %rr0: f64 = reduce [] [n] unset add (%zero) {
    (%i.1: i64)
    %b.1: f64 = read %b[%i.1]
    %b2: f64 = mul %b.1, %b.1
    yield %b2
  }
  %x: f64[n], %r: f64[n], %p: f64[n], %rr: f64, %k: i64 = while (%x0, %b, %b, %rr0, %none) {
    (%cx: f64[n], %cr: f64[n], %cp: f64[n], %crr: f64, %ck: i64)
    %more: bool = lt %ck, %most
    %big: bool = gt %crr, %small
    %go: bool = and %more, %big
    yield %go
  } do {
    (%x.1: f64[n], %r.1: f64[n], %p.1: f64[n], %rr.1: f64, %k.1: i64)
    %ap: f64[n] = map [n] {
      (%i.2: i64)
      %four: f64 = constant 4.0
      %l: i64 = sub %i.2, %one
      %lc: i64 = max %l, %none
      %u: i64 = add %i.2, %one
      %uc: i64 = min %u, %last
      %pl: f64 = read %p.1[%lc]
      %pu: f64 = read %p.1[%uc]
      %pc: f64 = read %p.1[%i.2]
      %c4: f64 = mul %pc, %four
      %m1: f64 = sub %c4, %pl
      %m2: f64 = sub %m1, %pu
      yield %m2
    }
    %pap: f64 = reduce [] [n] unset add (%zero) {
      (%i.3: i64)
      %pv: f64 = read %p.1[%i.3]
      %av: f64 = read %ap[%i.3]
      %pa: f64 = mul %pv, %av
      yield %pa
    }
    %alpha: f64 = div %rr.1, %pap
    %x.2: f64[n] = map [n] {
      (%i.4: i64)
      %xv: f64 = read %x.1[%i.4]
      %pv.1: f64 = read %p.1[%i.4]
      %t: f64 = mul %alpha, %pv.1
      %s: f64 = add %xv, %t
      yield %s
    }
    %r.2: f64[n] = map [n] {
      (%i.5: i64)
      %rv: f64 = read %r.1[%i.5]
      %av.1: f64 = read %ap[%i.5]
      %t.1: f64 = mul %alpha, %av.1
      %s.1: f64 = sub %rv, %t.1
      yield %s.1
    }
    %rr.2: f64 = reduce [] [n] unset add (%zero) {
      (%i.6: i64)
      %rv.1: f64 = read %r.2[%i.6]
      %q: f64 = mul %rv.1, %rv.1
      yield %q
    }
    %beta: f64 = div %rr.2, %rr.1
    %p.2: f64[n] = map [n] {
      (%i.7: i64)
      %rv.2: f64 = read %r.2[%i.7]
      %pv.2: f64 = read %p.1[%i.7]
      %t.2: f64 = mul %beta, %pv.2
      %s.2: f64 = add %rv.2, %t.2
      yield %s.2
    }
    %k.2: i64 = add %k.1, %one
    yield %x.2, %r.2, %p.2, %rr.2, %k.2
  }
  return %x, %rr, %k
}
)");
  for (const std::int64_t n : {1, 50, 30'000}) {
    CAPTURE(n);
    check(program, {scalar_of(n), vector_of(random_values(static_cast<std::size_t>(n), 4))});
  }
}

TEST_CASE("a large destination of a scatter is shared by tasks; the last point wins") {
  const Compiled program = compile(R"(
graph @main(%n: i64, %k: i64, %xs: f64[n], %at: i64[k]) -> (f64[n]) sizes 2 {
  %y: f64[n] = scatter [k] [] replace (%xs) {
    (%i: i64)
    %j: i64 = read %at[%i]
    %v: f64 = convert %i
    yield %j, %v
  }
  return %y
}
)");
  constexpr std::int64_t count = 2'200'000, points = 300'000;
  std::vector<std::int64_t> places;
  for (std::int64_t k = 0; k < points; ++k)
    places.push_back(k * 7'919'111 % (count + 100) % 250'000 * 9 - 5);
  const Outcome outcome =
      check(program, {scalar_of(count), scalar_of(points),
                      vector_of(std::vector<double>(count, 0.5)), vector_of(places)});
  CHECK(mentions(outcome, "[1]"));
}
