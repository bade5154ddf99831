// Names first, then values, then sizes: the first thing that is wrong is what is reported.
#include "backend/driver/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "backend/driver/literals.hpp"
#include "backend/driver/npy.hpp"
#include "backend/driver/npy_header.hpp"
#include "backend/driver/npz.hpp"
#include "backend/driver/suggest.hpp"

namespace dvm::driver {

namespace {

using graph::EntryInput;
using graph::EntrySignature;

std::vector<std::string> input_names(const EntrySignature& entry) {
  std::vector<std::string> names;
  for (const EntryInput& input : entry.inputs) names.push_back(input.name);
  return names;
}

std::string signature_text(const EntrySignature& entry) {
  std::vector<std::string> parts;
  for (const EntryInput& input : entry.inputs)
    parts.push_back(fmt::format("{} :: {}", input.name, input.surface_type));
  if (parts.empty()) return fmt::format("`{}` has no inputs", entry.function);
  return fmt::format("`{}` takes {}", entry.function, fmt::join(parts, ", "));
}

// Which text belongs to which input.
Result<std::map<std::string, std::string>, std::string> split(
    const EntrySignature& entry, std::span<const std::string> arguments) {
  std::map<std::string, std::string> values;
  const auto names = input_names(entry);
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Failure{fmt::format("`{}` is not of the form name=value", argument)};
    }
    const std::string name = argument.substr(0, equals);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const auto close = nearest(name, names);
      return Failure{fmt::format("unknown input `{}`{}; {}", name,
                                 close ? fmt::format(", did you mean `{}`?", *close) : "",
                                 signature_text(entry))};
    }
    if (!values.emplace(name, argument.substr(equals + 1)).second) {
      return Failure{fmt::format("input `{}` is given twice", name)};
    }
  }
  return values;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::optional<std::string> check_form(const EntryInput& input, const std::string& value,
                                      const Tensor& tensor) {
  if (tensor.element == input.element && tensor.shape.size() == input.shape.size())
    return std::nullopt;
  std::string text = fmt::format("input `{}` has type {}, ", input.name, input.surface_type);
  if (tensor.element != input.element) {
    const std::string_view wanted = numpy_name(input.element);
    return text + fmt::format("that is {}, but `{}` holds {} (convert it with `.astype('{}')`)",
                              wanted, value, describe(tensor.element, tensor.shape), wanted);
  }
  const std::string expected = input.shape.empty() ? "a scalar (a 0-dimensional array)"
                                                   : plural(input.shape.size(), "dimension");
  return text + fmt::format("that is {}, but `{}` holds {}", expected, value,
                            describe(tensor.element, tensor.shape));
}

Result<Tensor, std::string> read_value(const EntryInput& input, const std::string& value) {
  Result<Tensor, std::string> tensor = Failure{std::string()};
  if (value.starts_with('@')) {
    const std::size_t colon = value.rfind(':');
    if (colon == std::string::npos || colon < 2 || colon + 1 == value.size()) {
      return Failure{
          fmt::format("input `{}`: `{}` is not of the form @file.npz:key", input.name, value)};
    }
    tensor = read_npz(value.substr(1, colon - 1), value.substr(colon + 1));
  } else if (value.ends_with(".npy")) {
    tensor = read_npy(value);
  } else {
    auto literal = parse_literal(value, input.element, input.shape.size());
    if (!literal) {
      const std::string shown = value.size() <= 60 ? value : value.substr(0, 57) + "...";
      return Failure{fmt::format(
          "input `{}` has type {}, but `{}` is neither such a literal nor a .npy file: {}",
          input.name, input.surface_type, shown, literal.error())};
    }
    return literal;
  }
  if (!tensor) return Failure{fmt::format("input `{}`: {}", input.name, tensor.error())};
  if (auto wrong = check_form(input, value, *tensor)) return Failure{*wrong};
  return tensor;
}

}  // namespace

Result<BoundInputs, std::string> bind_inputs(const EntrySignature& entry,
                                             std::span<const std::string> arguments) {
  const auto values = split(entry, arguments);
  if (!values) return Failure{values.error()};
  std::vector<std::string> missing;
  for (const EntryInput& input : entry.inputs) {
    if (!values->contains(input.name))
      missing.push_back(fmt::format("`{}` ({})", input.name, input.surface_type));
  }
  if (!missing.empty()) {
    return Failure{fmt::format("missing {} {}", missing.size() == 1 ? "input" : "inputs",
                               fmt::join(missing, ", "))};
  }
  BoundInputs bound;
  for (const EntryInput& input : entry.inputs) {
    auto tensor = read_value(input, values->at(input.name));
    if (!tensor) return Failure{tensor.error()};
    bound.inputs.push_back(*std::move(tensor));
  }
  auto sizes = graph::solve_sizes(entry, bound.inputs);
  if (!sizes) return Failure{sizes.error()};
  bound.sizes = *std::move(sizes);
  return bound;
}

}  // namespace dvm::driver
