// UTF-8 code points and the columns they take on a terminal.
#pragma once

#include <cstdint>
#include <string_view>

namespace dvm {

struct CodePoint {
  std::uint32_t value = 0xFFFD;  // U+FFFD for a byte that is not valid UTF-8
  std::uint32_t bytes = 1;       // how many bytes of the text it took
  bool valid = true;
};

// The code point at `offset` of `text` (offset < text.size()). Overlong forms, surrogates and cut
// sequences are invalid, one byte each.
CodePoint code_point_at(std::string_view text, std::size_t offset);

// 0 for combining marks, 2 for East Asian wide and emoji, else 1.
int terminal_width(std::uint32_t code_point);

}  // namespace dvm
