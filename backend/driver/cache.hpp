// Compiled packages kept by content, so that running an unchanged program does not compile it
// again.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dvm::driver {

// One entry: what its package depends on beside other modules is the key; which modules those were,
// and where others of their names would have been found first, stands in a manifest.
class CacheEntry {
 public:
  // `facts`: everything that decides the package but imported modules. Without a folder to keep
  // packages in nothing is ever found or stored.
  explicit CacheEntry(std::span<const std::string> facts);

  // The package's path, when there is one that is not out of date.
  std::optional<std::string> find() const;

  // Keeps a package. `imports`: name and path of each module it was made of but the main one;
  // `roots`: the folders where modules are looked for. What cannot be written is not kept.
  void store(std::string_view package, std::span<const std::pair<std::string, std::string>> imports,
             std::span<const std::string> roots) const;

 private:
  std::string package_path(const std::string& manifest) const;
  std::string folder_, key_;
};

// $XDG_CACHE_HOME/dvmc, else ~/.cache/dvmc; empty when neither variable is set.
std::string cache_folder();

}  // namespace dvm::driver
