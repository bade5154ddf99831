// Arithmetic on sizes. The normal form: terms by falling degree, then by factors, none zero.
//
// Note [Overflowed sizes]: a coefficient that leaves 64 bits, a degree above 64, more than 4,096
// terms, 2^18 factors when written out, or quotients nested more than 64 deep make the whole size
// *overflowed*: one term with the reserved symbol. It absorbs in every operation, evaluates to
// nullopt, and so becomes an error where it is used; it can never stand for a wrong number.
#include "ir/type/size.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dvm {
namespace {

constexpr Size::Symbol overflow_symbol = std::numeric_limits<Size::Symbol>::max();
constexpr std::size_t max_terms = 4096;
constexpr std::size_t max_degree = 64;
constexpr int max_nesting = 64;
constexpr std::size_t max_weight = std::size_t{1} << 18;

using Wide = __int128;

std::strong_ordering compare_factors(const std::vector<Size::Atom>& a,
                                     const std::vector<Size::Atom>& b) {
  if (a.size() != b.size()) return b.size() <=> a.size();
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

std::int64_t floor_quotient(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

int nesting(const Size& size) {
  int deepest = 0;
  for (const Size::Term& term : size.terms()) {
    for (const Size::Atom& atom : term.factors) {
      if (atom.quotient) deepest = std::max(deepest, atom.quotient->nesting);
    }
  }
  return deepest;
}

std::size_t weight(const std::vector<Size::Term>& terms) {
  std::size_t sum = 0;
  for (const Size::Term& term : terms) {
    for (const Size::Atom& atom : term.factors)
      sum += atom.quotient ? 1 + atom.quotient->weight : 1;
  }
  return sum;
}

}  // namespace

std::strong_ordering Size::Atom::operator<=>(const Atom& other) const {
  if (!quotient && !other.quotient) return symbol <=> other.symbol;
  if (!quotient || !other.quotient)
    return !quotient ? std::strong_ordering::less : std::strong_ordering::greater;
  if (quotient == other.quotient) return std::strong_ordering::equal;
  if (auto order = quotient->divisor <=> other.quotient->divisor; order != 0) return order;
  return quotient->numerator <=> other.quotient->numerator;
}

Size::Size(std::int64_t constant) {
  if (constant != 0) terms_.push_back({{}, constant});
}

Size Size::symbol(Symbol symbol) {
  Size result;
  result.terms_.push_back({{Atom{symbol, nullptr}}, 1});
  return result;
}

Size Size::overflow() { return symbol(overflow_symbol); }

bool Size::overflowed() const {
  return terms_.size() == 1 && terms_[0].factors.size() == 1 && !terms_[0].factors[0].quotient &&
         terms_[0].factors[0].symbol == overflow_symbol;
}

Size Size::of_terms(std::vector<Term> terms) {
  for (Term& term : terms) {
    if (term.factors.size() > max_degree) return overflow();
    std::sort(term.factors.begin(), term.factors.end());
  }
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return compare_factors(a.factors, b.factors) < 0; });
  Size result;
  for (Term& term : terms) {
    if (!result.terms_.empty() && result.terms_.back().factors == term.factors) {
      std::int64_t& sum = result.terms_.back().coefficient;
      if (__builtin_add_overflow(sum, term.coefficient, &sum)) return overflow();
      continue;
    }
    if (!result.terms_.empty() && result.terms_.back().coefficient == 0) result.terms_.pop_back();
    result.terms_.push_back(std::move(term));
  }
  if (!result.terms_.empty() && result.terms_.back().coefficient == 0) result.terms_.pop_back();
  if (result.terms_.size() > max_terms || weight(result.terms_) > max_weight) return overflow();
  return result;
}

Size Size::quotient(const Size& numerator, std::int64_t divisor) {
  if (numerator.overflowed() || divisor < 1) return overflow();
  // floor((d*q + r) / d) = q + floor(r / d): whole multiples leave the quotient, and coefficients
  // inside lie in 0 .. d-1, so that equal quotients look equal.
  std::vector<Term> whole, rest;
  for (const Term& term : numerator.terms_) {
    const std::int64_t times = floor_quotient(term.coefficient, divisor);
    if (times != 0) whole.push_back({term.factors, times});
    const std::int64_t remainder = term.coefficient - times * divisor;
    if (remainder != 0) rest.push_back({term.factors, remainder});
  }
  Size outside = of_terms(std::move(whole));
  // A common factor g of the coefficients and the divisor: floor((g*p + c) / (g*d)) = floor((p +
  // floor(c/g)) / d).
  std::int64_t common = divisor;
  for (const Term& term : rest) {
    if (!term.factors.empty()) common = std::gcd(common, term.coefficient);
  }
  if (common == divisor) return outside;  // only a constant below the divisor is left
  if (common > 1) {
    for (Term& term : rest) term.coefficient /= common;
    std::erase_if(rest, [](const Term& term) { return term.coefficient == 0; });
    divisor /= common;
  }
  const Size inner = of_terms(std::move(rest));
  // floor((floor(a/b) + p) / d) = floor((a + b*p) / (b*d)) for a single quotient with
  // coefficient 1.
  const Term* single = nullptr;
  int quotients = 0;
  for (const Term& term : inner.terms_) {
    for (const Atom& atom : term.factors) quotients += atom.quotient ? 1 : 0;
    if (term.factors.size() == 1 && term.factors[0].quotient && term.coefficient == 1)
      single = &term;
  }
  if (single != nullptr && quotients == 1) {
    const Quotient& nested = *single->factors[0].quotient;
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(nested.divisor, divisor, &product)) {
      const Size others = inner - of_terms({*single});
      const Size flat = nested.numerator + others * Size(nested.divisor);
      if (!flat.overflowed()) return outside + quotient(flat, product);
    }
  }
  if (nesting(inner) >= max_nesting) return overflow();
  Atom atom{0, std::make_shared<const Quotient>(
                   Quotient{inner, divisor, nesting(inner) + 1, weight(inner.terms_)})};
  return outside + of_terms({Term{{std::move(atom)}, 1}});
}

