// A set of pages: what links to what, and the two forms that pages are written in.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/driver/doc/signature.hpp"

namespace dvm::driver {

// A module with all that its page needs.
struct SitePage {
  ModuleDoc module;
  std::shared_ptr<const ast::Program> syntax;
  std::string source;                           // the text of the file
  std::vector<std::string> imports;             // names of modules, the Prelude last
  std::map<std::string, std::string> inferred;  // types of exported functions without signature
};

struct Target {
  std::string module;
  std::string anchor;
};

// Types that no module declares, explained on the index.
struct BuiltIn {
  std::string_view names;  // with commas: they share an explanation
  std::string_view what;
};
std::span<const BuiltIn> built_in_types();
std::vector<std::string> names_of(const BuiltIn& built_in);
inline constexpr const char* index_page = "index";  // the module of their targets

// `v-length`, `t-Maybe`: letters, digits and dashes alone, different for different names. Types and
// classes have their own.
std::string anchor_of(const std::string& name, bool type);

class Site {
 public:
  explicit Site(std::vector<SitePage> pages);
  const std::vector<SitePage>& pages() const { return pages_; }

  // What a name means on a page: its own module's, else one of a module that it imports, else a
  // type that is built in.
  std::optional<Target> find(const SitePage& page, const std::string& name, bool type) const;

  // Every exported name with where it is explained, in alphabetical order, operators first.
  struct Entry {
    std::string name;
    Target target;
  };
  std::vector<Entry> index() const;

 private:
  std::vector<SitePage> pages_;
  std::map<std::string, std::map<std::string, std::string>>
      anchors_[2];  // module, name; values, types
};

// The files of the site (name, content), names in order. Nothing but the pages decides them.
std::map<std::string, std::string> html_files(const Site& site);
std::map<std::string, std::string> markdown_files(const Site& site);

}  // namespace dvm::driver
