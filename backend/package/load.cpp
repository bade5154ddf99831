// Native code into memory: an anonymous file, so that nothing is left on disk.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backend/package/cpu.hpp"
#include "backend/package/package.hpp"

namespace dvm::package {

namespace {

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<Loaded, std::string> load(const Package& package) {
  const task::Program& program = package.program;
  if (const auto missing = missing_feature(package.needs, host_features()))
    return Failure{
        fmt::format("the package was built for CPU `{}`, and this one lacks `{}`: build it here, "
                    "or with `--cpu x86-64-v3`",
                    program.target.cpu, *missing)};
  Loaded loaded;
  loaded.program = program;
  if (program.kernels.empty()) return loaded;
  const int file = memfd_create("dvm-kernels", MFD_CLOEXEC);
  if (file < 0)
    return Failure{fmt::format("no memory for the native code: {}", std::strerror(errno))};
  const bool written = write_all(file, package.native);
  void* handle = written
                     ? dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL)
                     : nullptr;
  const std::string why = written ? (handle ? "" : dlerror()) : std::strerror(errno);
  if (!handle) {
    close(file);
    return Failure{fmt::format("the native code cannot be loaded: {}", why)};
  }
  // The file stays open as long as its code is mapped: under a number that is used again, dlopen
  // would take the next package for this one.
  loaded.library = std::shared_ptr<void>(handle, [file](void* library) {
    dlclose(library);
    close(file);
  });
  for (const task::Kernel& kernel : program.kernels) {
    void* symbol = dlsym(handle, kernel.symbol.c_str());
    if (!symbol)
      return Failure{fmt::format("the native code lacks the kernel `{}`", kernel.symbol)};
    loaded.functions.push_back(reinterpret_cast<kernel::KernelFunction>(symbol));
  }
  return loaded;
}

}  // namespace dvm::package
