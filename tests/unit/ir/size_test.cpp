// Sizes: normal forms, text, and random algebra against evaluation.
#include "ir/type/size.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using dvm::Size;

namespace {

std::string text(const Size& size) {
  return size.to_text([](Size::Symbol s) { return std::string(1, static_cast<char>('a' + s)); });
}
const Size a = Size::symbol(0), b = Size::symbol(1), c = Size::symbol(2);

std::optional<std::int64_t> at(const Size& size, std::int64_t x, std::int64_t y, std::int64_t z) {
  return size.evaluate([&](Size::Symbol s) { return std::optional(s == 0 ? x : s == 1 ? y : z); });
}

std::int64_t floor_div(std::int64_t x, std::int64_t d) { return x / d - (x % d < 0 ? 1 : 0); }

// A random size beside a function that computes it directly.
struct Random {
  std::mt19937_64 engine;
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
  }
  using Direct = std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)>;
  std::pair<Size, Direct> make(int depth) {
    switch (depth == 0 ? number(0, 1) : number(0, 6)) {
      case 0: {
        const std::int64_t k = number(-5, 5);
        return {Size(k), [k](auto, auto, auto) { return k; }};
      }
      case 1: {
        const auto s = static_cast<Size::Symbol>(number(0, 2));
        return {Size::symbol(s), [s](auto x, auto y, auto z) {
                  return s == 0 ? x : s == 1 ? y : z;
                }};
      }
      case 2:
      case 3: {
        auto [l, f] = make(depth - 1);
        auto [r, g] = make(depth - 1);
        return {l + r, [f, g](auto x, auto y, auto z) { return f(x, y, z) + g(x, y, z); }};
      }
      case 4: {
        auto [l, f] = make(depth - 1);
        auto [r, g] = make(depth - 1);
        return {l - r, [f, g](auto x, auto y, auto z) { return f(x, y, z) - g(x, y, z); }};
      }
      case 5: {
        auto [l, f] = make(depth - 1);
        auto [r, g] = make(depth - 1);
        return {l * r, [f, g](auto x, auto y, auto z) { return f(x, y, z) * g(x, y, z); }};
      }
      default: {
        auto [l, f] = make(depth - 1);
        const std::int64_t d = number(1, 6);
        return {Size::quotient(l, d),
                [f, d](auto x, auto y, auto z) { return floor_div(f(x, y, z), d); }};
      }
    }
  }
};

}  // namespace

TEST_CASE("equal sizes have one form and one text") {
  CHECK(a + b == b + a);
  CHECK((a + Size(1)) * (a - Size(1)) == a * a - Size(1));
  CHECK(text(Size(2) * b * a + Size(1) - a) == "2 * a * b - a + 1");
  CHECK(text(a - a) == "0");
  CHECK(text(-a) == "-a");
  CHECK(text(Size(0) - Size(3) * a * a) == "-3 * a * a");
  CHECK(text(Size(std::numeric_limits<std::int64_t>::min()) * a) == "-9223372036854775808 * a");
  CHECK((a - a + Size(4)).constant() == 4);
  CHECK_FALSE((a + Size(4)).constant());
  CHECK((a + b - b).as_symbol() == 0u);
  CHECK_FALSE((Size(2) * a).as_symbol());
  CHECK((a * b).mentions(1));
  CHECK_FALSE((a * b).mentions(2));
  CHECK(Size::quotient(a, 2).mentions(0));
}

TEST_CASE("quotients are as simple as they can be") {
  CHECK(Size::quotient(Size(7), 2) == Size(3));
  CHECK(Size::quotient(Size(-7), 2) == Size(-4));
  CHECK(Size::quotient(a, 1) == a);
  CHECK(Size::quotient(Size(2) * a + Size(3), 2) == a + Size(1));
  CHECK(Size::quotient(Size(4) * a, 2) == Size(2) * a);
  CHECK(Size::quotient(a + Size(2), 2) == Size::quotient(a, 2) + Size(1));
  CHECK(Size::quotient(a - Size(3), 2) + Size(1) == Size::quotient(a - Size(1), 2));
  CHECK(Size::quotient(Size(2) * a, 4) == Size::quotient(a, 2));
  CHECK(Size::quotient(Size(2) * a + Size(1), 4) == Size::quotient(a, 2));
  CHECK(Size::quotient(Size::quotient(a, 2), 3) == Size::quotient(a, 6));
  CHECK(Size::quotient(Size::quotient(a, 2) + b, 3) == Size::quotient(a + Size(2) * b, 6));
  CHECK(Size::quotient(a, 2) != Size::quotient(a, 3));
  CHECK(text(Size::quotient(a, 2)) == "a / 2");
  CHECK(text(Size::quotient(a + b, 2)) == "(a + b) / 2");
  CHECK(text(b * Size::quotient(a, 2)) == "b * (a / 2)");
  CHECK(text(Size(3) * Size::quotient(a * b, 2)) == "3 * ((a * b) / 2)");
  CHECK(Size::quotient(a, 0).overflowed());
}

TEST_CASE("substitution and evaluation agree") {
  const Size size = a * a + Size::quotient(a + b, 3) - c;
  const Size replaced =
      size.substitute([](Size::Symbol s) { return s == 0 ? b + Size(1) : Size::symbol(s); });
  CHECK(replaced == (b + Size(1)) * (b + Size(1)) + Size::quotient(Size(2) * b + Size(1), 3) - c);
  CHECK(at(replaced, 100, 4, 2) == at(size, 5, 4, 2));
  CHECK_FALSE(size.evaluate([](Size::Symbol) { return std::optional<std::int64_t>(); }));
}

TEST_CASE("what does not fit is never a wrong number") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK((Size(most) + Size(1)).overflowed());
  CHECK((Size(most) * Size(2)).overflowed());
  CHECK((-Size(std::numeric_limits<std::int64_t>::min())).overflowed());
  const Size lost = Size(most) * a + a;
  CHECK(lost.overflowed());
  CHECK((lost - lost).overflowed());
  CHECK((lost * Size(0)).overflowed());
  CHECK_FALSE(at(lost, 0, 0, 0));
  CHECK_FALSE(lost.as_symbol());
  CHECK(text(lost) == "overflow!");
  CHECK_FALSE(at(a * a, most, 0, 0));
  CHECK(at(a * a - b * b, most, most, 0) == 0);
  CHECK_FALSE(at(a * a * a, most, 0, 0));
  Size power = a + b + c;
  for (int i = 0; i < 10; ++i) power = power * power;
  CHECK(power.overflowed());
  Size nested = a;
  for (int i = 0; i < 200; ++i) nested = Size::quotient(nested * nested + b, 7);
  CHECK(nested.overflowed());
}

TEST_CASE("random algebra evaluates like the numbers") {
  Random random{std::mt19937_64(7)};
  for (int round = 0; round < 3000; ++round) {
    const auto [size, direct] = random.make(4);
    if (size.overflowed()) continue;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t x = random.number(-20, 20), y = random.number(0, 9),
                         z = random.number(0, 3);
      const auto value = at(size, x, y, z);
      REQUIRE(value.has_value());
      REQUIRE_MESSAGE(*value == direct(x, y, z), text(size));
    }
    REQUIRE(size - size == Size(0));
    REQUIRE(size + Size(1) != size);
  }
}
