#include "lower_fixture.hpp"

#include "frontend/check/check.hpp"
#include "frontend/lower/lower.hpp"
#include "frontend/parse/parse.hpp"
#include "ir/graph/entry.hpp"
#include "ir/graph/interpret.hpp"
#include "ir/graph/verify.hpp"

namespace dvm::lower_test {

Lowered compile(const std::string& text) {
  Lowered result;
  SourceMap sources;
  Diagnostics diagnostics;
  parse::ModuleSearch search;
  search.folders = {std::string(DVM_SOURCE_FOLDER) + "/stdlib"};
  const auto program = parse::load(sources, "test.dvm", text, search, diagnostics);
  if (program) {
    const auto typed = check::check(*program, sources, diagnostics);
    if (typed && !typed->entries.empty()) {
      auto module = lower::lower(*typed, sources, typed->entries[0], diagnostics);
      if (module) {
        result.module = std::move(*module);
        result.ok = true;
        for (const std::string& problem : graph::verify(result.module, false)) {
          result.ok = false;
          result.errors += problem + "\n";
        }
      }
    }
  }
  result.errors += render_text(diagnostics, sources);
  return result;
}

Outcome run(const Lowered& program, const std::vector<Tensor>& inputs) {
  const graph::FunctionId entry{0};
  const graph::EntrySignature signature = graph::entry_signature(program.module.functions[entry]);
  const auto sizes = graph::solve_sizes(signature, inputs);
  if (!sizes) return {{}, sizes.error()};
  std::vector<Tensor> args;
  for (std::int64_t size : *sizes) args.push_back(integer(size));
  args.insert(args.end(), inputs.begin(), inputs.end());
  const auto results = graph::interpret(program.module, entry, args, {});
  if (!results) return {{}, results.error().message};
  return {*results, ""};
}

Tensor vector(const std::vector<double>& values) {
  Tensor tensor = *Tensor::make(ElementType::F64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i), Scalar::of_float(ElementType::F64, values[i]));
  return tensor;
}

Tensor integers(const std::vector<std::int64_t>& values) {
  Tensor tensor = *Tensor::make(ElementType::I64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i), Scalar::of_i64(values[i]));
  return tensor;
}

Tensor matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  Tensor tensor = vector(values);
  tensor.shape = {rows, columns};
  return tensor;
}

Tensor number(double value) { return Tensor::of_scalar(Scalar::of_float(ElementType::F64, value)); }
Tensor integer(std::int64_t value) { return Tensor::of_scalar(Scalar::of_i64(value)); }

std::vector<double> doubles(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i).as_double());
  return values;
}

std::vector<std::int64_t> ints(const Tensor& tensor) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i).as_i64());
  return values;
}

int count_nodes(const graph::Module& module, const std::string& mnemonic) {
  int count = 0;
  for (const graph::Function& function : module.functions)
    for (const graph::Node& node : function.nodes) {
      const auto* scalar = std::get_if<graph::ScalarOp>(&node.op);
      count += scalar != nullptr ? graph::facts(scalar->fn).mnemonic == mnemonic
                                 : facts(node.op).mnemonic == mnemonic;
    }
  return count;
}

}  // namespace dvm::lower_test
