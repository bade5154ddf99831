// The pages docs/errors/*.md, one for each code, as they were when dvmc was built.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dvm::driver {

// A page as the build embeds it (docs/errors/embed.cmake), sorted by code.
struct EmbeddedPage {
  std::string_view code, text;
};
std::span<const EmbeddedPage> embedded_pages();

// What a page's first lines say: `# CODE: TITLE`, then `Stage: STAGE.`
struct ErrorPage {
  std::string_view code, title, stage, body;
};
std::optional<ErrorPage> find_error_page(std::string_view code);

// The page for a terminal: programs and messages are indented instead of fenced.
std::string show_page(const ErrorPage& page);
// All codes with their titles, by stage.
std::string list_pages();

}  // namespace dvm::driver
