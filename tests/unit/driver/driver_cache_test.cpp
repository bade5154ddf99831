// The cache of packages: found when nothing changed, not when anything did.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/driver/cache.hpp"
#include "backend/driver/files.hpp"

using namespace dvm::driver;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string form = (fs::temp_directory_path() / "dvm-cache-XXXXXX").string();
    path = mkdtemp(form.data());
    setenv("XDG_CACHE_HOME", (path / "cache").c_str(), 1);
  }
  ~Folder() { fs::remove_all(path); }
  std::string put(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

}  // namespace

TEST_CASE("a package is found until a fact, an import or the search changes") {
  const Folder folder;
  const std::string lib = folder.put("lib/Math/Fast.dvm", "one");
  const std::vector<std::string> facts = {"source", "options"};
  const std::vector<std::pair<std::string, std::string>> imports = {{"Math.Fast", lib}};
  const std::vector<std::string> roots = {(folder.path / "main").string(),
                                          (folder.path / "lib").string()};
  const CacheEntry entry(facts);
  CHECK_FALSE(entry.find().has_value());
  entry.store("package", imports, roots);
  REQUIRE(entry.find().has_value());
  CHECK(*read_text(*entry.find()) == "package");
  CHECK(CacheEntry(facts).find() == entry.find());

  CHECK_FALSE(CacheEntry(std::vector<std::string>{"sourc", "eoptions"}).find().has_value());
  folder.put("lib/Math/Fast.dvm", "two");
  CHECK_FALSE(entry.find().has_value());
  folder.put("lib/Math/Fast.dvm", "one");
  CHECK(entry.find().has_value());
  folder.put("main/Math/Fast.dvm", "now found first");
  CHECK_FALSE(entry.find().has_value());
  fs::remove(folder.path / "main/Math/Fast.dvm");
  fs::remove(*entry.find());
  CHECK_FALSE(entry.find().has_value());
}

TEST_CASE("a cache that cannot be written is no error") {
  const Folder folder;
  setenv("XDG_CACHE_HOME", folder.put("file", "").c_str(), 1);
  const std::vector<std::string> facts = {"x"};
  const CacheEntry entry(facts);
  entry.store("package", {}, {});
  CHECK_FALSE(entry.find().has_value());
}
