// From places in a graph to lines that the reader wrote.
#pragma once

#include <string>
#include <vector>

#include "backend/driver/explain/explanation.hpp"

namespace dvm::driver {

class Places {
 public:
  Places(const graph::Module& module, const SourceMap& sources);

  // The innermost line outside the standard library on the call path of a place; invalid if none.
  Place line_of(graph::LocId loc) const;
  // Where the functions around that line are called, innermost first.
  std::vector<Place> callers_of(graph::LocId loc) const;
  // The outermost function of the standard library that the place lies in; empty: in none.
  std::string library_function(graph::LocId loc) const;

 private:
  bool is_own(graph::LocId loc) const;
  graph::LocId own_loc(graph::LocId loc) const;
  Place place(graph::LocId loc) const;

  const graph::Module& module_;
  const SourceMap& sources_;
  std::vector<bool> own_;  // by file: not of the standard library
};

}  // namespace dvm::driver
