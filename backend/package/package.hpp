// The package prog.dvmp: a task program and its machine code in one file.
//
// Layout (little endian): magic, version, checksum of all that follows, total size, number of
// sections, then kind, offset and size of each section, then their bytes. Sections: the program as
// .dvt text, the native shared object, the CPU features it needs.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "backend/package/loaded.hpp"
#include "ir/base/result.hpp"

namespace dvm::package {

inline constexpr std::uint32_t format_version = 2;

// Words of CPUID: leaf 1 ecx, leaf 7 ebx, ecx, edx, leaf 0x80000001 ecx.
using CpuFeatures = std::array<std::uint32_t, 5>;

struct Package {
  task::Program program;
  std::vector<std::byte> native;  // ELF shared object that exports the kernels' symbols
  CpuFeatures needs{};
};

// For code made on this machine for `program.target`: a named level (x86-64-v3, x86-64-v4) needs
// that level, any other CPU name the features of this machine.
Package make_package(task::Program program, std::vector<std::byte> native);

std::vector<std::byte> write(const Package& package);
// The error is a finished message: not a package, damaged, made by a newer dvmc. Any bytes are
// safe.
Result<Package, std::string> read(std::span<const std::byte> bytes);

// Maps the code. The error says what this machine lacks or what the object does not export.
Result<Loaded, std::string> load(const Package& package);

// For people: entry, target, sizes, kernels, then templates as .dvt text.
std::string inspect(const Package& package);

}  // namespace dvm::package
