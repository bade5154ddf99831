// Sampling, comparison and messages.
#include "ir/graph/law_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace dvm::graph {

namespace {

using Values = LawTest::Values;

constexpr int digits_of_samples = 5;  // 32 from a power of two to the next

std::string shown(const Values& values) {
  if (values.size() == 1) return to_text(values[0]);
  std::string text;
  for (const Scalar& value : values) text += (text.empty() ? "" : ", ") + to_text(value);
  return "(" + text + ")";
}
std::string shown(const std::optional<Values>& values) {
  return values ? "gives " + shown(*values) : "fails";
}

// The greatest magnitude among finite floats.
double scale_of(std::initializer_list<const Values*> all) {
  double scale = 0;
  for (const Values* values : all)
    for (const Scalar& value : *values)
      if (is_float(value.type) && std::isfinite(value.as_double()))
        scale = std::max(scale, std::abs(value.as_double()));
  return scale;
}

bool same(const Scalar& a, const Scalar& b, double scale) {
  if (!is_float(a.type)) return a.bits == b.bits;
  const double x = a.as_double(), y = b.as_double();
  if (x == y || (std::isnan(x) && std::isnan(y))) return true;
  const double half_of_the_digits = a.type == ElementType::F32 ? 0x1p-12 : 0x1p-26;
  return std::abs(x - y) <= scale * half_of_the_digits;
}

bool same(const Values& a, const Values& b, double scale) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](const Scalar& x, const Scalar& y) { return same(x, y, scale); });
}

}  // namespace

LawTest::LawTest(std::span<const LocId> places) {
  for (const LocId place : places) sites_.try_emplace(place);
}

bool LawTest::samples_next(LocId place) {
  const std::uint64_t number = sites_.at(place).seen++;
  const int digits = std::bit_width(number);
  const int free = std::max(0, digits - digits_of_samples - 1);
  return (number & ((std::uint64_t{1} << free) - 1)) == 0;
}

void LawTest::test_neutral(LocId place, const Values& neutral, const Values& term,
                           const Operator& op) {
  Site& site = sites_.at(place);
  if (site.neutral_broken) return;
  for (const bool on_the_left : {true, false}) {
    const auto result = on_the_left ? op(neutral, term) : op(term, neutral);
    if (result && same(*result, term, scale_of({&*result, &term}))) continue;
    site.neutral_broken = true;
    broken_.push_back({BrokenLaw::Law::Neutral, place,
                       fmt::format("{0} is not neutral: for {1} and {2} the operator {3}",
                                   shown(neutral), shown(on_the_left ? neutral : term),
                                   shown(on_the_left ? term : neutral), shown(result))});
    return;
  }
}

void LawTest::test_associative(LocId place, const std::array<Values, 3>& terms,
                               const Operator& op) {
  Site& site = sites_.at(place);
  if (site.associative_broken) return;
  const auto& [a, b, c] = terms;
  const auto ab = op(a, b), bc = op(b, c);
  const auto left = ab ? op(*ab, c) : std::nullopt;
  const auto right = bc ? op(a, *bc) : std::nullopt;
  if (left && right && same(*left, *right, scale_of({&a, &b, &c, &*ab, &*bc, &*left, &*right})))
    return;
  site.associative_broken = true;
  broken_.push_back(
      {BrokenLaw::Law::Associative, place,
       fmt::format("the operator is not associative: for {}, {} and {} it {} when the first two "
                   "are combined first, and {} when the last two are",
                   shown(a), shown(b), shown(c), shown(left), shown(right))});
}

}  // namespace dvm::graph