std::optional<std::int64_t> Size::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_[0].factors.empty()) return terms_[0].coefficient;
  return std::nullopt;
}

std::optional<Size::Symbol> Size::as_symbol() const {
  if (terms_.size() != 1 || terms_[0].coefficient != 1 || terms_[0].factors.size() != 1 ||
      overflowed()) {
    return std::nullopt;
  }
  const Atom& atom = terms_[0].factors[0];
  if (atom.quotient) return std::nullopt;
  return atom.symbol;
}

void Size::symbols(const std::function<void(Symbol)>& visit) const {
  for (const Term& term : terms_) {
    for (const Atom& atom : term.factors) {
      if (atom.quotient) {
        atom.quotient->numerator.symbols(visit);
      } else if (atom.symbol != overflow_symbol) {
        visit(atom.symbol);
      }
    }
  }
}

bool Size::mentions(Symbol symbol) const {
  bool found = false;
  symbols([&](Symbol other) { found = found || other == symbol; });
  return found;
}

std::optional<std::int64_t> Size::evaluate(
    const std::function<std::optional<std::int64_t>(Symbol)>& value_of) const {
  Wide sum = 0;
  for (const Term& term : terms_) {
    Wide product = term.coefficient;
    for (const Atom& atom : term.factors) {
      std::optional<std::int64_t> value;
      if (atom.quotient) {
        value = atom.quotient->numerator.evaluate(value_of);
        if (value) value = floor_quotient(*value, atom.quotient->divisor);
      } else if (atom.symbol != overflow_symbol) {
        value = value_of(atom.symbol);
      }
      if (!value || __builtin_mul_overflow(product, static_cast<Wide>(*value), &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  if (sum < std::numeric_limits<std::int64_t>::min() ||
      sum > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(sum);
}

Size Size::substitute(const std::function<Size(Symbol)>& replacement) const {
  // Nearly all sizes are one symbol or a number.
  if (const auto symbol = as_symbol()) return replacement(*symbol);
  if (constant()) return *this;
  Size sum;
  for (const Term& term : terms_) {
    Size product(term.coefficient);
    for (const Atom& atom : term.factors) {
      if (atom.quotient) {
        product = product * quotient(atom.quotient->numerator.substitute(replacement),
                                     atom.quotient->divisor);
      } else {
        product =
            product * (atom.symbol == overflow_symbol ? overflow() : replacement(atom.symbol));
      }
    }
    sum = sum + product;
  }
  return sum;
}

std::string Size::to_text(const std::function<std::string(Symbol)>& name_of) const {
  if (terms_.empty()) return "0";
  if (overflowed()) return std::string(overflow_text);
  std::string text;
  for (const Term& term : terms_) {
    const bool negative = term.coefficient < 0;
    const std::uint64_t bits = static_cast<std::uint64_t>(term.coefficient);
    const std::uint64_t magnitude = negative ? 0 - bits : bits;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    std::string product;
    if (magnitude != 1 || term.factors.empty()) product = std::to_string(magnitude);
    const bool alone = product.empty() && term.factors.size() == 1;
    for (const Atom& atom : term.factors) {
      if (!product.empty()) product += " * ";
      if (!atom.quotient) {
        product += name_of(atom.symbol);
        continue;
      }
      const std::string above = atom.quotient->numerator.to_text(name_of);
      const bool simple = atom.quotient->numerator.as_symbol().has_value();
      const std::string ratio =
          (simple ? above : "(" + above + ")") + " / " + std::to_string(atom.quotient->divisor);
      product += alone ? ratio : "(" + ratio + ")";
    }
    text += product;
  }
  return text;
}

Size Size::operator+(const Size& other) const {
  if (overflowed() || other.overflowed()) return overflow();
  std::vector<Term> all = terms_;
  all.insert(all.end(), other.terms_.begin(), other.terms_.end());
  return of_terms(std::move(all));
}

Size Size::operator-() const {
  if (overflowed()) return overflow();
  Size result = *this;
  for (Term& term : result.terms_) {
    if (__builtin_sub_overflow(std::int64_t{0}, term.coefficient, &term.coefficient))
      return overflow();
  }
  return result;
}

Size Size::operator-(const Size& other) const { return *this + -other; }

Size Size::operator*(const Size& other) const {
  if (overflowed() || other.overflowed()) return overflow();
  if (terms_.size() * other.terms_.size() > max_terms) return overflow();
  std::vector<Term> all;
  for (const Term& a : terms_) {
    for (const Term& b : other.terms_) {
      Term product{a.factors, 0};
      product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
      if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient))
        return overflow();
      all.push_back(std::move(product));
    }
  }
  return of_terms(std::move(all));
}

std::strong_ordering Size::operator<=>(const Size& other) const {
  return std::lexicographical_compare_three_way(
      terms_.begin(), terms_.end(), other.terms_.begin(), other.terms_.end(),
      [](const Term& a, const Term& b) -> std::strong_ordering {
        if (auto order = compare_factors(a.factors, b.factors); order != 0) return order;
        return a.coefficient <=> b.coefficient;
      });
}

}  // namespace dvm
