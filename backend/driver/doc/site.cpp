// The table of anchors.
#include "backend/driver/doc/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace dvm::driver {

std::string anchor_of(const std::string& name, bool type) {
  std::string anchor = type ? "t-" : "v-";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      anchor += c;
    } else {
      anchor += fmt::format("-{:02x}", byte);
    }
  }
  return anchor;
}

namespace {

constexpr BuiltIn built_in[] = {
    {"Bool", "`True` and `False`"},
    {"Int, Int8, Int16, Int32, Int64", "integers with a sign; `Int` has 64 bits"},
    {"Word, Word8, Word16, Word32, Word64", "integers without; `Word` has 64 bits"},
    {"Float, Double", "IEEE 754 numbers of 32 and 64 bits"},
    {"Array", "`Array [n, m] a`: a regular array of any rank, in row-major order"},
    {"Vec, Mat", "`Vec n a` is `Array [n] a`, `Mat n m a` is `Array [n, m] a`"},
    {"String", "the message of `error` and `assert`"},
};

}  // namespace

std::span<const BuiltIn> built_in_types() { return built_in; }

std::vector<std::string> names_of(const BuiltIn& built_in) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < built_in.names.size();) {
    const std::size_t end = std::min(built_in.names.find(", ", at), built_in.names.size());
    names.emplace_back(built_in.names.substr(at, end - at));
    at = end + 2;
  }
  return names;
}

Site::Site(std::vector<SitePage> pages) : pages_(std::move(pages)) {
  for (const SitePage& page : pages_) {
    auto& values = anchors_[0][page.module.name];
    auto& types = anchors_[1][page.module.name];
    for (const DocSection& section : page.module.sections) {
      for (const DocEntry& entry : section.entries) {
        const bool type = entry.kind != DocEntry::Kind::Function;
        for (const std::string& name : entry.names)
          (type ? types : values)[name] = anchor_of(name, type);
        for (const auto* names : {&entry.parts, &entry.fields})
          for (const std::string& name : *names) values[name] = anchor_of(name, false);
      }
    }
  }
}

std::optional<Target> Site::find(const SitePage& page, const std::string& name, bool type) const {
  std::vector<std::string> modules = {page.module.name};
  modules.insert(modules.end(), page.imports.begin(), page.imports.end());
  for (const std::string& module : modules) {
    const auto names = anchors_[type ? 1 : 0].find(module);
    if (names == anchors_[type ? 1 : 0].end()) continue;
    const auto anchor = names->second.find(name);
    if (anchor != names->second.end()) return Target{module, anchor->second};
  }
  if (!type) return std::nullopt;
  for (const BuiltIn& group : built_in_types())
    for (const std::string& built : names_of(group))
      if (built == name) return Target{index_page, anchor_of(name, true)};
  return std::nullopt;
}

std::vector<Site::Entry> Site::index() const {
  std::vector<Entry> entries;
  for (const auto& modules : anchors_)
    for (const auto& [module, names] : modules)
      for (const auto& [name, anchor] : names) entries.push_back({name, {module, anchor}});
  const auto key = [](const Entry& entry) {
    std::string lower = entry.name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool word = written_name(entry.name) == entry.name;
    return std::make_tuple(word, lower, entry.name, entry.target.module, entry.target.anchor);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  return entries;
}

}  // namespace dvm::driver
