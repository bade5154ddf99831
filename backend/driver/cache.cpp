// Files `<key>.deps` (the manifest) and `<key>-<digest of the manifest>.dvmp`.
//
// A manifest line is `file <digest> <path>` for a module that was loaded, or `absent <path>` for a
// place where a module of that name was looked for and is not: should one appear there, it would be
// loaded instead.
#include "backend/driver/cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "backend/driver/digest.hpp"
#include "backend/driver/files.hpp"

namespace dvm::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_up_to_date(const std::string& manifest) {
  std::istringstream lines(manifest);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(' ');
    if (first == std::string::npos) return false;
    const std::string kind = line.substr(0, first);
    if (kind == "absent") {
      if (exists(line.substr(first + 1))) return false;
      continue;
    }
    const std::size_t second = line.find(' ', first + 1);
    if (kind != "file" || second == std::string::npos) return false;
    const auto text = read_text(line.substr(second + 1));
    if (!text || sha256(*text) != line.substr(first + 1, second - first - 1)) return false;
  }
  return true;
}

std::optional<std::string> make_manifest(
    std::span<const std::pair<std::string, std::string>> imports,
    std::span<const std::string> roots) {
  std::string manifest;
  for (const auto& [module, path] : imports) {
    const auto text = read_text(path);
    if (!text || path.find('\n') != std::string::npos) return std::nullopt;
    manifest += "file " + sha256(*text) + " " + absolute(path) + "\n";
    std::string relative = module;
    std::replace(relative.begin(), relative.end(), '.', '/');
    for (const std::string& root : roots) {
      const std::string place = absolute((fs::path(root) / (relative + ".dvm")).string());
      if (!exists(place)) manifest += "absent " + place + "\n";
    }
  }
  return manifest;
}

bool write_whole(const std::string& path, std::string_view bytes) {
  auto file = PendingFile::create(path);
  return file.ok() && file->write(bytes) && !file->commit();
}

// Removes the packages that were not used for the longest time once there are too many bytes of
// them.
void trim(const std::string& folder) {
  struct Kept {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::error_code error;
  std::vector<Kept> kept;
  std::uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    kept.push_back({entry.last_write_time(ignored), entry.file_size(ignored), entry.path()});
    if (!ignored) total += kept.back().bytes;
  }
  if (total <= most_bytes) return;
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (const Kept& file : kept) {
    if (total <= most_bytes / 2) break;
    if (fs::remove(file.path, error)) total -= std::min(total, file.bytes);
  }
}

}  // namespace

std::string cache_folder() {
  const std::string given = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (!given.empty()) return given + "/dvmc";
  return home.empty() ? "" : home + "/.cache/dvmc";
}

CacheEntry::CacheEntry(std::span<const std::string> facts) : folder_(cache_folder()) {
  std::string all;
  for (const std::string& fact : facts) all += std::to_string(fact.size()) + ":" + fact;
  key_ = sha256(all);
}

std::string CacheEntry::package_path(const std::string& manifest) const {
  return folder_ + "/" + key_ + "-" + sha256(manifest).substr(0, 16) + ".dvmp";
}

std::optional<std::string> CacheEntry::find() const {
  if (folder_.empty()) return std::nullopt;
  const auto manifest = read_text(folder_ + "/" + key_ + ".deps");
  if (!manifest || !is_up_to_date(*manifest)) return std::nullopt;
  std::string path = package_path(*manifest);
  if (!exists(path)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return path;
}

void CacheEntry::store(std::string_view package,
                       std::span<const std::pair<std::string, std::string>> imports,
                       std::span<const std::string> roots) const {
  if (folder_.empty() || make_folders(folder_)) return;
  const auto manifest = make_manifest(imports, roots);
  if (!manifest) return;
  if (write_whole(package_path(*manifest), package))
    write_whole(folder_ + "/" + key_ + ".deps", *manifest);
  trim(folder_);
}

}  // namespace dvm::driver
