// All files of a run are written first and renamed last.
#include "backend/driver/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "backend/driver/files.hpp"
#include "backend/driver/npy.hpp"
#include "backend/driver/npz.hpp"

namespace dvm::driver {

Result<OutputTarget, std::string> parse_output(const std::string& path) {
  using Kind = OutputTarget::Kind;
  std::error_code ignored;
  if (path.ends_with('/') || std::filesystem::is_directory(path, ignored))
    return OutputTarget{Kind::Folder, path};
  if (path.ends_with(".npz")) return OutputTarget{Kind::Archive, path};
  if (path.ends_with(".npy") || path == "/dev/null") return OutputTarget{Kind::OneArray, path};
  return Failure{fmt::format(
      "cannot tell what to write to `{}`: end it in `.npy`, `.npz`, or `/` for a folder", path)};
}

std::optional<std::string> check_output(const OutputTarget& target,
                                        std::span<const std::string> names) {
  if (target.kind != OutputTarget::Kind::OneArray || names.size() == 1) return std::nullopt;
  return fmt::format(
      "`{}` holds one array, but there are {} results ({}): write to a `.npz` or to a folder "
      "(`{}/`)",
      target.path, names.size(), fmt::join(names, ", "),
      std::filesystem::path(target.path).replace_extension().string());
}

std::optional<std::string> write_outputs(const OutputTarget& target,
                                         std::span<const std::string> names,
                                         std::span<const Tensor> results) {
  std::vector<PendingFile> files;
  const auto open = [&](const std::string& path) -> std::optional<std::string> {
    auto file = PendingFile::create(path);
    if (!file) return file.error();
    files.push_back(std::move(*file));
    return std::nullopt;
  };
  if (target.kind == OutputTarget::Kind::Archive) {
    if (auto error = open(target.path)) return error;
    write_npz(files.back(), names, results);
  } else {
    const bool folder = target.kind == OutputTarget::Kind::Folder;
    if (auto error = folder ? make_folders(target.path) : std::nullopt) return error;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto path = folder ? (std::filesystem::path(target.path) / (names[i] + ".npy")).string()
                               : target.path;
      if (auto error = open(path)) return error;
      if (!write_npy(results[i],
                     [&](std::span<const std::byte> bytes) { return files.back().write(bytes); })) {
        return files.back().commit();  // names the reason and removes the file
      }
    }
  }
  for (PendingFile& file : files) {
    if (auto error = file.commit()) return error;
  }
  return std::nullopt;
}

}  // namespace dvm::driver
