// Entry signatures, and the solving of size parameters.
#include "ir/graph/entry.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>

namespace dvm::graph {
namespace {

using Known = std::vector<std::optional<std::int64_t>>;  // by symbol of the signature

std::string dims(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

class Solver {
 public:
  Solver(const EntrySignature& entry, std::span<const Tensor> inputs)
      : entry_(entry),
        inputs_(inputs),
        known_(entry.size_names.size() + entry.inputs.size()),
        origin_(entry.size_names.size()) {}

  // The first mistake, or nullopt.
  std::optional<std::string> run() {
    if (inputs_.size() != entry_.inputs.size()) {
      return fmt::format("`{}` takes {}, {} came", entry_.function,
                         plural(entry_.inputs.size(), "input"), inputs_.size());
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (auto error = check_kind(i)) return error;
      const Tensor& input = inputs_[i];
      if (input.shape.empty() && input.element == ElementType::I64) {
        known_[entry_.size_names.size() + i] = input.at(0).as_i64();
      }
    }
    // Each round solves at least one size, or it is the last.
    while (solve_some()) {
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (auto error = check_shape(i)) return error;
    }
    for (std::size_t s = 0; s < entry_.size_names.size(); ++s) {
      if (!known_[s]) return fmt::format("no input says how large `{}` is", entry_.size_names[s]);
    }
    return std::nullopt;
  }

  std::vector<std::int64_t> sizes() const {
    std::vector<std::int64_t> result;
    for (std::size_t s = 0; s < entry_.size_names.size(); ++s) result.push_back(*known_[s]);
    return result;
  }

 private:
  std::optional<std::string> check_kind(std::size_t i) const {
    const EntryInput& expected = entry_.inputs[i];
    const Tensor& input = inputs_[i];
    if (input.element != expected.element) {
      return fmt::format("`{}`: expected {} (dtype {}), got {} (dtype {})", expected.name,
                         facts(expected.element).surface, facts(expected.element).numpy,
                         facts(input.element).surface, facts(input.element).numpy);
    }
    if (input.shape.size() == expected.shape.size()) return std::nullopt;
    const std::string wanted = expected.shape.empty()
                                   ? "a scalar"
                                   : "an array with " + plural(expected.shape.size(), "dimension");
    const std::string came = input.shape.empty() ? "a scalar" : "shape " + dims(input.shape);
    return fmt::format("`{}`: expected {}, got {}", expected.name, wanted, came);
  }

  std::optional<std::int64_t> value(const Size& size) const {
    return size.evaluate([&](Size::Symbol symbol) {
      return symbol < known_.size() ? known_[symbol] : std::nullopt;
    });
  }

  bool solve_some() {
    bool solved = false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (std::size_t d = 0; d < inputs_[i].shape.size(); ++d) {
        solved = solve(entry_.inputs[i].shape[d], inputs_[i].shape[d], i) || solved;
      }
    }
    return solved;
  }

  // coefficient * symbol + rest = extent, where the symbol is the only unknown and occurs once.
  bool solve(const Size& size, std::int64_t extent, std::size_t input) {
    std::optional<Size::Symbol> unknown;
    std::size_t occurrences = 0;
    size.symbols([&](Size::Symbol symbol) {
      if (known_[symbol]) return;
      unknown = symbol;
      ++occurrences;
    });
    if (occurrences != 1 || *unknown >= entry_.size_names.size()) return false;
    Size rest, coefficient;
    for (const Size::Term& term : size.terms()) {
      Size product(term.coefficient);
      bool has_unknown = false;
      for (const Size::Atom& atom : term.factors) {
        if (!atom.quotient && atom.symbol == *unknown) {
          has_unknown = true;
        } else if (atom.quotient) {
          if (atom.quotient->numerator.mentions(*unknown)) return false;
          product = product * Size::quotient(atom.quotient->numerator, atom.quotient->divisor);
        } else {
          product = product * Size::symbol(atom.symbol);
        }
      }
      (has_unknown ? coefficient : rest) = (has_unknown ? coefficient : rest) + product;
    }
    const auto factor = value(coefficient), constant = value(rest);
    std::int64_t difference = 0;
    if (!factor || !constant || *factor == 0 ||
        __builtin_sub_overflow(extent, *constant, &difference))
      return false;
    if (*factor == -1 && difference == INT64_MIN) return false;
    // When it does not divide, the check of shapes will say what was expected.
    known_[*unknown] = difference / *factor;
    origin_[*unknown] = input;
    return true;
  }

  std::string name_of(Size::Symbol symbol) const {
    const std::size_t sizes = entry_.size_names.size();
    if (symbol < sizes) return entry_.size_names[symbol];
    return symbol - sizes < entry_.inputs.size() ? entry_.inputs[symbol - sizes].name : "?";
  }

  // ` (n from xs)`, or nothing for a literal size.
  std::string reason(const Size& size, std::size_t input) const {
    const std::string formula = size.to_text([&](Size::Symbol symbol) { return name_of(symbol); });
    std::string from;
    std::map<std::size_t, bool> said;
    size.symbols([&](Size::Symbol symbol) {
      if (symbol >= origin_.size() || !origin_[symbol] || !said.emplace(symbol, true).second)
        return;
      if (*origin_[symbol] == input) {
        from +=
            fmt::format("{}`{}` = {}", from.empty() ? "" : ", ", name_of(symbol), *known_[symbol]);
      } else {
        from += fmt::format("{}`{}` from `{}`", from.empty() ? "" : ", ", name_of(symbol),
                            entry_.inputs[*origin_[symbol]].name);
      }
    });
    if (size.constant()) return "";
    if (size.as_symbol() && !from.empty()) return " (" + from + ")";
    return fmt::format(" (`{}`{}{})", formula, from.empty() ? "" : ", ", from);
  }

  std::optional<std::string> check_shape(std::size_t i) const {
    const EntryInput& expected = entry_.inputs[i];
    const Tensor& input = inputs_[i];
    for (std::size_t d = 0; d < input.shape.size(); ++d) {
      const auto wanted = value(expected.shape[d]);
      const std::string where =
          input.shape.size() == 1 ? ""
                                  : fmt::format(" in dimension {} of {}", d + 1, dims(input.shape));
      if (!wanted) {
        return fmt::format(
            "`{}`: the size `{}` can not be found from the inputs", expected.name,
            expected.shape[d].to_text([&](Size::Symbol symbol) { return name_of(symbol); }));
      }
      if (*wanted != input.shape[d]) {
        return fmt::format("`{}`: expected size {}{}, got {}{}", expected.name, *wanted,
                           reason(expected.shape[d], i), input.shape[d], where);
      }
    }
    for (std::size_t s = 0; s < entry_.size_names.size(); ++s) {
      if (known_[s] && *known_[s] < 0 && origin_[s] == i) {
        return fmt::format("`{}`: the size `{}` would be negative: {}", expected.name,
                           entry_.size_names[s], *known_[s]);
      }
    }
    return std::nullopt;
  }

  const EntrySignature& entry_;
  std::span<const Tensor> inputs_;
  Known known_;
  std::vector<std::optional<std::size_t>> origin_;  // by size param: the input it was solved from
};

std::string surface_type(ElementType element, const std::vector<Size>& shape,
                         const std::function<std::string(Size::Symbol)>& name_of) {
  const std::string scalar(facts(element).surface);
  if (shape.empty()) return scalar;
  std::vector<std::string> sizes;
  for (const Size& size : shape) sizes.push_back(size.to_text(name_of));
  if (shape.size() > 2) return fmt::format("Array [{}] {}", fmt::join(sizes, ", "), scalar);
  std::string result = shape.size() == 1 ? "Vec" : "Mat";
  for (const std::string& size : sizes)
    result += size.find(' ') == std::string::npos ? " " + size : " (" + size + ")";
  return result + " " + scalar;
}

}  // namespace

EntrySignature entry_signature(const Function& function) {
  EntrySignature entry;
  entry.function = function.name;
  entry.result_names = function.result_names;
  const std::vector<ValueId>& params = function.params();
  std::map<std::uint32_t, Size::Symbol> position;
  for (std::size_t i = 0; i < params.size(); ++i) {
    position.emplace(params[i].index, static_cast<Size::Symbol>(i));
    if (i < function.size_params) entry.size_names.push_back(function.values[params[i]].name);
  }
  auto here = [&](Size::Symbol symbol) {
    const auto found = position.find(symbol);
    return found == position.end() ? Size::overflow() : Size::symbol(found->second);
  };
  for (std::size_t i = function.size_params; i < params.size(); ++i) {
    const Value& value = function.values[params[i]];
    EntryInput input{value.name, value.type.element, {}, ""};
    for (const Size& size : value.type.shape) input.shape.push_back(size.substitute(here));
    entry.inputs.push_back(std::move(input));
  }
  for (EntryInput& input : entry.inputs) {
    input.surface_type = surface_type(input.element, input.shape, [&](Size::Symbol symbol) {
      const std::size_t sizes = entry.size_names.size();
      return symbol < sizes ? entry.size_names[symbol] : entry.inputs[symbol - sizes].name;
    });
  }
  return entry;
}

Result<std::vector<std::int64_t>, std::string> solve_sizes(const EntrySignature& entry,
                                                           std::span<const Tensor> inputs) {
  Solver solver(entry, inputs);
  if (auto error = solver.run()) return Failure{*error};
  return solver.sizes();
}

}  // namespace dvm::graph
