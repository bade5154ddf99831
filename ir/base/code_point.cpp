// Decoding of UTF-8 and terminal widths.
#include "ir/base/code_point.hpp"

#include <algorithm>
#include <array>

namespace dvm {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Main blocks of combining marks and of wide characters (Unicode Standard Annex 11, coarse).
constexpr std::array zero_width = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x0900, 0x0902}, Range{0x0E34, 0x0E3A}, Range{0x1AB0, 0x1AFF},
    Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},
    Range{0xFE20, 0xFE2F}};
constexpr std::array double_width = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x4DBF},
    Range{0x4E00, 0xA4CF},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF},
    Range{0x20000, 0x3FFFD}};

template <std::size_t count>
bool within(const std::array<Range, count>& ranges, std::uint32_t value) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](Range range) { return range.first <= value && value <= range.last; });
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t offset) {
  const CodePoint invalid{0xFFFD, 1, false};
  const auto first = static_cast<unsigned char>(text[offset]);
  if (first < 0x80) return {first, 1, true};
  std::uint32_t bytes = 0, value = 0, least = 0;
  if ((first & 0xE0) == 0xC0) {
    bytes = 2, value = first & 0x1Fu, least = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    bytes = 3, value = first & 0x0Fu, least = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    bytes = 4, value = first & 0x07u, least = 0x10000;
  } else {
    return invalid;
  }
  if (text.size() - offset < bytes) return invalid;
  for (std::uint32_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[offset + i]);
    if ((next & 0xC0) != 0x80) return invalid;
    value = value << 6 | (next & 0x3Fu);
  }
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return invalid;
  return {value, bytes, true};
}

int terminal_width(std::uint32_t code_point) {
  if (code_point < 0x0300) return 1;
  if (within(zero_width, code_point)) return 0;
  return within(double_width, code_point) ? 2 : 1;
}

}  // namespace dvm
