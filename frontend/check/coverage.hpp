// Exhaustiveness and overlap of patterns (exhaustive.cpp).
#pragma once

#include "frontend/check/checker.hpp"

namespace dvm::check {

class Coverage {
 public:
  explicit Coverage(Checker& checker) : c_(checker) {}
  void expressions();
  void declarations();

 private:
  // The outermost constructor of a pattern.
  struct Head {
    enum Sort : std::uint8_t { Data, Bool, Tuple, Literal, List, FixedList } sort = Tuple;
    std::uint32_t id = 0;    // of the data type
    std::uint32_t part = 0;  // number of the constructor, length of a list
    std::size_t arity = 0;
    std::string text;
    bool operator==(const Head& other) const {
      return sort == other.sort && id == other.id && part == other.part &&
             (sort != Literal || text == other.text);
    }
  };
  // A pattern that is a head with arguments, or matches everything.
  struct Simple {
    std::optional<Head> head;
    std::vector<Simple> args;
  };
  using Row = std::vector<Simple>;
  struct Line {
    std::vector<ast::PatternId> patterns;
    Span span;
    bool covers;  // some alternative is taken whenever the patterns match
  };

  Simple simplify(ast::PatternId id);
  std::vector<Head> signature(const Head& head) const;
  static std::optional<Row> specialise(const Row& row, const Head& head);
  std::optional<Row> missing(const std::vector<Row>& rows, std::size_t columns);
  bool useful(const std::vector<Row>& rows, const Row& wanted);
  std::string text(const Simple& simple, bool argument) const;
  bool always(const ast::Rhs& rhs) const;
  void warn_guards(Span place);
  // `last` is the last clause or alternative, below which another one can be written; it may be
  // invalid.
  void examine(const std::vector<Line>& lines, std::size_t columns, Span place,
               const std::string& subject, const std::string& prefix, Span last = {});
  std::optional<Suggestion> another_line(Span last, const std::string& text) const;

  Checker& c_;
  int steps_ = 0;
};

}  // namespace dvm::check
