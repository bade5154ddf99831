// Pages of the standard library: every link leads somewhere, every anchor is there once, and
// nothing but the files decides what they say.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "backend/driver/command_line.hpp"

using namespace dvm;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;

Files pages(const std::vector<std::string>& modules, const std::string& form) {
  setenv("DVM_STDLIB", DVM_SOURCE_FOLDER "/stdlib", 1);
  const fs::path folder = fs::temp_directory_path() / ("dvm_pages_" + std::to_string(getpid()));
  std::vector<std::string> arguments = {"doc", "-o", folder.string(), "--format", form};
  arguments.insert(arguments.end(), modules.begin(), modules.end());
  std::istringstream in;
  std::ostringstream out, err;
  const int status = driver::dvmc_main(arguments, {in, out, err, false, nullptr});
  INFO(err.str());
  REQUIRE(status == 0);
  Files files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    files[entry.path().filename().string()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  fs::remove_all(folder);
  return files;
}

std::vector<std::string> standard_library() {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(DVM_SOURCE_FOLDER "/stdlib"))
    files.insert(entry.path().string());
  return {files.begin(), files.end()};
}

std::vector<std::string> found(const std::string& text, const std::string& pattern) {
  std::vector<std::string> result;
  const std::regex regex(pattern);
  for (auto at = std::sregex_iterator(text.begin(), text.end(), regex);
       at != std::sregex_iterator(); ++at)
    result.push_back((*at)[1]);
  return result;
}

void check_links(const Files& files, const std::string& link) {
  std::map<std::string, std::set<std::string>> anchors;
  for (const auto& [name, text] : files)
    for (const std::string& id : found(text, "id=\"([^\"]*)\""))
      CHECK_MESSAGE(anchors[name].insert(id).second, name << " has twice " << id);
  std::size_t links = 0;
  for (const auto& [name, text] : files) {
    for (const std::string& target : found(text, link)) {
      const std::size_t hash = std::min(target.find('#'), target.size());
      const std::string file = hash == 0 ? name : target.substr(0, hash);
      const std::string anchor = target.substr(std::min(hash + 1, target.size()));
      CHECK_MESSAGE(files.contains(file), name << " links to " << target);
      CHECK_MESSAGE((anchor.empty() || anchors[file].contains(anchor)),
                    name << " links to " << target);
      ++links;
    }
  }
  CHECK(links > 200);
}

}  // namespace

TEST_CASE("pages of the standard library") {
  const Files html = pages(standard_library(), "html");
  check_links(html, "href=\"([^\"]*)\"");
  CHECK(html.at("Prelude.html").find("<a class=\"type\" href=\"#t-Maybe\">Maybe</a>") !=
        std::string::npos);
  CHECK(html.at("Random.html").find("index.html#t-Word32") != std::string::npos);
  CHECK(html == pages(standard_library(), "html"));
  check_links(pages(standard_library(), "markdown"), "\\]\\(([^ )]*)\\)");
}

TEST_CASE("pages of a module without signatures have its inferred types") {
  const fs::path path =
      fs::temp_directory_path() / ("dvm_page_" + std::to_string(getpid()) + ".dvm");
  std::ofstream(path) << "module Own where\n\n-- | Twice & more.\ntwice f x = f (f x)\n";
  const Files html = pages({path.string()}, "html");
  fs::remove(path);
  const std::string& page = html.at("Own.html");
  CHECK(page.find("twice</span> :: (a -&gt; a) -&gt; a -&gt; a") != std::string::npos);
  CHECK(page.find("Twice &amp; more.") != std::string::npos);
}
