// Order of failures and text of paths.
#include "backend/engine/state.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dvm::engine {

Edge closed_edge{nullptr, nullptr};

Value::~Value() {
  for (Waiter* list : {on_bound, on_complete})
    while (list) {
      Waiter* next = list->next;
      delete list;
      list = next;
    }
}

std::int64_t Value::count() const {
  std::int64_t product = 1;
  for (std::int64_t extent : shape) product *= extent;
  return product;
}

std::string to_text(const Path* path) {
  std::vector<const Path*> steps;
  for (; path && path->parent; path = path->parent) steps.push_back(path);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    text += fmt::format("{}.{}/", (*step)->family, (*step)->iteration);
  return text;
}

namespace {

int depth(const Path* path) {
  int steps = 0;
  for (; path; path = path->parent) ++steps;
  return steps;
}

// The ancestor `steps` above, and the family through which it was entered from there.
void climb(const Path*& path, std::uint32_t& family, const Path*& entered, int steps) {
  for (; steps > 0; --steps) {
    family = path->family;
    entered = path;
    path = path->parent;
  }
}

bool is_earlier(const FailureRecord& a, const FailureRecord& b) {
  const Path *at_a = a.instance, *at_b = b.instance;
  std::uint32_t family_a = a.family, family_b = b.family;
  const Path *entered_a = nullptr, *entered_b = nullptr;
  const int deep_a = depth(at_a), deep_b = depth(at_b);
  climb(at_a, family_a, entered_a, deep_a - std::min(deep_a, deep_b));
  climb(at_b, family_b, entered_b, deep_b - std::min(deep_a, deep_b));
  while (at_a != at_b) {
    climb(at_a, family_a, entered_a, 1);
    climb(at_b, family_b, entered_b, 1);
  }
  const bool iterations = family_a == family_b && entered_a && entered_b &&
                          entered_a->iteration != entered_b->iteration;
  if (iterations && !entered_a->independent) return entered_a->iteration < entered_b->iteration;
  // Limits have no check and come last.
  const auto rank = [](const FailureRecord& f) { return f.check < 0 ? INT64_MAX : f.check; };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (iterations) return entered_a->iteration < entered_b->iteration;
  if (a.index != b.index) return a.index < b.index;
  return family_a < family_b;
}

}  // namespace

const FailureRecord* earlier(const FailureRecord* a, const FailureRecord* b) {
  if (!a || !b) return a ? a : b;
  return is_earlier(*b, *a) ? b : a;
}

}  // namespace dvm::engine
