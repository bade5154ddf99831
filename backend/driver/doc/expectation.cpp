// Token by token.
#include "backend/driver/doc/expectation.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace dvm::driver {

namespace {

constexpr std::string_view ellipsis = "…";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '\'' ||
         c == '-' || c == '+' || static_cast<unsigned char>(c) >= 0x80;
}

std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    if (text[at] != ' ' && text[at] != '\t' && text[at] != '\n')
      result.push_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// One unit of the last digit: 1e-4 of `0.8413`, 1e8 of `1.2e9`.
double last_unit(std::string_view text) {
  const std::size_t e = std::min(text.find('e'), text.size());
  const auto exponent = e < text.size() ? number(text.substr(text[e + 1] == '+' ? e + 2 : e + 1))
                                        : std::optional<double>(0);
  const std::size_t point = text.substr(0, e).find('.');
  const double decimals = point == std::string_view::npos ? 0 : static_cast<double>(e - point - 1);
  return std::pow(10, exponent.value_or(0) - decimals);
}

bool matches_token(std::string_view expected, std::string_view actual) {
  if (!expected.ends_with(ellipsis)) return expected == actual;
  expected.remove_suffix(ellipsis.size());
  const auto want = number(expected);
  const auto got = number(actual);
  return want && got && std::abs(*want - *got) < last_unit(expected);
}

}  // namespace

bool matches(std::string_view expected, std::string_view actual) {
  const auto want = tokens(expected);
  const auto got = tokens(actual);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] == ellipsis) return true;
    if (i >= got.size() || !matches_token(want[i], got[i])) return false;
  }
  return want.size() == got.size();
}

}  // namespace dvm::driver
