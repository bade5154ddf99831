// Remarks about arrays of one function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/graph/graph.hpp"
#include "ir/graph/names.hpp"
#include "passes/remark.hpp"

namespace dvm::passes {

// Adds remarks about values of a function, which must outlive it; does nothing when `remarks` is
// null.
class ArrayRemarks {
 public:
  ArrayRemarks(const graph::Function& function, Remarks* remarks);

  explicit operator bool() const { return remarks_ != nullptr; }
  void add(Remark::Kind kind, std::string_view verdict, graph::ValueId array, std::string reason,
           graph::NodeId other = {});
  // `xs`, or `a map` for what has no name.
  std::string called(graph::ValueId array) const;

 private:
  const graph::Function& function_;
  Remarks* remarks_;
  std::optional<graph::ValueNames> names_;
};

}  // namespace dvm::passes
