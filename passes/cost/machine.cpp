// Machine files: a table of names and members drives reading and printing.
#include "passes/cost/machine.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

namespace dvm::passes {

namespace {

struct Field {
  std::string_view name;
  double Machine::* figure;
  int Machine::* count;
};
constexpr Field fields[] = {
    {"workers", nullptr, &Machine::workers},
    {"flops_per_second", &Machine::flops_per_second, nullptr},
    {"bytes_per_second", &Machine::bytes_per_second, nullptr},
    {"cache_bytes", &Machine::cache_bytes, nullptr},
    {"shared_cache_bytes", &Machine::shared_cache_bytes, nullptr},
    {"dispatch_seconds", &Machine::dispatch_seconds, nullptr},
    {"task_seconds", &Machine::task_seconds, nullptr},
    {"nodes", nullptr, &Machine::nodes},
    {"network_seconds", &Machine::network_seconds, nullptr},
    {"network_bytes_per_second", &Machine::network_bytes_per_second, nullptr},
    {"memory_bytes", &Machine::memory_bytes, nullptr},
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// The message when the setting is not understood.
std::string set(Machine& machine, std::string_view key, std::string_view value) {
  if (key == "name") {
    machine.name = value;
    return {};
  }
  for (const Field& field : fields) {
    if (field.name != key) continue;
    double number = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (status != std::errc{} || end != value.data() + value.size() || !std::isfinite(number) ||
        number < 0)
      return fmt::format("`{}` is not a number that fits `{}`", value, key);
    if (field.figure != nullptr) {
      machine.*field.figure = number;
      return {};
    }
    if (number < 1 || number > 1e6 || number != std::floor(number))
      return fmt::format("`{}` must be a whole number from 1 to 1000000, not `{}`", key, value);
    machine.*field.count = static_cast<int>(number);
    return {};
  }
  return fmt::format("there is no figure `{}`", key);
}

}  // namespace

Result<Machine, std::string> parse_machine(std::string_view text) {
  Machine machine;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
      return Failure{fmt::format("line {}: expected `name = value`, found `{}`", number, line)};
    std::string problem = set(machine, trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
    if (!problem.empty()) return Failure{fmt::format("line {}: {}", number, problem)};
  }
  if (machine.flops_per_second <= 0 || machine.bytes_per_second <= 0)
    return Failure{std::string("`flops_per_second` and `bytes_per_second` must be greater than 0")};
  return machine;
}

std::string print_machine(const Machine& machine) {
  std::string text = fmt::format("name = {}\n", machine.name);
  for (const Field& field : fields) {
    if (field.figure != nullptr)
      text += fmt::format("{} = {}\n", field.name, machine.*field.figure);
    else
      text += fmt::format("{} = {}\n", field.name, machine.*field.count);
  }
  return text;
}

Result<Machine, std::string> load_machine(const std::string& name_or_path) {
  if (name_or_path == "laptop") return Machine{};
  std::ifstream in(name_or_path, std::ios::binary);
  if (!in) return Failure{fmt::format("there is no machine or file `{}`", name_or_path)};
  std::ostringstream text;
  text << in.rdbuf();
  Result<Machine, std::string> machine = parse_machine(text.str());
  if (!machine.ok()) return Failure{fmt::format("{}: {}", name_or_path, machine.error())};
  return machine;
}

}  // namespace dvm::passes
