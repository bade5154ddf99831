// Reads the GNU build id from the running executable's notes.
#include "backend/driver/build_id.hpp"

#include <elf.h>
#include <fmt/core.h>
#include <link.h>
#include <sys/stat.h>

#include <cstring>

namespace dvm::driver {

namespace {

std::string find_build_id(const char* notes, std::size_t length) {
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= length;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof(note));
    at += sizeof(note);
    const std::size_t name = (note.n_namesz + 3u) & ~3u, description = (note.n_descsz + 3u) & ~3u;
    if (at + name + description > length) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + at, "GNU", 4) == 0) {
      std::string text;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(notes[at + name + i]));
      }
      return text;
    }
    at += name + description;
  }
  return "";
}

// Called for the executable first, then for each shared library.
int look(dl_phdr_info* object, std::size_t, void* result) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto id = find_build_id(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr),
                                  part.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = id;
  }
  return 1;  // only the executable
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(look, &id);
  struct stat facts = {};
  if (id.empty() && stat("/proc/self/exe", &facts) == 0) {
    id = fmt::format("{:x}-{:x}-{:x}", facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  }
  return id;
}

}  // namespace dvm::driver
