// Whole programs: inputs, local bindings and functions, results.
#include "tests/random/random_program.hpp"

#include "tests/random/program_writer.hpp"

namespace dvm::test {

std::string ProgramWriter::binding(int number) {
  std::vector<std::string> dims;
  const std::size_t rank = draw(10);
  if (rank > 2) dims.push_back(dim());
  if (rank > 7) dims.push_back(dim());
  const Type type{kind(), dims};
  const std::string name = "t" + std::to_string(number);
  const std::string value = expr(type, 0);
  std::string text = "    " + name + " :: " + to_text(type) + "\n";
  if (chance(15)) {
    // As part of a pair.
    const Type other{this->number(), {}};
    const std::string second = "o" + std::to_string(number);
    text += "    " + second + " :: " + to_text(other) + "\n    (" + name + ", " + second + ") = (" +
            value + ", " + expr(other, 1) + ")\n";
    names_.emplace_back(second, other);
  } else {
    text += "    " + name + " = " + value + "\n";
  }
  names_.emplace_back(name, type);
  return text;
}

std::string ProgramWriter::local_function() {
  Local local;
  local.name = fresh("f");
  const std::size_t count = 1 + draw(2);
  std::string signature, params;
  const std::size_t names = names_.size();
  const bool recursive = chance(35);
  if (recursive) local.params.push_back({Kind::Int, {}});
  for (std::size_t k = 0; k < count; ++k)
    local.params.push_back({kind(), chance(60) ? std::vector<std::string>{} : std::vector{dim()}});
  local.result = recursive ? local.params.back() : Type{kind(), {}};
  for (const Type& param : local.params) {
    names_.emplace_back(fresh("a"), param);
    params += " " + names_.back().first;
    signature += to_text(param) + " -> ";
  }
  std::string text = "    " + local.name + " :: " + signature + to_text(local.result) + "\n";
  if (recursive) {
    const std::string counter = names_[names].first, last = names_.back().first;
    std::string call = local.name + " (min 3 " + counter + " - 1)";
    for (std::size_t k = 1; k < local.params.size(); ++k)
      call += " " + (chance(40) ? names_[names + k].first : expr(local.params[k], 2));
    const bool tail = !local.result.dims.empty() || local.result.kind == Kind::Bool || chance(50);
    text += "    " + local.name + params + " = if " + counter + " <= 0 then " + last + " else " +
            (tail ? call : expr(local.result, 2) + " + " + call) + "\n";
  } else if (chance(40)) {
    const std::string test = expr({Kind::Bool, {}}, 2);
    const std::string one = expr(local.result, 2);
    text += "    " + local.name + params + "\n      | " + test + " = " + one +
            "\n      | otherwise = " + expr(local.result, 2) + "\n";
  } else {
    text += "    " + local.name + params + " = " + expr(local.result, 1) + "\n";
  }
  names_.resize(names);
  functions_.push_back(local);
  return text;
}

std::string ProgramWriter::program() {
  const std::string name = "p" + std::to_string(seed_);
  const std::vector<std::pair<std::string, Type>> inputs{{"v", {Kind::Double, {"n"}}},
                                                         {"w", {Kind::Double, {"n"}}},
                                                         {"z", {Kind::Double, {"m"}}},
                                                         {"ks", {Kind::Int, {"n"}}},
                                                         {"a", {Kind::Double, {"n", "m"}}},
                                                         {"b", {Kind::Int, {"m", "n"}}},
                                                         {"c", {Kind::Double, {"3"}}},
                                                         {"x", {Kind::Double, {}}},
                                                         {"y", {Kind::Double, {}}},
                                                         {"i", {Kind::Int, {}}},
                                                         {"j", {Kind::Int, {}}},
                                                         {"q", {Kind::Bool, {}}}};
  std::string signature = name + " :: ", head = name;
  for (const auto& input : inputs) {
    names_.push_back(input);
    signature += to_text(input.second) + " -> ";
    head += " " + input.first;
  }
  std::string where;
  const std::size_t count = 1 + draw(4);
  for (std::size_t k = 0; k < count; ++k) {
    budget_ = 40;
    where += chance(30) ? local_function() : binding(static_cast<int>(k));
  }
  std::string types, values;
  const std::size_t results = 1 + draw(3);
  for (std::size_t k = 0; k < results; ++k) {
    budget_ = 25;
    std::vector<std::string> dims;
    const std::size_t rank = draw(6);
    if (rank > 1) dims.push_back(dim());
    if (rank > 4) dims.push_back(dim());
    const Type type{kind(), dims};
    types += (k > 0 ? ", " : "") + to_text(type);
    values += (k > 0 ? ", " : "") + expr(type, 0);
  }
  return signature + (results > 1 ? "(" + types + ")" : types) + "\n" + head + " = " +
         (results > 1 ? "(" + values + ")" : values) + "\n  where\n" + where;
}

std::string random_program(std::uint64_t seed) { return ProgramWriter(seed).program(); }

}  // namespace dvm::test
