// Sets of classes with their superclasses, and MINIMAL formulas.
#include "frontend/check/class_table.hpp"

#include <cctype>

namespace dvm::check {

ClassTable::ClassTable() {
  for (std::uint32_t i = 0; i < typed::builtin_class::count; ++i) {
    records_.emplace_back();
    records_.back().name = typed::builtin_class::names[i];
    records_.back().closure = ClassSet{ClassId{i}};
  }
}

ClassId ClassTable::add() {
  if (records_.size() >= ClassSet::capacity) return {};
  records_.emplace_back();
  ClassId id{static_cast<std::uint32_t>(records_.size() - 1)};
  records_.back().closure = ClassSet{id};
  return id;
}

ClassSet ClassTable::closure(const ClassSet& set) const {
  ClassSet result = set;
  set.each([&](ClassId id) { result |= records_[id.index].closure; });
  return result;
}

ClassSet ClassTable::minimal(const ClassSet& set) const {
  ClassSet implied;
  set.each([&](ClassId id) { implied |= records_[id.index].closure - ClassSet{id}; });
  return set - implied;
}

std::string ClassTable::names(const ClassSet& set) const {
  std::string text;
  set.each([&](ClassId id) { text += (text.empty() ? "" : ", ") + records_[id.index].name; });
  return text;
}

namespace {

// Grammar: any = all { "|" all }; all = item { "," item }; item = name | "(" operator ")" | "(" any
// ")". What does not fit ends the formula.
class MinimalReader {
 public:
  MinimalReader(const std::string& text, const std::function<bool(const std::string&)>& defined)
      : text_(text), defined_(defined) {}

  MinimalAnswer any(int depth) {
    MinimalAnswer result = all(depth);
    int count = 1;
    while (take('|')) {
      MinimalAnswer other = all(depth);
      ++count;
      result.satisfied = result.satisfied || other.satisfied;
      result.missing += " or " + other.missing;
    }
    if (result.satisfied) result.missing.clear();
    return result;
  }

 private:
  MinimalAnswer all(int depth) {
    MinimalAnswer result = item(depth);
    while (take(',')) {
      MinimalAnswer other = item(depth);
      if (!result.missing.empty() && !other.missing.empty()) result.missing += ", ";
      result.missing += other.missing;
      result.satisfied = result.satisfied && other.satisfied;
    }
    return result;
  }

  MinimalAnswer item(int depth) {
    skip();
    bool bracket = take('(');
    skip();
    bool word = at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) ||
                                       text_[at_] == '_' || text_[at_] == '(');
    if (bracket && word && depth < 20) {
      MinimalAnswer inner = any(depth + 1);
      take(')');
      return inner;
    }
    std::string name;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) &&
           text_[at_] != ')' && (bracket || (text_[at_] != ',' && text_[at_] != '|')))
      name += text_[at_++];
    if (bracket) take(')');
    if (name.empty()) return {};
    bool there = defined_(name);
    return {there, there ? "" : "`" + name + "`"};
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  const std::string& text_;
  const std::function<bool(const std::string&)>& defined_;
  std::size_t at_ = 0;
};

}  // namespace

MinimalAnswer check_minimal(const std::string& formula,
                            const std::function<bool(const std::string&)>& defined) {
  return MinimalReader(formula, defined).any(0);
}

std::vector<std::string> minimal_names(const std::string& formula) {
  std::vector<std::string> names;
  check_minimal(formula, [&](const std::string& name) {
    names.push_back(name);
    return false;
  });
  return names;
}

}  // namespace dvm::check
