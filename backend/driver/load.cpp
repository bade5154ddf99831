// From a file name to a program that is ready to run: through the cache, or not.
#include <fmt/format.h>

#include <filesystem>

#include "backend/driver/build_id.hpp"
#include "backend/driver/cache.hpp"
#include "backend/driver/compile.hpp"
#include "backend/package/package.hpp"

namespace dvm::driver {

namespace {

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

// Everything that decides a package but the imported modules. The path as it was written is in it,
// because messages of the running program name it.
CacheEntry cache_entry(const Compilation& compilation, const std::string& path,
                       const std::string& text, const Settings& settings) {
  const CompileOptions& options = compilation.options;
  std::error_code ignored;
  std::vector<std::string> facts = {"dvmc package",
                                    build_id(),
                                    text,
                                    path,
                                    std::filesystem::absolute(folder_of(path), ignored).string(),
                                    options.entry,
                                    settings.target.cpu,
                                    std::string(name(settings.target.isa)),
                                    print_machine(settings.machine),
                                    stdlib_folder(),
                                    options.contract ? "contracted" : ""};
  facts.push_back(std::to_string(options.include_folders.size()));
  facts.insert(facts.end(), options.include_folders.begin(), options.include_folders.end());
  facts.insert(facts.end(), options.disabled.begin(), options.disabled.end());
  return CacheEntry(facts);
}

std::optional<package::Loaded> load(Compilation& compilation, const std::string& path,
                                    const package::Package& package, RunTimes& times) {
  const Compilation::Clock clock;
  auto loaded = package::load(package);
  if (!loaded)
    return compilation.stop(
        {status::usage, "package", fmt::format("cannot run `{}`: {}", path, loaded.error())});
  times.load += clock.seconds();
  return *std::move(loaded);
}

}  // namespace

std::optional<package::Package> read_package(Compilation& compilation, const std::string& path) {
  const auto bytes = read_program(compilation, path);
  if (!bytes) return std::nullopt;
  auto package = package::read(std::as_bytes(std::span(*bytes)));
  if (!package)
    return compilation.stop(
        {status::usage, "package", fmt::format("cannot use `{}`: {}", path, package.error())});
  return *std::move(package);
}

std::optional<package::Loaded> load_or_compile(Compilation& compilation, const std::string& path,
                                               RunTimes& times) {
  if (path.ends_with(".dvmp")) {
    const auto package = read_package(compilation, path);
    return package ? load(compilation, path, *package, times) : std::nullopt;
  }
  const auto settings = choose_settings(compilation);
  auto text = settings ? read_program(compilation, path) : std::nullopt;
  if (!text || !check_pass_names(compilation, compilation.options.disabled)) return std::nullopt;
  const CompileOptions& options = compilation.options;
  const bool use_cache = !options.no_cache && !options.wants_to_see_passes();
  const CacheEntry entry = cache_entry(compilation, path, *text, *settings);
  if (const auto cached = use_cache ? entry.find() : std::nullopt) {
    Compilation trial{
        options};  // what is wrong with a cached package concerns nobody: it is made again
    const auto package = read_package(trial, *cached);
    auto loaded = package ? load(trial, *cached, *package, times) : std::nullopt;
    times.cached = loaded.has_value();
    if (loaded) return loaded;
  }
  auto compiled = compile(compilation, path, *std::move(text), *settings);
  if (!compiled) return std::nullopt;
  times.compile = compilation.total_seconds();
  times.stages = compilation.seconds;
  // A program with warnings is compiled again each time, so that they are seen again.
  if (use_cache && compilation.diagnostics.sorted().empty()) {
    std::vector<std::string> roots = {folder_of(path)};
    roots.insert(roots.end(), options.include_folders.begin(), options.include_folders.end());
    roots.push_back(stdlib_folder());
    const auto bytes = package::write(compiled->package);
    entry.store({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, compiled->imports,
                roots);
  }
  return load(compilation, path, compiled->package, times);
}

}  // namespace dvm::driver
