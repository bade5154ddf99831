// Errors, and places with their call path.
#include "frontend/lower/lowerer.hpp"

namespace dvm::lower {

void Lowerer::fail(Span span, std::string code, std::string message, std::string label) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.span = span;
  diagnostic.label = std::move(label);
  for (LocId caller = context_.caller; caller.valid(); caller = module_.locs[caller].caller) {
    if (diagnostic.others.size() >= 4) break;
    const graph::Loc& loc = module_.locs[caller];
    if (loc.span.valid() && loc.span != span)
      diagnostic.others.push_back({loc.span, "called from here"});
  }
  throw LoweringError{std::move(diagnostic)};
}

void Lowerer::not_supported(Span span, const std::string& what) {
  fail(span, "not-supported", what + " is not supported yet", "not supported yet");
}

LocId Lowerer::loc_of(Span span) {
  const auto key = std::make_pair(span, context_.caller.index);
  if (auto found = locs_.find(key); found != locs_.end()) return found->second;
  const LocId loc = module_.locs.push(graph::Loc{span, context_.caller, context_.function});
  locs_.emplace(key, loc);
  return loc;
}

CheckId Lowerer::new_check(Span span, std::string message) {
  return module_.checks.push(graph::CheckInfo{std::move(message), loc_of(span)});
}

}  // namespace dvm::lower
