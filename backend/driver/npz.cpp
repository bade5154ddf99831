// Members of .npz archives by key.
#include "backend/driver/npz.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "backend/driver/npy.hpp"
#include "backend/driver/zip.hpp"

namespace dvm::driver {

Result<Tensor, std::string> read_npz(const std::string& path, const std::string& key) {
  const auto file = InputFile::open(path);
  if (!file) return Failure{file.error()};
  const auto members = list_zip(*file);
  if (!members) return Failure{fmt::format("`{}` {}", path, members.error())};
  std::vector<std::string> keys;
  for (const ZipMember& member : *members) {
    std::string name = member.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    if (name != key) {
      keys.push_back(fmt::format("`{}`", name));
      continue;
    }
    auto source = open_member(*file, member);
    if (!source) return Failure{fmt::format("`{}` {}", path, source.error())};
    auto tensor = read_npy(**source, member.size);
    if (!tensor) return Failure{fmt::format("`{}:{}` {}", path, key, tensor.error())};
    return tensor;
  }
  return Failure{
      fmt::format("`{}` has no array `{}`; it has {}", path, key,
                  keys.empty() ? std::string("none") : fmt::format("{}", fmt::join(keys, ", ")))};
}

bool write_npz(PendingFile& file, std::span<const std::string> names,
               std::span<const Tensor> tensors) {
  ZipWriter archive(file);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!archive.add(names[i] + ".npy",
                     [&](const ByteSink& sink) { return write_npy(tensors[i], sink); })) {
      return false;
    }
  }
  return archive.finish();
}

}  // namespace dvm::driver
