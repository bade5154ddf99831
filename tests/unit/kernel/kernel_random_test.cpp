// Random bodies: kernels and the interpreter must agree bit for bit, failures included.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "ir/graph/interpret.hpp"
#include "tests/unit/kernel/kernel_harness.hpp"

namespace dvm::kernel_test {
namespace {

using graph::ScalarFn;

const ElementType all_types[] = {ElementType::Bool, ElementType::I8,  ElementType::I16,
                                 ElementType::I32,  ElementType::I64, ElementType::U8,
                                 ElementType::U16,  ElementType::U32, ElementType::U64,
                                 ElementType::F32,  ElementType::F64};

class BodyWriter {
 public:
  explicit BodyWriter(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string params = "%n: i64, %m: i64", types = "i64";
    for (ElementType type : all_types) {
      params += fmt::format(", %x_{0}: {0}[n, m]", facts(type).name);
    }
    body_.clear();
    scopes_.push_back({});
    define(ElementType::I64, "i");
    define(ElementType::I64, "j");
    define(ElementType::I64, "n");
    define(ElementType::I64, "m");
    statements(pick(6, 22), 0);
    std::string yields, results, values;
    for (int r = 0; r < 3; ++r) {
      const ElementType type = all_types[pick(0, 10)];
      const std::string value = operand(type);
      yields += (r ? ", %" : "%") + value;
      results += fmt::format("{}{}[n, m]", r ? ", " : "", facts(type).name);
      values += fmt::format("{}%r{}: {}[n, m]", r ? ", " : "", r, facts(type).name);
    }
    std::string checks = "checks {\n";
    for (int c = 0; c < checks_; ++c) checks += fmt::format("  {}: \"check {}\"\n", c, c);
    checks += "}\n";
    return checks + fmt::format(
                        "graph @f({}) -> ({}) sizes 2 {{\n  {} = map [n, m] {{ (%i: i64, %j: "
                        "i64)\n{}    yield {}\n  }}\n  return %r0, %r1, %r2\n}}\n",
                        params, results, values, body_, yields);
  }

 private:
  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  void define(ElementType type, const std::string& name) { scopes_.back()[type].push_back(name); }
  std::string fresh() { return fmt::format("v{}", next_++); }
  void line(const std::string& text) { body_ += "    " + text + "\n"; }
  std::string emit(ElementType type, const std::string& rhs) {
    const std::string name = fresh();
    line(fmt::format("%{}: {} = {}", name, facts(type).name, rhs));
    define(type, name);
    return name;
  }

  std::string constant(ElementType type) {
    static const char* floats[] = {"0.0", "-0.0", "1.0", "-2.5", "inf", "nan", "1e10", "0.3"};
    static const char* integers[] = {"0", "1", "2", "3", "5", "7", "100"};
    if (type == ElementType::Bool)
      return emit(type, pick(0, 1) ? "constant true" : "constant false");
    if (is_float(type)) return emit(type, std::string("constant ") + floats[pick(0, 7)]);
    if (is_signed(type) && pick(0, 3) == 0) return emit(type, "constant -1");
    return emit(type, std::string("constant ") + integers[pick(0, 6)]);
  }

  // A value of the type that is in scope, or a new one.
  std::string operand(ElementType type) {
    std::vector<std::string> known;
    for (const auto& scope : scopes_) {
      if (auto it = scope.find(type); it != scope.end())
        known.insert(known.end(), it->second.begin(), it->second.end());
    }
    const int choice = pick(0, 9);
    if (!known.empty() && choice < 6)
      return known[static_cast<std::size_t>(pick(0, static_cast<int>(known.size()) - 1))];
    if (choice < 9) return read(type);
    return constant(type);
  }

  std::string index(const char* at, const char* extent) {
    switch (pick(0, 5)) {
      case 0: {
        const std::string one = constant(ElementType::I64);
        const std::string moved =
            emit(ElementType::I64, fmt::format("{} %{}, %{}", pick(0, 1) ? "add" : "sub", at, one));
        const std::string zero = emit(ElementType::I64, "constant 0");
        const std::string last = emit(ElementType::I64, fmt::format("size {} - 1", extent));
        const std::string low = emit(ElementType::I64, fmt::format("max %{}, %{}", moved, zero));
        return emit(ElementType::I64, fmt::format("min %{}, %{}", low, last));
      }
      case 1: {
        const std::string one = constant(ElementType::I64);
        const std::string moved =
            emit(ElementType::I64, fmt::format("{} %{}, %{}", pick(0, 1) ? "add" : "sub", at, one));
        return emit(ElementType::I64,
                    fmt::format("int_mod %{}, %{} check {}", moved, extent, checks_++));
      }
      case 2: {
        const std::string last = emit(ElementType::I64, fmt::format("size {} - 1", extent));
        return emit(ElementType::I64, fmt::format("sub %{}, %{}", last, at));
      }
      default:
        return at;
    }
  }

