// Writes the expressions of one random program, each for a type that is asked for.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dvm::test {

enum class Kind { Double, Int, Bool };

// Sizes as they are written: `n`, `m`, `3`.
struct WrittenType {
  Kind kind = Kind::Double;
  std::vector<std::string> dims;
  bool operator==(const WrittenType&) const = default;
};
std::string to_text(const WrittenType& type);

class ProgramWriter {
 public:
  explicit ProgramWriter(std::uint64_t seed) : random_(seed), seed_(seed) {}
  std::string program();

 private:
  using Type = WrittenType;

  std::size_t draw(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool chance(int percent) { return draw(100) < static_cast<std::size_t>(percent); }
  template <class T, std::size_t count>
  T one_of(const T (&from)[count]) {
    return from[draw(count)];
  }
  Kind kind() { return chance(65) ? Kind::Double : chance(75) ? Kind::Int : Kind::Bool; }
  Kind number() { return chance(65) ? Kind::Double : Kind::Int; }
  std::string dim();
  std::string fresh(const char* stem) { return stem + std::to_string(next_++); }

  // --- program_scalars.cpp; all of these give text that may stand as an argument
  std::string expr(const Type& type, int depth);
  std::string atom(const Type& type);
  std::string literal(Kind kind);
  std::string lambda(const std::vector<Type>& params, const Type& result, int depth);
  std::string associative(Kind kind);
  std::string neutral(Kind kind) { return kind == Kind::Double ? "0.0" : "0"; }
  std::string index(const std::string& size);
  std::string element(Kind kind);
  std::string scalar(Kind kind, int depth);
  std::string number(Kind kind, int depth);
  std::string truth(int depth);
  std::string contraction(Kind kind, int depth);
  std::string repeated(const Type& type, int depth);
  std::string let(const Type& type, int depth);
  std::string choice(const Type& type, int depth);
  std::string offsets(Kind kind, int rank, int depth);

  // --- program_arrays.cpp
  std::string vector(const Type& type, int depth);
  std::string number_vector(const Type& type, int depth);
  std::string matrix(const Type& type, int depth);
  std::string keys(const std::string& size, const std::string& below, int depth);

  // --- random_program.cpp
  std::string binding(int number);
  std::string local_function();

  std::mt19937_64 random_;
  std::uint64_t seed_;
  int next_ = 0, budget_ = 60;
  std::vector<std::pair<std::string, Type>> names_;
  std::vector<std::pair<std::string, std::string>> indices_;  // name, the size it runs over
  struct Local {
    std::string name;
    std::vector<Type> params;
    Type result;
  };
  std::vector<Local> functions_;
};

}  // namespace dvm::test
