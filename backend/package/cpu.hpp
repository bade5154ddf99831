// CPU features that native code needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backend/package/package.hpp"

namespace dvm::package {

CpuFeatures host_features();
CpuFeatures needed_features(std::string_view cpu);
// A name of something that is needed and missing, for the message; nullopt: all is there.
std::optional<std::string> missing_feature(const CpuFeatures& needs, const CpuFeatures& host);

}  // namespace dvm::package
