// See same_code.hpp.
#include "backend/kernel/same_code.hpp"

#include <map>
#include <utility>

#include "ir/graph/text.hpp"

namespace dvm::kernel {

namespace {

std::string text_without_names(const graph::Function& function) {
  graph::Module alone;
  graph::Function copy = function;
  copy.name.clear();
  copy.result_names.clear();
  for (graph::Value& value : copy.values) value.name.clear();
  alone.functions.push(std::move(copy));
  return graph::print(alone);
}

}  // namespace

std::vector<std::size_t> first_with_same_code(const graph::Module& module,
                                              std::span<const Kernel> kernels) {
  std::map<graph::FunctionId, std::string> texts;  // the phases of an operation share a function
  std::map<std::pair<Phase, std::string>, std::size_t> found;
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const graph::FunctionId function = kernels[i].function;
    auto [text, is_new] = texts.try_emplace(function);
    if (is_new) text->second = text_without_names(module.functions[function]);
    firsts.push_back(found.try_emplace({kernels[i].phase, text->second}, i).first->second);
  }
  return firsts;
}

}  // namespace dvm::kernel
