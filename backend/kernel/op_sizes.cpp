// See op_sizes.hpp.
#include "backend/kernel/op_sizes.hpp"

namespace dvm::kernel {

void for_each_size(const graph::Op& op, const std::function<void(const Size&)>& visit) {
  const auto all = [&](const std::vector<Size>& sizes) {
    for (const Size& size : sizes) visit(size);
  };
  if (const auto* size = std::get_if<graph::SizeOf>(&op)) visit(size->size);
  if (const auto* map = std::get_if<graph::Map>(&op)) all(map->space);
  if (const auto* reduce = std::get_if<graph::Reduce>(&op)) {
    all(reduce->space);
    visit(reduce->extent);
  }
  if (const auto* scan = std::get_if<graph::Scan>(&op)) {
    all(scan->space);
    visit(scan->extent);
  }
  if (const auto* scatter = std::get_if<graph::Scatter>(&op)) {
    visit(scatter->extent);
    all(scatter->space);
  }
  if (const auto* keyed = std::get_if<graph::ReduceByKey>(&op)) {
    visit(keyed->keys);
    visit(keyed->extent);
    all(keyed->space);
  }
  if (const auto* filter = std::get_if<graph::Filter>(&op)) visit(filter->extent);
}

void for_each_size_value(const graph::Op& op, const std::function<void(graph::ValueId)>& visit) {
  for_each_size(op, [&](const Size& size) {
    size.symbols([&](Size::Symbol symbol) { visit(graph::ValueId{symbol}); });
  });
}

}  // namespace dvm::kernel
