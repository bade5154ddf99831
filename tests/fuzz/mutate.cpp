// Stands in for libFuzzer where it is not installed: changes the given files at random (the same
// way each time) and feeds them to the target until the time is up. Usage, as libFuzzer's:
//   fuzz_graph -max_total_time=20 -artifact_prefix=PATH CORPUS_FOLDER…
//   fuzz_graph -runs=0 CORPUS_FOLDER…     feeds the files as they are, once
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

std::string current;  // the input under test, written to a file when it crashes
std::string crash_file;

void on_crash(int signal) {
  const int file = open(crash_file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  const char text[] = "the target crashed; its input was kept beside the artifact prefix\n";
  if (file >= 0 && write(file, current.data(), current.size()) >= 0 &&
      write(2, text, sizeof(text) - 1) >= 0)
    close(file);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

using Random = std::mt19937_64;
std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

// One change: bytes flipped, removed, doubled or moved; pieces of another file; the end cut off.
void change(std::string& text, const std::string& other, Random& random) {
  const std::size_t at = below(random, text.size() + 1),
                    length = below(random, std::min<std::size_t>(64, text.size() - at) + 1);
  switch (below(random, 8)) {
    case 0:
      text.insert(at, 1, static_cast<char>(random()));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(below(random, text.size() + 1), text.substr(at, length));
      break;
    case 3:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << below(random, 8));
      break;
    case 4:
      text.resize(at);
      break;
    case 5:
      text.insert(at, std::string(1 + below(random, 200), "([{-\n \"0"[below(random, 8)]));
      break;
    case 6:
      text.replace(at, length, other.substr(below(random, other.size() + 1), below(random, 64)));
      break;
    default:
      if (at < text.size())
        text[at] = static_cast<char>("()[]{}:;=|,\\-+*/<>!0aZ' \n\t\xff"[below(random, 27)]);
      break;
  }
}

std::vector<std::string> read_folder(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

}  // namespace

int main(int count, char** words) {
  int seconds = 10;
  bool replay = false;
  std::vector<std::string> corpus = {""};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.starts_with("-max_total_time=")) seconds = std::stoi(word.substr(16));
    if (word.starts_with("-artifact_prefix=")) crash_file = word.substr(17) + "crash";
    if (word == "-runs=0") replay = true;
    if (word.starts_with("-")) continue;
    const auto more = read_folder(words[i]);
    corpus.insert(corpus.end(), more.begin(), more.end());
  }
  struct sigaction action = {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
    sigaction(signal, &action, nullptr);
  Random random(1);
  std::size_t runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (replay ? runs < corpus.size() : std::chrono::steady_clock::now() < end) {
    current = corpus[runs < corpus.size() ? runs : below(random, corpus.size())];
    const std::size_t changes = runs < corpus.size() ? 0 : 1 + below(random, 8);
    for (std::size_t i = 0; i < changes; ++i)
      change(current, corpus[below(random, corpus.size())], random);
    LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(current.data()), current.size());
    ++runs;
  }
  std::printf("%zu inputs, no crash\n", runs);
  return 0;
}
