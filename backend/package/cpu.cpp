// CPU features that native code needs, as CPUID words.
#include "backend/package/cpu.hpp"

#include <cpuid.h>
#include <fmt/format.h>

namespace dvm::package {

namespace {

struct Feature {
  std::string_view name;
  std::size_t word;
  int bit;
  int level;  // x86-64-v3 or -v4; 0: neither
};

// What code generators use and user code may run; other bits of the words are left out.
constexpr Feature features[] = {
    {"sse3", 0, 0, 3},
    {"pclmul", 0, 1, 0},
    {"ssse3", 0, 9, 3},
    {"fma", 0, 12, 3},
    {"cx16", 0, 13, 3},
    {"sse4.1", 0, 19, 3},
    {"sse4.2", 0, 20, 3},
    {"movbe", 0, 22, 3},
    {"popcnt", 0, 23, 3},
    {"aes", 0, 25, 0},
    {"avx", 0, 28, 3},
    {"f16c", 0, 29, 3},
    {"rdrand", 0, 30, 0},
    {"bmi", 1, 3, 3},
    {"avx2", 1, 5, 3},
    {"bmi2", 1, 8, 3},
    {"avx512f", 1, 16, 4},
    {"avx512dq", 1, 17, 4},
    {"rdseed", 1, 18, 0},
    {"adx", 1, 19, 0},
    {"avx512ifma", 1, 21, 0},
    {"avx512cd", 1, 28, 4},
    {"sha", 1, 29, 0},
    {"avx512bw", 1, 30, 4},
    {"avx512vl", 1, 31, 4},
    {"avx512vbmi", 2, 1, 0},
    {"avx512vbmi2", 2, 6, 0},
    {"gfni", 2, 8, 0},
    {"vaes", 2, 9, 0},
    {"vpclmul", 2, 10, 0},
    {"avx512vnni", 2, 11, 0},
    {"avx512bitalg", 2, 12, 0},
    {"avx512vpopcntdq", 2, 14, 0},
    {"avx512vp2intersect", 3, 8, 0},
    {"avx512fp16", 3, 23, 0},
    {"lzcnt", 4, 5, 3},
    {"sse4a", 4, 6, 0},
    {"xop", 4, 11, 0},
    {"fma4", 4, 16, 0},
};

}  // namespace

CpuFeatures host_features() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  CpuFeatures words{};
  if (__get_cpuid(1, &a, &b, &c, &d)) words[0] = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    words[1] = b;
    words[2] = c;
    words[3] = d;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) words[4] = c;
  CpuFeatures known{};
  for (const Feature& feature : features)
    known[feature.word] |= words[feature.word] & 1U << feature.bit;
  // The operating system must keep the wide registers too.
  if (!__builtin_cpu_supports("avx2")) known[1] &= ~(1U << 5);
  if (!__builtin_cpu_supports("avx512f")) known[1] &= ~(1U << 16);
  return known;
}

CpuFeatures needed_features(std::string_view cpu) {
  const int level = cpu == "x86-64-v3"          ? 3
                    : cpu == "x86-64-v4"        ? 4
                    : cpu.starts_with("x86-64") ? 2
                                                : 0;
  if (level == 0) return host_features();
  CpuFeatures needs{};
  for (const Feature& feature : features)
    if (feature.level != 0 && feature.level <= level) needs[feature.word] |= 1U << feature.bit;
  return needs;
}

std::optional<std::string> missing_feature(const CpuFeatures& needs, const CpuFeatures& host) {
  for (const Feature& feature : features) {
    const std::uint32_t bit = 1U << feature.bit;
    if ((needs[feature.word] & bit) && !(host[feature.word] & bit))
      return std::string(feature.name);
  }
  for (std::size_t k = 0; k < needs.size(); ++k)
    if (needs[k] & ~host[k])
      return fmt::format("feature bits {:#x} of word {}", needs[k] & ~host[k], k);
  return std::nullopt;
}

}  // namespace dvm::package