  std::string read(ElementType type) {
    if (pick(0, 12) == 0 && !safe_) {
      const std::string a = operand(ElementType::I64), b = operand(ElementType::I64);
      return emit(type,
                  fmt::format("read %x_{}[%{}, %{}] check {}", facts(type).name, a, b, checks_++));
    }
    const std::string i = index("i", "n"), j = index("j", "m");
    return emit(type, fmt::format("read %x_{}[%{}, %{}]", facts(type).name, i, j));
  }

  void scalar() {
    const ElementType type = all_types[pick(0, 10)];
    const std::string a = operand(type), b = operand(type);
    const auto two = [&](const char* name) { emit(type, fmt::format("{} %{}, %{}", name, a, b)); };
    if (type == ElementType::Bool) {
      static const char* logic[] = {"and", "or", "xor"};
      two(logic[pick(0, 2)]);
      return;
    }
    switch (pick(0, 6)) {
      case 0: {
        static const char* compare[] = {"eq", "ne", "lt", "le", "gt", "ge"};
        emit(ElementType::Bool, fmt::format("{} %{}, %{}", compare[pick(0, 5)], a, b));
        return;
      }
      case 1: {
        const std::string c = operand(ElementType::Bool);
        emit(type, fmt::format("select %{}, %{}, %{}", c, a, b));
        return;
      }
      case 2: {
        const ElementType to = all_types[pick(1, 10)];
        if (is_float(type) && is_integer(to)) {
          static const char* rounding[] = {"truncate", "floor", "ceiling", "round"};
          emit(to, fmt::format("{} %{}", rounding[pick(0, 3)], a));
        } else if (to != type) {
          emit(to, fmt::format("convert %{}", a));
        }
        return;
      }
      case 3: {
        if (is_float(type)) {
          static const char* functions[] = {"neg", "abs", "signum", "sqrt",
                                            "exp", "sin", "tanh",   "log"};
          emit(type, fmt::format("{} %{}", functions[pick(0, 7)], a));
        } else if (pick(0, 1) && !safe_) {
          static const char* division[] = {"int_div", "int_mod", "int_quot", "int_rem"};
          emit(type, fmt::format("{} %{}, %{} check {}", division[pick(0, 3)], a, b, checks_++));
        } else {
          static const char* bits[] = {"and", "or", "xor"};
          two(bits[pick(0, 2)]);
        }
        return;
      }
      case 4: {
        if (is_float(type)) {
          emit(type, fmt::format("fma %{}, %{}, %{}", a, b, operand(type)));
        } else {
          const std::string count = emit(ElementType::I64, fmt::format("constant {}", pick(0, 70)));
          static const char* shifts[] = {"rotate_left", "rotate_right"};
          if (pick(0, 1) || safe_) {
            emit(type, fmt::format("{} %{}, %{}", shifts[pick(0, 1)], a, count));
          } else {
            emit(type, fmt::format("{} %{}, %{} check {}", pick(0, 1) ? "shl" : "shr", a, count,
                                   checks_++));
          }
        }
        return;
      }
      default: {
        static const char* plain[] = {"add", "sub", "mul", "min", "max"};
        two(plain[pick(0, 4)]);
      }
    }
  }

  // A region's text, with its own scope; gives the yielded values.
  std::string nested(int count, int depth, const std::vector<ElementType>& types,
                     const std::vector<std::string>& params = {},
                     const std::vector<ElementType>& param_types = {}) {
    std::string outer;
    std::swap(outer, body_);
    scopes_.push_back({});
    for (std::size_t i = 0; i < params.size(); ++i) define(param_types[i], params[i]);
    statements(count, depth + 1);
    std::string yields;
    for (std::size_t i = 0; i < types.size(); ++i) yields += (i ? ", %" : "%") + operand(types[i]);
    std::string text = body_ + "    yield " + yields + "\n";
    scopes_.pop_back();
    std::swap(outer, body_);
    return text;
  }

  void branch(int depth) {
    const ElementType a = all_types[pick(0, 10)], b = all_types[pick(0, 10)];
    const std::string condition = operand(ElementType::Bool);
    const std::string yes = nested(pick(0, 4), depth, {a, b}),
                      no = nested(pick(0, 4), depth, {a, b});
    const std::string first = fresh(), second = fresh();
    line(fmt::format("%{}: {}, %{}: {} = branch %{} {{\n{}    }} else {{\n{}    }}", first,
                     facts(a).name, second, facts(b).name, condition, yes, no));
    define(a, first);
    define(b, second);
  }

