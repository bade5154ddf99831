// A module's file starts with an upper-case letter and ends in .dvm.
#include "frontend/parse/module_names.hpp"

#include <algorithm>
#include <filesystem>

namespace dvm::parse {

std::vector<std::string> modules_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::string name = path.stem().string();
    if (path.extension() == ".dvm" && !name.empty() && name[0] >= 'A' && name[0] <= 'Z')
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace dvm::parse
