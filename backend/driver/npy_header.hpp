// The header of a .npy file: a Python dictionary with the element type, the order and the shape.
// Format: NumPy's numpy.lib.format documentation, versions 1.0 to 3.0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/type/element.hpp"

namespace dvm::driver {

struct NpyHeader {
  ElementType element = ElementType::F64;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// Parses the dictionary (the text after the length field). The error is a phrase that fits after
// `file.npy`: `is not a valid .npy file: …` or `holds complex128 …`.
Result<NpyHeader, std::string> parse_npy_header(std::string_view dictionary);

// Magic, version 1.0, length and dictionary, padded so that the data starts at a multiple of 64
// bytes.
std::string print_npy_header(const NpyHeader& header);

// `float64`, `bool`: what NumPy users call the type.
std::string_view numpy_name(ElementType element);
// `float64 [3, 4]`, `int64 scalar`.
std::string describe(ElementType element, const std::vector<std::int64_t>& shape);

}  // namespace dvm::driver
