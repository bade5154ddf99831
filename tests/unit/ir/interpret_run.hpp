// Running graph text in tests of the interpreter.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ir/graph/interpret.hpp"
#include "ir/graph/verify.hpp"
#include "tests/unit/ir/graph_text.hpp"

namespace dvm::test {

using namespace dvm::graph;

inline Tensor vector_f64(const std::vector<double>& values) {
  Tensor tensor = *Tensor::make(ElementType::F64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.set(static_cast<std::int64_t>(i), Scalar::of_float(ElementType::F64, values[i]));
  }
  return tensor;
}

inline Tensor vector_i64(const std::vector<std::int64_t>& values) {
  Tensor tensor = *Tensor::make(ElementType::I64, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i), Scalar::of_i64(values[i]));
  return tensor;
}

inline Tensor i64(std::int64_t value) { return Tensor::of_scalar(Scalar::of_i64(value)); }
inline Tensor f64(double value) {
  return Tensor::of_scalar(Scalar::of_float(ElementType::F64, value));
}
inline Tensor boolean(bool value) { return Tensor::of_scalar(Scalar::of_bool(value)); }

inline Result<std::vector<Tensor>, RunError> run(const Module& module,
                                                 const std::vector<Tensor>& args,
                                                 InterpretOptions options = {}) {
  const auto problems = verify(module, true);
  for (const std::string& problem : problems) MESSAGE(problem);
  REQUIRE(problems.empty());
  return interpret(module, FunctionId{0}, args, options);
}

inline std::vector<Tensor> results(const std::string& text, const std::vector<Tensor>& args) {
  auto result = run(parse_ok(text), args);
  if (!result) MESSAGE(result.error().message);
  REQUIRE(result.ok());
  return *result;
}

inline RunError failure(const std::string& text, const std::vector<Tensor>& args,
                        InterpretOptions options = {}) {
  auto result = run(parse_ok(text), args, options);
  REQUIRE_FALSE(result.ok());
  return result.error();
}

inline std::vector<double> doubles(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i).as_double());
  return values;
}
inline std::vector<std::int64_t> integers(const Tensor& tensor) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < tensor.count(); ++i) values.push_back(tensor.at(i).as_i64());
  return values;
}

inline bool same_bits(double a, double b) {
  return Scalar::of_float(ElementType::F64, a) == Scalar::of_float(ElementType::F64, b);
}

}  // namespace dvm::test
