// Two steps: all elements that are shown become strings of one width, then the nested lists are
// laid out.
#include "backend/driver/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace dvm::driver {

namespace {

std::string integer_text(Scalar value) {
  if (value.type == ElementType::Bool) return value.as_bool() ? "True" : "False";
  return is_signed(value.type) ? fmt::format("{}", value.as_i64())
                               : fmt::format("{}", value.as_u64());
}

std::string special_text(double value) {
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

constexpr std::size_t most_decimals = 8;

// The shortest digits that read back to the same value, but at most eight decimals (of the mantissa
// when there is an exponent), without trailing zeros and always with a point: `0.5`, `3.`,
// `1.25e+10`.
struct Digits {
  std::string text;
  std::size_t decimals = 0;
  std::size_t exponent_at = 0;  // where `e` stands, or the end
};

template <class Float>
Digits digits_of(Float value, bool exponent) {
  std::array<char, 512> buffer;
  const auto form = exponent ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form).ptr;
  Digits digits{std::string(buffer.data(), end), 0, 0};
  std::size_t point = digits.text.find('.');
  std::size_t mantissa_end = std::min(digits.text.find('e'), digits.text.size());
  if (point != std::string::npos && mantissa_end - point - 1 > most_decimals) {
    digits.text = exponent ? fmt::format("{:.{}e}", value, most_decimals)
                           : fmt::format("{:.{}f}", value, most_decimals);
    point = digits.text.find('.');
    mantissa_end = std::min(digits.text.find('e'), digits.text.size());
  }
  std::string mantissa = digits.text.substr(0, mantissa_end);
  if (point == std::string::npos) {
    point = mantissa.size();
    mantissa += '.';
  } else {
    mantissa.resize(mantissa.find_last_not_of('0') + 1);
  }
  digits.decimals = mantissa.size() - point - 1;
  digits.exponent_at = mantissa.size();
  digits.text = mantissa + digits.text.substr(mantissa_end);
  return digits;
}

// The elements of a float array, with an exponent when they span much, padded so that points stand
// below each other.
template <class Float>
std::vector<std::string> float_texts(const std::vector<Float>& values) {
  Float least = std::numeric_limits<Float>::infinity(), most = 0;
  for (const Float value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    least = std::min(least, std::abs(value));
    most = std::max(most, std::abs(value));
  }
  const bool exponent =
      most > 0 && (most >= Float(1e8) || least < Float(1e-4) || most / least > 1000);
  std::vector<Digits> all;
  std::size_t decimals = 0;
  for (const Float value : values) {
    all.push_back(std::isfinite(value) ? digits_of(value, exponent)
                                       : Digits{special_text(value), 0, 0});
    decimals = std::max(decimals, all.back().decimals);
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Digits& digits = all[i];
    const std::size_t missing = decimals - digits.decimals;
    if (std::isfinite(values[i]))
      digits.text.insert(digits.exponent_at, missing, exponent ? '0' : ' ');
    texts.push_back(std::move(digits.text));
  }
  return texts;
}

// The indices of one dimension that are shown; -1 stands for the gap.
std::vector<std::int64_t> shown_indices(std::int64_t extent, bool shortened, std::int64_t edge) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < extent; ++i) {
    if (shortened && extent > 2 * edge && i == edge) {
      indices.push_back(-1);
      i = extent - edge;
    }
    indices.push_back(i);
  }
  return indices;
}

class Layout {
 public:
  Layout(const Tensor& tensor, const ShowOptions& options) : tensor_(tensor), options_(options) {
    const bool shortened = tensor.count() > options.threshold;
    for (const std::int64_t extent : tensor.shape)
      indices_.push_back(shown_indices(extent, shortened, options.edge));
    write_elements();
  }

  std::string text() {
    print(0, 0);
    return out_;
  }

 private:
  void visit(std::size_t depth, std::int64_t offset,
             const std::function<void(std::int64_t)>& at) const {
    if (depth == tensor_.shape.size()) return at(offset);
    for (const std::int64_t i : indices_[depth]) {
      if (i >= 0) visit(depth + 1, offset * tensor_.shape[depth] + i, at);
    }
  }

  void write_elements() {
    if (tensor_.count() == 0) return;
    std::vector<Scalar> scalars;
    visit(0, 0, [&](std::int64_t offset) { scalars.push_back(tensor_.at(offset)); });
    if (tensor_.element == ElementType::F64) {
      std::vector<double> values;
      for (const Scalar& scalar : scalars) values.push_back(scalar.as_double());
      texts_ = float_texts(values);
    } else if (tensor_.element == ElementType::F32) {
      std::vector<float> values;
      for (const Scalar& scalar : scalars) values.push_back(scalar.as_float());
      texts_ = float_texts(values);
    } else {
      for (const Scalar& scalar : scalars) texts_.push_back(integer_text(scalar));
    }
    for (const std::string& text : texts_) width_ = std::max(width_, text.size());
  }

  void print(std::size_t depth, std::size_t indent) {
    out_ += '[';
    const bool innermost = depth + 1 == tensor_.shape.size();
    std::size_t line = indent + 1;
    bool first = true;
    for (const std::int64_t i : indices_[depth]) {
      const std::size_t item = i < 0 ? 3 : width_;
      if (!first && innermost && line + 1 + item >= options_.width) {
        line = new_line(1, indent + 1);
      } else if (!first && innermost) {
        out_ += ' ';
        ++line;
      } else if (!first) {
        new_line(tensor_.shape.size() - depth - 1, indent + 1);
      }
      first = false;
      if (i < 0)
        out_ += "...";
      else if (innermost)
        out_ += fmt::format("{:>{}}", texts_[next_text_++], width_);
      else
        print(depth + 1, indent + 1);
      line += item;
    }
    out_ += ']';
  }

  std::size_t new_line(std::size_t count, std::size_t indent) {
    out_.append(count, '\n');
    out_.append(indent, ' ');
    return indent;
  }

  const Tensor& tensor_;
  const ShowOptions& options_;
  std::vector<std::vector<std::int64_t>> indices_;
  std::vector<std::string> texts_;
  std::size_t width_ = 0, next_text_ = 0;
  std::string out_;
};

}  // namespace

std::string show(const Tensor& tensor, const ShowOptions& options) {
  if (tensor.shape.empty()) {
    const Scalar value = tensor.at(0);
    return is_float(tensor.element) ? to_text(value) : integer_text(value);
  }
  if (tensor.count() == 0 && tensor.shape.size() > 1) return "[]";
  return Layout(tensor, options).text();
}

std::string show_named(const std::string& name, const Tensor& tensor, const ShowOptions& options) {
  if (tensor.shape.empty()) return fmt::format("{} = {}", name, show(tensor, options));
  return fmt::format("{} :: {} [{}]\n{}", name, facts(tensor.element).surface,
                     fmt::join(tensor.shape, ", "), show(tensor, options));
}

}  // namespace dvm::driver
