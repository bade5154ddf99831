// Calls the program `dot`.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "backend/driver/explain/draw.hpp"
#include "backend/driver/files.hpp"

extern char** environ;

namespace dvm::driver {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

std::string read_all(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 65536> buffer;
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;)
    text.append(buffer.data(), got);
  return text;
}

// Gives the exit status; through files, since pipes can fill up on both sides.
Result<int, std::string> spawn_dot(std::FILE* in, std::FILE* out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::array<std::string, 2> words = {"dot", "-Tsvg"};
  std::array<char*, 3> arguments = {words[0].data(), words[1].data(), nullptr};
  pid_t process = 0;
  const int failed = posix_spawnp(&process, "dot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return Failure{fmt::format(
        "the pictures need the program `dot` of Graphviz (package `graphviz`), which cannot be "
        "started: {}",
        reason(failed))};
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return Failure{fmt::format("cannot wait for `dot`: {}", reason(errno))};
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<std::string, std::string> run_graphviz(const std::string& text) {
  const TemporaryFile in(std::tmpfile()), out(std::tmpfile());
  if (!in || !out) return Failure{fmt::format("cannot make a temporary file: {}", reason(errno))};
  if (std::fwrite(text.data(), 1, text.size(), in.get()) != text.size() ||
      std::fflush(in.get()) != 0)
    return Failure{fmt::format("cannot write a temporary file: {}", reason(errno))};
  std::rewind(in.get());
  const auto status = spawn_dot(in.get(), out.get());
  if (!status) return Failure{status.error()};
  const std::string svg = read_all(out.get());
  const std::size_t begin = svg.find("<svg");
  if (*status != 0 || begin == std::string::npos)
    return Failure{fmt::format("`dot` ended with status {} and drew nothing", *status)};
  return svg.substr(begin);
}

}  // namespace dvm::driver