  void loop(int depth) {
    const ElementType a = all_types[pick(0, 10)], b = all_types[pick(0, 10)];
    const std::string start_a = operand(a), start_b = operand(b);
    const std::string wide = operand(ElementType::U8);
    const std::string five = emit(ElementType::U8, "constant 5");
    const std::string few = emit(ElementType::U8, fmt::format("min %{}, %{}", wide, five));
    const std::string count = emit(ElementType::I64, fmt::format("convert %{}", few));
    const std::string t = fresh(), p = fresh(), q = fresh();
    const std::string body = nested(pick(1, 4), depth, {a, b}, {t, p, q}, {ElementType::I64, a, b});
    const std::string first = fresh(), second = fresh();
    line(fmt::format(
        "%{}: {}, %{}: {} = loop %{} (%{}, %{}) {{ (%{}: i64, %{}: {}, %{}: {})\n{}    }}", first,
        facts(a).name, second, facts(b).name, count, start_a, start_b, t, p, facts(a).name, q,
        facts(b).name, body));
    define(a, first);
    define(b, second);
  }

  void reduce(int depth) {
    const ElementType a = all_types[pick(1, 10)], b = all_types[pick(1, 10)];
    const std::string za = constant(a), zb = constant(b), t = fresh();
    const bool lanes = pick(0, 2) == 0;
    const std::string body = nested(pick(1, 4), depth, {a, b}, {t}, {ElementType::I64});
    static const char* operators[] = {"add", "min", "max", "mul"};
    const std::string first = fresh(), second = fresh();
    line(fmt::format(
        "%{}: {}, %{}: {} = reduce [] [{}] {} {}, {} (%{}, %{}) {{ (%{}: i64)\n{}    }}", first,
        facts(a).name, second, facts(b).name, pick(0, 3) ? "m" : "5", lanes ? "lanes" : "ordered",
        operators[pick(0, 3)], operators[pick(0, 3)], za, zb, t, body));
    define(a, first);
    define(b, second);
  }

  void statements(int count, int depth) {
    for (int s = 0; s < count; ++s) {
      const int choice = pick(0, 15);
      if (choice == 0 && depth < 3) {
        branch(depth);
      } else if (choice == 1 && depth < 2) {
        loop(depth);
      } else if (choice == 2 && depth < 2) {
        reduce(depth);
      } else {
        scalar();
      }
    }
  }

  std::mt19937_64 random_;
  std::string body_;
  std::vector<std::map<ElementType, std::vector<std::string>>> scopes_;
  int next_ = 0;
  int checks_ = 0;

 public:
  bool safe_ = false;
};

void one_seed(std::uint64_t seed) {
  BodyWriter writer(seed);
  writer.safe_ = seed % 3 != 0;
  const std::string text = writer.text();
  const graph::Module module = parse_module(text);
  const char* cpu = seed % 4 == 1 ? "x86-64-v3" : "native";
  Compiled compiled(module, cpu);
  const std::int64_t shapes[][2] = {{2, 70}, {3, 9}, {1, 1}, {0, 4}};
  for (const auto& shape : shapes) {
    std::vector<Tensor> args{scalar_i64(shape[0]), scalar_i64(shape[1])};
    for (ElementType type : all_types)
      args.push_back(random_tensor(type, {shape[0], shape[1]}, seed + args.size(), seed % 2));
    graph::InterpretOptions options;
    options.isa = compiled.isa();
    const auto want = graph::interpret(module, graph::FunctionId{0}, args, options);
    for (std::int64_t tile : {1000, 13}) {
      const Outcome got = compiled.run(args, tiles_of(tile));
      INFO(text);
      CAPTURE(seed);
      CAPTURE(cpu);
      CAPTURE(shape[1]);
      CAPTURE(tile);
      if (!want) {
        REQUIRE(got.error.check == static_cast<std::int64_t>(want.error().check.index));
        REQUIRE(got.error.index == want.error().index);
        for (std::size_t i = 0; i < want.error().values.size() && i < 4; ++i) {
          REQUIRE(static_cast<std::uint64_t>(got.error.values[i]) == want.error().values[i].bits);
        }
        continue;
      }
      REQUIRE(got.error.check == -1);
      for (std::size_t i = 0; i < got.results.size(); ++i)
        REQUIRE(identical(got.results[i], (*want)[i]));
    }
  }
}

TEST_CASE("random bodies agree with the interpreter") {
  const char* first = std::getenv("DVM_RANDOM_FIRST");
  const char* count = std::getenv("DVM_RANDOM_COUNT");
  const std::uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 1;
  const std::uint64_t end = begin + (count ? std::strtoull(count, nullptr, 10) : 30);
  for (std::uint64_t seed = begin; seed < end; ++seed) one_seed(seed);
}

}  // namespace
}  // namespace dvm::kernel_test
