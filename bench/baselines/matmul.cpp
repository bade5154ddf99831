// matmul: two packed and blocked products.
#include "gemm.hpp"

int main(int argc, char** argv) {
  bench::Baseline program(argc, argv);
  const auto a = program.array<double>("a"), b = program.array<double>("b");
  const auto af = program.array<float>("af"), bf = program.array<float>("bf");
  const int64_t n = a.shape[0], k = a.shape[1], m = b.shape[1];
  bench::Array<double> c({n, m});
  bench::Array<float> cf({n, m});
  program.result("c", c);
  program.result("cf", cf);
  bench::Gemm<double> wide(n, k, m);
  bench::Gemm<float> narrow(n, k, m);
  return program.serve([&] {
    wide(a.data(), b.data(), c.data());
    narrow(af.data(), bf.data(), cf.data());
  });
}
