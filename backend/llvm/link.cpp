// Links objects with lld, in this process.
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "backend/llvm/code.hpp"

LLD_HAS_DRIVER(elf)

namespace dvm::llvm_backend {

namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code problem;
    std::string pattern = (fs::temp_directory_path(problem) / "dvmc-XXXXXX").string();
    if (problem) return;
    if (const char* made = mkdtemp(pattern.data())) path_ = made;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  bool ok() const { return !path_.empty(); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Empty when all went well.
std::string run_linker(std::vector<std::string> args) {
  static std::mutex one_at_a_time;  // lld keeps its state in globals
  const std::lock_guard lock(one_at_a_time);
  args.insert(args.begin(), "ld.lld");
  std::vector<const char*> raw;
  for (const std::string& arg : args) raw.push_back(arg.c_str());
  std::string output, errors;
  llvm::raw_string_ostream out(output), err(errors);
  const lld::Result result = lld::lldMain(raw, out, err, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0 && result.canRunAgain) return {};
  return errors.empty() ? "the linker failed" : errors;
}

}  // namespace

// The libraries are only named, through empty stand-ins with their sonames, so that linking needs
// no search path; the loader finds the real ones.
Result<std::vector<std::byte>, std::string> link_shared(std::span<const std::string> objects) {
  const TemporaryFolder folder;
  if (!folder.ok()) return Failure{std::string("cannot make a temporary folder for linking")};
  std::vector<std::string> inputs;
  for (const std::string& object : objects) {
    inputs.push_back(folder.file(("kernel" + std::to_string(inputs.size()) + ".o").c_str()));
    std::ofstream file(inputs.back(), std::ios::binary);
    file.write(object.data(), static_cast<std::streamsize>(object.size()));
    if (!file.flush()) return Failure{"cannot write `" + inputs.back() + "`"};
  }
  const std::string script = folder.file("empty.ld");
  std::ofstream(script) << "";
  std::vector<std::string> stand_ins;
  for (const char* soname : {"libmvec.so.1", "libm.so.6", "libc.so.6"}) {
    stand_ins.push_back(folder.file(soname));
    const std::string problem = run_linker(
        {"-shared", "-m", "elf_x86_64", "-soname", soname, "-o", stand_ins.back(), script});
    if (!problem.empty()) return Failure{problem};
  }
  const std::string output = folder.file("kernels.so");
  std::vector<std::string> args{
      "-shared",     "-m",  "elf_x86_64",  "--hash-style=gnu", "--build-id=none",
      "--threads=1", "-z",  "noexecstack", "--no-as-needed",   "--unresolved-symbols=ignore-all",
      "-o",          output};
  args.insert(args.end(), inputs.begin(), inputs.end());
  args.insert(args.end(), stand_ins.begin(), stand_ins.end());
  const std::string problem = run_linker(std::move(args));
  if (!problem.empty()) return Failure{problem};
  std::ifstream file(output, std::ios::binary | std::ios::ate);
  std::vector<std::byte> bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file || bytes.empty()) return Failure{"cannot read `" + output + "`"};
  return bytes;
}

}  // namespace dvm::llvm_backend
