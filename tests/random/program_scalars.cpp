// Scalars, and what is the same for all types.
#include "tests/random/program_writer.hpp"

namespace dvm::test {

std::string to_text(const WrittenType& type) {
  static constexpr const char* names[] = {"Double", "Int", "Bool"};
  const std::string kind = names[static_cast<int>(type.kind)];
  if (type.dims.empty()) return kind;
  std::string text = type.dims.size() == 1 ? "Vec" : "Mat";
  for (const std::string& dim : type.dims) text += " " + dim;
  return text + " " + kind;
}

std::string ProgramWriter::dim() {
  const std::size_t drawn = draw(12);
  return drawn < 6 ? "n" : drawn < 9 ? "m" : drawn < 11 ? "3" : "1";
}

std::string ProgramWriter::expr(const Type& type, int depth) {
  if (--budget_ < 0 || depth > 5 || chance(depth * 8)) return atom(type);
  for (const Local& local : functions_) {
    if (local.result != type || !chance(15)) continue;
    std::string call = "(" + local.name;
    for (const Type& param : local.params) call += " " + expr(param, depth + 1);
    return call + ")";
  }
  if (chance(7)) return choice(type, depth);
  if (chance(5)) return let(type, depth);
  if (chance(5)) return repeated(type, depth);
  if (type.dims.empty()) return scalar(type.kind, depth);
  return type.dims.size() == 1 ? vector(type, depth) : matrix(type, depth);
}

std::string ProgramWriter::atom(const Type& type) {
  std::vector<std::string> fitting;
  for (std::size_t k = names_.size(); k-- > 0;)
    if (names_[k].second == type) fitting.push_back(names_[k].first);
  if (type.dims.empty() && !indices_.empty() && chance(50)) return element(type.kind);
  if (!fitting.empty() && chance(85)) {
    const std::size_t first = draw(fitting.size());
    return fitting[std::min(first, draw(fitting.size()))];
  }
  std::string text = literal(type.kind);
  for (std::size_t k = type.dims.size(); k-- > 0;)
    text = "(replicate " + type.dims[k] + " " + text + ")";
  return text;
}

std::string ProgramWriter::literal(Kind kind) {
  static constexpr const char* doubles[] = {"0.0",    "1.0",  "(-1.0)", "0.5",     "2.0",
                                            "(-0.0)", "3.25", "1e300",  "(1 / 0)", "(0 / 0)"};
  static constexpr const char* ints[] = {
      "0", "1", "2", "3", "(-1)", "7", "(maxBound :: Int)", "(minBound :: Int)"};
  if (kind == Kind::Bool) return chance(50) ? "True" : "False";
  if (kind == Kind::Double) return doubles[draw(chance(80) ? 6 : 10)];
  return ints[draw(chance(85) ? 5 : 8)];
}

std::string ProgramWriter::lambda(const std::vector<Type>& params, const Type& result, int depth) {
  const std::size_t names = names_.size();
  std::string text = "(\\";
  for (const Type& param : params) {
    names_.emplace_back(fresh("x"), param);
    text += names_.back().first + " ";
  }
  text += "-> " + expr(result, depth + 1) + ")";
  names_.resize(names);
  return text;
}

// Not all of them are: the tree is fixed all the same.
std::string ProgramWriter::associative(Kind kind) {
  static constexpr const char* operators[] = {"(+)", "(+)", "(+)", "(*)", "min", "max"};
  if (kind == Kind::Bool) return chance(50) ? "(&&)" : "(||)";
  if (chance(12)) return chance(50) ? "(\\a b -> b)" : "(\\a b -> a + b * a)";
  return one_of(operators);
}

// An index that runs over the size, moved a little.
std::string ProgramWriter::index(const std::string& size) {
  std::vector<std::string> fitting;
  for (const auto& [name, range] : indices_)
    if (range == size) fitting.push_back(name);
  if (fitting.empty() || chance(10))
    return "(" + expr({Kind::Int, {}}, 4) + " `mod` max 1 " + size + ")";
  const std::string name = fitting[draw(fitting.size())];
  switch (draw(8)) {
    case 0:
      return "(" + size + " - 1 - " + name + ")";
    case 1:
      return "((" + name + " + " + std::to_string(draw(4)) + ") `mod` " + size + ")";
    case 2:
      return "(max 0 (" + name + " - " + std::to_string(draw(3)) + "))";
    case 3:
      return "(min (" + size + " - 1) (" + name + " + " + std::to_string(draw(3)) + "))";
    case 4:
      return chance(30) ? "(" + name + " + 1)" : name;
    default:
      return name;
  }
}

std::string ProgramWriter::element(Kind kind) {
  std::vector<std::pair<std::string, Type>> fitting;
  for (const auto& name : names_)
    if (name.second.kind == kind && !name.second.dims.empty()) fitting.push_back(name);
  if (fitting.empty())
    return kind == Kind::Int && !indices_.empty() ? indices_[draw(indices_.size())].first
                                                  : literal(kind);
  if (kind == Kind::Int && !indices_.empty() && chance(50))
    return indices_[draw(indices_.size())].first;
  const auto [name, type] = fitting[draw(fitting.size())];
  const std::string first = index(type.dims[0]);
  if (type.dims.size() == 1) return "(" + name + " ! " + first + ")";
  return "(" + name + " ! (" + first + ", " + index(type.dims[1]) + "))";
}

std::string ProgramWriter::scalar(Kind kind, int depth) {
  if (kind == Kind::Bool) return truth(depth);
  if (chance(30)) return contraction(kind, depth);
  return number(kind, depth);
}

std::string ProgramWriter::number(Kind kind, int depth) {
  const Type type{kind, {}};
  const bool real = kind == Kind::Double;
  static constexpr const char* operators[] = {" + ", " + ", " - ", " * ", " * "};
  static constexpr const char* functions[] = {"negate", "abs", "signum"};
  static constexpr const char* real_functions[] = {"sqrt", "exp", "sin", "tanh", "log", "recip"};
  static constexpr const char* roundings[] = {"floor", "truncate", "round", "ceiling"};
  static constexpr const char* divisions[] = {"div", "mod", "quot", "rem"};
  const std::size_t drawn = draw(14);
  const std::string left = expr(type, depth + 1);
  if (drawn < 6) {
    const std::string by = one_of(operators);
    return "(" + left + by + expr(type, depth + 1) + ")";
  }
  if (drawn == 6) {
    const std::string least = chance(50) ? "(min " : "(max ";
    return least + left + " " + expr(type, depth + 1) + ")";
  }
  if (drawn == 7) return std::string("(") + one_of(functions) + " " + left + ")";
  if (drawn == 8) return element(kind);
  if (drawn < 11 && real) return "(fromIntegral " + expr({Kind::Int, {}}, depth + 1) + ")";
  if (drawn < 11)
    return std::string("(") + one_of(roundings) + " (" + expr({Kind::Double, {}}, depth + 1) +
           " :: Double))";
  if (real && drawn == 11) return "(" + left + " / " + expr(type, depth + 1) + ")";
  if (real) return std::string("(") + one_of(real_functions) + " " + left + ")";
  const std::string by = one_of(divisions);
  const std::string divisor = chance(70) ? std::to_string(draw(4) + 1) : expr(type, depth + 1);
  return "(" + left + " `" + by + "` " + divisor + ")";
}

std::string ProgramWriter::truth(int depth) {
  static constexpr const char* compare[] = {" < ", " <= ", " == ", " /= ", " > "};
  const std::size_t drawn = draw(8);
  if (drawn < 5) {
    const Kind kind = number();
    const std::string left = expr({kind, {}}, depth + 1);
    const std::string by = one_of(compare);
    return "((" + left + " :: " + to_text(Type{kind, {}}) + ")" + by + expr({kind, {}}, depth + 1) +
           ")";
  }
  const std::string left = expr({Kind::Bool, {}}, depth + 1);
  if (drawn == 5) return "(not " + left + ")";
  if (drawn == 6) {
    const std::string by = chance(50) ? " && " : " || ";
    return "(" + left + by + expr({Kind::Bool, {}}, depth + 1) + ")";
  }
  const Type source{kind(), {dim()}};
  const std::string test = lambda({{source.kind, {}}}, {Kind::Bool, {}}, depth + 1);
  const std::string all = chance(50) ? "(all " : "(any ";
  return all + test + " " + expr(source, depth + 1) + ")";
}

// A number from an array.
std::string ProgramWriter::contraction(Kind kind, int depth) {
  const Type type{kind, {}}, source{kind, {dim()}};
  static constexpr const char* folds[] = {"sum", "sum", "product", "maximum", "minimum", "last"};
  switch (draw(10)) {
    case 0: {
      const std::string left = expr(source, depth + 1);
      return "(dot " + left + " " + expr(source, depth + 1) + ")";
    }
    case 1: {
      const Type other{this->kind(), source.dims};
      const std::string step = lambda({type, {other.kind, {}}}, type, depth + 1);
      const std::string start = expr(type, depth + 1);
      return "(foldl " + step + " " + start + " " + expr(other, depth + 1) + ")";
    }
    case 2: {
      const std::string by = associative(kind);
      return "(reduce " + by + " " + neutral(kind) + " " + expr(source, depth + 1) + ")";
    }
    case 3: {
      const std::string test = lambda({type}, {Kind::Bool, {}}, depth + 1);
      return "(sum (filter " + test + " " + expr(source, depth + 1) + "))";
    }
    case 4: {
      if (kind == Kind::Double) break;
      const Type other{number(), source.dims};
      const std::string what = chance(50) ? "(argmin " : "(argmax ";
      return what + expr(other, depth + 1) + ")";
    }
    case 5: {
      if (kind == Kind::Double) break;
      const Type other{this->kind(), source.dims};
      const std::string test = lambda({{other.kind, {}}}, {Kind::Bool, {}}, depth + 1);
      return "(count " + test + " " + expr(other, depth + 1) + ")";
    }
    case 6: {
      const std::string over = expr(source, depth + 1);
      const std::string name = fresh("x");
      names_.emplace_back(name, type);
      const std::string term = expr(type, depth + 1);
      const std::string test = expr({Kind::Bool, {}}, depth + 2);
      names_.pop_back();
      return "(sum [ " + term + " | " + name + " <- " + over + ", " + test + " ])";
    }
    case 7: {
      const Type rows{kind, {dim(), source.dims[0]}};
      return "(sum (map sum " + expr(rows, depth + 1) + "))";
    }
    default:
      break;
  }
  const std::string fold = one_of(folds);
  return "(" + fold + " " + expr(source, depth + 1) + ")";
}

std::string ProgramWriter::repeated(const Type& type, int depth) {
  const std::size_t names = names_.size();
  const std::string start = expr(type, depth + 1);
  const std::string name = fresh("s");
  if (chance(65)) {
    names_.emplace_back(name, type);
    const std::string next = expr(type, depth + 1);
    names_.resize(names);
    return "(iterateN " + std::to_string(draw(4)) + " (\\" + name + " -> " + next + ") " + start +
           ")";
  }
  // Counted, so that it ends.
  const std::string count = fresh("k");
  names_.emplace_back(name, type);
  names_.emplace_back(count, Type{Kind::Int, {}});
  const std::string end = expr({Kind::Bool, {}}, depth + 2);
  const std::string next = expr(type, depth + 1);
  names_.resize(names);
  const std::string both = "(" + count + ", " + name + ")";
  return "(snd (until (\\" + both + " -> " + count + " >= " + std::to_string(draw(4)) + " || " +
         end + ") (\\" + both + " -> (" + count + " + 1, " + next + ")) (0 :: Int, " + start +
         ")))";
}

std::string ProgramWriter::let(const Type& type, int depth) {
  const Type bound{kind(), chance(50) ? std::vector<std::string>{} : std::vector{dim()}};
  const std::string value = expr(bound, depth + 1);
  const std::string name = fresh("y");
  names_.emplace_back(name, bound);
  const std::string body = expr(type, depth + 1);
  names_.pop_back();
  return "(let " + name + " = (" + value + " :: " + to_text(bound) + ") in " + body + ")";
}

std::string ProgramWriter::choice(const Type& type, int depth) {
  const std::string one = expr(type, depth + 1);
  const std::string other = expr(type, depth + 1);
  if (chance(25)) {
    const std::string on = expr({Kind::Int, {}}, depth + 1);
    return "(case " + on + " of { 0 -> " + one + "; 1 -> " + atom(type) + "; _ -> " + other + " })";
  }
  const std::string condition = truth(depth + 1);
  return "(if " + condition + " then " + one + " else " + other + ")";
}

// The function of a stencil of the rank.
std::string ProgramWriter::offsets(Kind kind, int rank, int depth) {
  static constexpr const char* moves[] = {"(-1)", "1", "0", "(-2)", "2"};
  static constexpr const char* operators[] = {" + ", " - ", " * "};
  const std::string name = fresh("u");
  std::string sum;
  const std::size_t terms = 1 + draw(4);
  for (std::size_t k = 0; k < terms; ++k) {
    if (k > 0) sum += one_of(operators);
    sum += name;
    for (int r = 0; r < rank; ++r) sum += std::string(" ") + one_of(moves);
  }
  const std::string factor = atom({kind, {}});
  const std::string more = chance(30) ? " + " + expr({kind, {}}, depth + 2) : "";
  return "(\\" + name + " -> (" + sum + ") * " + factor + more + ")";
}

}  // namespace dvm::test
