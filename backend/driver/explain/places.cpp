// Follows call paths out of the standard library.
#include "backend/driver/explain/places.hpp"

#include "backend/driver/front.hpp"

namespace dvm::driver {

namespace {

// More callers are not shown.
constexpr std::size_t most_callers = 4;

}  // namespace

Places::Places(const graph::Module& module, const SourceMap& sources)
    : module_(module), sources_(sources) {
  const std::string library = stdlib_folder() + "/";
  for (std::uint32_t k = 0; k < sources.size(); ++k)
    own_.push_back(!sources.file(FileId{k}).path.starts_with(library));
}

bool Places::is_own(graph::LocId loc) const {
  const Span& span = module_.locs[loc].span;
  return span.valid() && sources_.has(span) && own_[span.file.index];
}

graph::LocId Places::own_loc(graph::LocId loc) const {
  while (loc.valid() && !is_own(loc)) loc = module_.locs[loc].caller;
  return loc;
}

Place Places::place(graph::LocId loc) const {
  const Span& span = module_.locs[loc].span;
  return {span.file, sources_.place(span.file, span.begin).line};
}

Place Places::line_of(graph::LocId loc) const {
  const graph::LocId own = own_loc(loc);
  return own.valid() ? place(own) : Place{};
}

std::vector<Place> Places::callers_of(graph::LocId loc) const {
  std::vector<Place> callers;
  graph::LocId own = own_loc(loc);
  while (own.valid() && callers.size() < most_callers) {
    own = own_loc(module_.locs[own].caller);
    if (own.valid()) callers.push_back(place(own));
  }
  return callers;
}

std::string Places::library_function(graph::LocId loc) const {
  std::string function;
  for (; loc.valid() && !is_own(loc); loc = module_.locs[loc].caller)
    function = module_.locs[loc].function;
  return loc.valid() ? function : "";
}

}  // namespace dvm::driver
