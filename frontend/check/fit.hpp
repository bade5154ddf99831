// Whether one type can be made equal to another, without changing any variable of inference: for
// suggestions, which are tried and dropped.
#pragma once

#include <map>

#include "frontend/check/checker.hpp"

namespace dvm::check {

class Fit {
 public:
  Fit(TypeStore& store, const std::deque<DataRecord>& datas) : store_(store), datas_(datas) {}

  // Several calls find one solution for all their pairs.
  bool match(TypePtr a, TypePtr b, int depth = 0);
  // Variables that had to be chosen without a class to say why: fewer are a closer fit.
  int loose() const { return loose_; }

 private:
  TypePtr resolve(TypePtr type) const;
  Size resolve(const Size& size) const;
  bool bind(TypePtr meta, TypePtr type);
  bool admits(const ClassSet& mask, TypePtr type) const;
  bool match_size(const Size& left, const Size& right);

  TypeStore& store_;
  const std::deque<DataRecord>& datas_;
  std::map<TypePtr, TypePtr> types_;  // only looked up
  std::map<Symbol, Size> sizes_;
  int loose_ = 0;
};

}  // namespace dvm::check
