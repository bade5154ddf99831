// Sizes: polynomials with integer coefficients over symbols and opaque quotients.
//
// What a symbol stands for is its owner's business: a scalar i64 value in the graph, a slot in the
// task IR, a size variable in the type checker. Two sizes are equal when their normal forms are.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dvm {

class Size {
 public:
  using Symbol = std::uint32_t;
  struct Quotient;  // floor(numerator / divisor), divisor >= 2

  // A factor of a monomial: a symbol, or a quotient when `quotient` is set.
  struct Atom {
    Symbol symbol = 0;
    std::shared_ptr<const Quotient> quotient;
    bool operator==(const Atom& other) const { return (*this <=> other) == 0; }
    std::strong_ordering operator<=>(const Atom& other) const;
  };
  // coefficient * product of factors; factors are sorted and repeat for powers.
  struct Term {
    std::vector<Atom> factors;
    std::int64_t coefficient = 0;
    bool operator==(const Term&) const = default;
  };

  Size() = default;
  Size(std::int64_t constant);
  static Size symbol(Symbol symbol);
  // floor(numerator / divisor) for divisor >= 1; whole multiples of the divisor leave the quotient:
  // (2n + 3) / 2 = n + 1, (n - 1) / 2 = (n + 1) / 2 - 1.
  static Size quotient(const Size& numerator, std::int64_t divisor);
  // The size that arithmetic gives when 64 bits (or sane limits on its length) do not suffice. It
  // absorbs, evaluates to nullopt, mentions no symbol and prints as `overflow_text`. Equal only to
  // itself: where it would decide anything, test `overflowed` and report.
  static Size overflow();
  bool overflowed() const;
  static constexpr std::string_view overflow_text = "overflow!";

  // Normal form: by falling degree then by factors, no zero coefficient, no two terms alike.
  const std::vector<Term>& terms() const { return terms_; }
  std::optional<std::int64_t> constant() const;  // set when no symbol occurs
  std::optional<Symbol> as_symbol() const;       // set when it is exactly one symbol
  void symbols(
      const std::function<void(Symbol)>& visit) const;  // each occurrence, quotients included
  bool mentions(Symbol symbol) const;

  // nullopt when a symbol has no value or 64 bits do not suffice.
  std::optional<std::int64_t> evaluate(
      const std::function<std::optional<std::int64_t>(Symbol)>& value_of) const;
  Size substitute(const std::function<Size(Symbol)>& replacement) const;
  // `2 * n + 1`, `n / 2`; names come from the owner.
  std::string to_text(const std::function<std::string(Symbol)>& name_of) const;

  Size operator+(const Size& other) const;
  Size operator-(const Size& other) const;
  Size operator*(const Size& other) const;
  Size operator-() const;
  bool operator==(const Size& other) const = default;
  std::strong_ordering operator<=>(const Size& other) const;

 private:
  static Size of_terms(std::vector<Term> terms);
  std::vector<Term> terms_;
};

struct Size::Quotient {
  Size numerator;
  std::int64_t divisor;
  int nesting;         // quotients inside each other, this one included
  std::size_t weight;  // factors when written out, quotients included
};

}  // namespace dvm
