// The traffic of a whole module by lines, in named sizes.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/driver/explain/explanation.hpp"
#include "backend/driver/explain/places.hpp"
#include "passes/cost/traffic.hpp"

namespace dvm::driver {

// A result of an array operation.
struct Made {
  std::size_t tag = 0;
  std::string name, type;
  std::string_view operation;
  graph::LocId loc;
  bool is_row = false;     // in the body of a kernel
  bool is_number = false;  // no array: a reduction to one number, which is a pass all the same
};

class Tally {
 public:
  // `before`: arrays that it knows count in the line where they were made there, whatever kernel
  // makes them now; may be null.
  Tally(const graph::Module& module, const SourceMap& sources, Names& names, const Tally* before,
        const Chains& chains);

  const Amounts& total() const { return total_; }
  const std::map<Place, Amounts>& by_line() const { return by_line_; }
  const std::vector<Made>& made() const { return made_; }
  bool holds(std::size_t tag) const { return lines_.contains(tag); }

 private:
  void add_function(graph::FunctionId id);
  void add_sweep(const graph::Function& function, const passes::Sweep& sweep,
                 const std::function<Size(const Size&)>& amount);
  Place line_of(const graph::Value& value, const graph::Node& node) const;
  Size named(const graph::Function& function, const std::string& prefix, const Size& size);
  std::string name_of(const graph::Function& function, Size::Symbol symbol) const;
  std::string unique_name(const graph::Function& function, Size::Symbol symbol);
  std::string type_text(const graph::Function& function, const std::string& prefix,
                        const graph::Type& type);
  void add_results(const graph::Function& function, const std::string& prefix,
                   const passes::Sweep& sweep);

  const graph::Module& module_;
  const Places places_;
  Names& names_;
  const Tally* before_;
  const Chains chains_;
  // Of the function at hand:
  std::map<Size::Symbol, graph::NodeId> unknown_;
  std::map<Size::Symbol, std::string> named_;
  std::map<std::string, std::size_t> used_;                // how many have this name
  std::set<std::pair<std::size_t, graph::ValueId>> read_;  // by chains, each array once
  Amounts total_;
  std::map<Place, Amounts> by_line_;
  std::vector<Made> made_;
  std::map<std::size_t, Place> lines_;  // by tag
};

}  // namespace dvm::driver
