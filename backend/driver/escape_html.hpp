// Text inside of HTML.
#pragma once

#include <string>
#include <string_view>

namespace dvm::driver {

// `&`, `<`, `>` and `"` as entities: right in content and in quoted attributes.
std::string escape_html(std::string_view text);

}  // namespace dvm::driver
