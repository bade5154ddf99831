// Two steps: all elements that are shown become strings of one width, then the nested lists are
// laid out.
#include "backend/driver/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

// How the finite elements of a float array are written: with an exponent when they span much, like
// NumPy.
struct FloatFormat {
  bool exponent = false;
  std::size_t decimals = 0;  // of the mantissa when there is an exponent

  std::string text(double value) const {
    if (!std::isfinite(value)) return special_text(value);
    if (exponent) return fmt::format("{:#.{}e}", value, decimals);
    // `1.` for whole numbers and blanks for trailing zeros, so that the points stand below each
    // other.
    std::string digits = fmt::format("{:#.{}f}", value, decimals);
    const std::size_t last = digits.find_last_not_of('0');
    std::fill(digits.begin() + static_cast<std::ptrdiff_t>(last) + 1, digits.end(), ' ');
    return digits;
  }
};

std::size_t used_decimals(const std::string& digits) {
  const std::size_t point = digits.find('.');
  const std::size_t end = std::min(digits.find('e'), digits.size());
  const std::size_t last = digits.find_last_not_of('0', end - 1);
  return last == std::string::npos || last < point ? 0 : last - point;
}

FloatFormat choose_format(const std::vector<double>& values) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    least = std::min(least, std::abs(value));
    most = std::max(most, std::abs(value));
  }
  FloatFormat format;
  format.exponent =
      most >= 1e8 || least < 1e-4 || (most > 0 && most / least > 1000 && least < 1e-2);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const std::string digits =
        format.exponent ? fmt::format("{:.8e}", value) : fmt::format("{:.8f}", value);
    format.decimals = std::max(format.decimals, used_decimals(digits));
  }
  return format;
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
    if (is_float(tensor_.element)) {
      std::vector<double> values;
      for (const Scalar& scalar : scalars) values.push_back(scalar.as_double());
      const FloatFormat format = choose_format(values);
      for (const double value : values) texts_.push_back(format.text(value));
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
