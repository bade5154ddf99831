// Writing and reading of packages.
#include "backend/package/package.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <optional>

#include "backend/package/cpu.hpp"
#include "ir/task/text.hpp"
#include "ir/task/verify.hpp"

namespace dvm::package {

namespace {

// The line end shows damage by text-mode copying.
constexpr std::string_view magic = "DVMP\r\n\x1a\n";
constexpr std::size_t checksum_at = 12, checked_from = 16, table_at = 28;
constexpr std::size_t entry_bytes = 20;

enum Section : std::uint32_t { Program = 1, Native = 2, Features = 3 };

std::uint32_t checksum(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0;
  while (!bytes.empty()) {
    const std::size_t piece = std::min<std::size_t>(bytes.size(), std::size_t{1} << 30);
    sum = static_cast<std::uint32_t>(
        crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(piece)));
    bytes = bytes.subspan(piece);
  }
  return sum;
}

void put(std::vector<std::byte>& out, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) out.push_back(static_cast<std::byte>(value >> (8 * k) & 255));
}
// The caller has checked that the bytes are there.
std::uint64_t get(std::span<const std::byte> bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int k = 0; k < count; ++k)
    value |= static_cast<std::uint64_t>(bytes[at + static_cast<std::size_t>(k)]) << (8 * k);
  return value;
}

std::optional<std::span<const std::byte>> section(std::span<const std::byte> bytes,
                                                  std::uint32_t kind) {
  const std::uint64_t count = get(bytes, 24, 4);
  if (count > (bytes.size() - table_at) / entry_bytes) return std::nullopt;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = table_at + k * entry_bytes;
    if (get(bytes, at, 4) != kind) continue;
    const std::uint64_t offset = get(bytes, at + 4, 8), size = get(bytes, at + 12, 8);
    if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
    return bytes.subspan(offset, size);
  }
  return std::nullopt;
}

}  // namespace

Package make_package(task::Program program, std::vector<std::byte> native) {
  const CpuFeatures needs = needed_features(program.target.cpu);
  return {std::move(program), std::move(native), needs};
}

std::vector<std::byte> write(const Package& package) {
  const std::string text = task::print(package.program);
  std::vector<std::byte> features;
  for (std::uint32_t word : package.needs) put(features, word, 4);
  const std::pair<std::uint32_t, std::span<const std::byte>> sections[] = {
      {Program, std::as_bytes(std::span(text))}, {Native, package.native}, {Features, features}};
  std::vector<std::byte> out;
  for (char c : magic) out.push_back(static_cast<std::byte>(c));
  put(out, format_version, 4);
  put(out, 0, 4);
  std::size_t offset = table_at + std::size(sections) * entry_bytes;
  std::size_t total = offset;
  for (const auto& [kind, bytes] : sections) total += bytes.size();
  put(out, total, 8);
  put(out, std::size(sections), 4);
  for (const auto& [kind, bytes] : sections) {
    put(out, kind, 4);
    put(out, offset, 8);
    put(out, bytes.size(), 8);
    offset += bytes.size();
  }
  for (const auto& [kind, bytes] : sections) out.insert(out.end(), bytes.begin(), bytes.end());
  const std::uint32_t sum = checksum(std::span(out).subspan(checked_from));
  for (std::size_t k = 0; k < 4; ++k)
    out[checksum_at + k] = static_cast<std::byte>(sum >> (8 * k) & 255);
  return out;
}

Result<Package, std::string> read(std::span<const std::byte> bytes) {
  const auto refuse = [](std::string message) { return Failure{std::move(message)}; };
  if (bytes.size() < 4 || std::memcmp(bytes.data(), magic.data(), 4) != 0)
    return refuse("not a dvmc package");
  if (bytes.size() < table_at) return refuse("the package is truncated");
  if (std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    return refuse("the package is damaged: its line ends were changed");
  const std::uint64_t version = get(bytes, 8, 4);
  if (version > format_version)
    return refuse(
        fmt::format("the package was made by a newer dvmc: format {}, this one reads up to {}",
                    version, format_version));
  if (version < format_version)
    return refuse(fmt::format("the package has the old format {}: build it again", version));
  const std::uint64_t total = get(bytes, 16, 8);
  if (total > bytes.size())
    return refuse(fmt::format("the package is truncated: {} of {} bytes", bytes.size(), total));
  if (total < bytes.size()) return refuse("the package is damaged: there is more after its end");
  if (checksum(bytes.subspan(checked_from)) != get(bytes, checksum_at, 4))
    return refuse("the package is damaged: its checksum does not fit");
  const auto text = section(bytes, Program), native = section(bytes, Native),
             features = section(bytes, Features);
  Package package;
  if (!text || !native || !features || features->size() != 4 * package.needs.size())
    return refuse("the package is damaged: a section is missing");
  auto program = task::parse({reinterpret_cast<const char*>(text->data()), text->size()});
  if (!program) return refuse("the package is damaged: tasks, " + program.error());
  if (const auto problems = task::verify(*program); !problems.empty())
    return refuse("the package is damaged: " + problems.front());
  package.program = std::move(*program);
  package.native.assign(native->begin(), native->end());
  for (std::size_t k = 0; k < package.needs.size(); ++k)
    package.needs[k] = static_cast<std::uint32_t>(get(*features, 4 * k, 4));
  return package;
}

std::string inspect(const Package& package) {
  const task::Program& program = package.program;
  std::size_t families = 0;
  for (const task::Template& owner : program.templates) families += owner.families.size();
  std::string out =
      fmt::format("package     format {}\ntarget      {}, {}{}\nnative      {} bytes, {} kernels\n",
                  format_version, program.target.cpu, name(program.target.isa),
                  program.target.contracted ? ", contracted" : "", package.native.size(),
                  program.kernels.size());
  out += fmt::format("tasks       {} templates, {} families, {} checks\n", program.templates.size(),
                     families, program.checks.size());
  const auto symbol_name = [&](Size::Symbol symbol) {
    const std::size_t sizes = program.entry.size_names.size();
    return symbol < sizes ? program.entry.size_names[symbol]
                          : program.entry.inputs[symbol - sizes].name;
  };
  out += fmt::format("entry       {}\n", program.entry.function);
  for (const graph::EntryInput& input : program.entry.inputs) {
    std::string shape;
    for (const Size& size : input.shape)
      shape += (shape.empty() ? "" : ", ") + size.to_text(symbol_name);
    out += fmt::format("input       {}: {}{}\n", input.name, facts(input.element).name,
                       input.shape.empty() ? "" : "[" + shape + "]");
  }
  for (const std::string& result : program.entry.result_names)
    out += fmt::format("result      {}\n", result);
  return out + "\n" + task::print(program);
}

}  // namespace dvm::package
