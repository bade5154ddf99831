// black_scholes: one loop over options, elementary functions by vectors of libmvec.
#include <cmath>

#include "baseline.hpp"
#include "vector_math.hpp"

int main(int argc, char **argv) {
  bench::Baseline program(argc, argv);
  const auto rate = program.scalar<double>("rate"), vol = program.scalar<double>("vol");
  const auto spot = program.array<double>("spot"), strike = program.array<double>("strike"),
             years = program.array<double>("years");
  const int64_t n = spot.size();
  bench::Array<double> call({n}), put({n});
  program.result("call", call);
  program.result("put", put);
  return program.serve([&] {
    const double *s = spot.data(), *k = strike.data(), *t = years.data();
    double *c = call.data(), *p = put.data();
    const double root = -std::sqrt(0.5), drift = rate + vol * vol / 2;
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; ++i) {
      const double spread = vol * std::sqrt(t[i]);
      const double d1 = (log(s[i] / k[i]) + drift * t[i]) / spread, d2 = d1 - spread;
      const double present = k[i] * exp(-rate * t[i]);
      const double up1 = erfc(root * d1) / 2, up2 = erfc(root * d2) / 2;
      const double down1 = erfc(-root * d1) / 2, down2 = erfc(-root * d2) / 2;
      c[i] = s[i] * up1 - present * up2;
      p[i] = present * down2 - s[i] * down1;
    }
  });
}
