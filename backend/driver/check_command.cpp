// check: the whole front end; with --fix the suggestions that have no alternative are applied.
#include <fmt/format.h>

#include <ostream>

#include "backend/driver/commands.hpp"
#include "backend/driver/files.hpp"
#include "backend/driver/front.hpp"

namespace dvm::driver {

namespace {

constexpr int most_rounds = 20;  // a mended mistake may uncover another

// The entry is lowered too where there is one, because what cannot exist at run time shows only
// there.
void check_program(Compilation& compilation, const Options& options) {
  auto text = read_program(compilation, options.file);
  const auto syntax = text ? parse_program(compilation, options.file, *std::move(text)) : nullptr;
  const auto typed = syntax ? check_types(compilation, *syntax) : std::nullopt;
  if (typed && (!options.compile.entry.empty() || has_entry(*typed, "main")))
    lower_entry(compilation, *typed);
}

// Writes the program with all sure suggestions; nothing when there are none.
Result<std::size_t, std::string> mend(const Compilation& compilation, const Options& options) {
  std::size_t applied = 0;
  if (compilation.sources.size() == 0) return applied;
  const FileId program{0};  // the file given; imported ones are not touched
  const std::string text =
      apply_suggestions(compilation.diagnostics, compilation.sources, program, applied);
  if (applied == 0) return applied;
  auto file = PendingFile::create(options.file);
  if (!file) return Failure{file.error()};
  file->write(text);
  if (auto error = file->commit()) return Failure{*std::move(error)};
  return applied;
}

}  // namespace

int check_command(const Options& options, const Console& console) {
  std::size_t applied = 0;
  for (int round = 0;; ++round) {
    Compilation compilation{options.compile};
    check_program(compilation, options);
    if (options.fix && round < most_rounds) {
      const auto mended = mend(compilation, options);
      if (!mended)
        return report(Problem{status::usage, "output", mended.error()}, options, console);
      applied += *mended;
      if (*mended > 0) continue;
    }
    if (applied > 0)
      console.out << fmt::format("{}: {} suggestion{} applied\n", options.file, applied,
                                 applied == 1 ? "" : "s");
    return report(compilation, options, console);
  }
}

}  // namespace dvm::driver
