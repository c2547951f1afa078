// Choice of lambda from the data.
#pragma once

#include <cstdint>
#include <string>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

enum class LambdaMethod {
  gcv,          ///< generalized cross-validation: needs no noise level
  discrepancy,  ///< the residual equals the noise, which must have E|n|^2 = 1 per sample: prewhitened data
  l_curve,      ///< the corner of log |W x| over log |A x - d|: needs no noise level
  spectrum,  ///< the least expected error by the data's power spectrum (spectral_lambda.hpp), more where the model is
             ///< wrong (docs/explain/lambda.md): needs prewhitened data and Tikhonov's penalty
};

/// Names: gcv, discrepancy, lcurve, spectrum.
std::string to_string(LambdaMethod method);

struct LambdaSweepOptions {
  /// 0: 1e-5 to 1 for a penalty of values, 1e-3 to 100 for one of differences, whose lambda does less (docs/explain/lambda.md).
  double lowest = 0;
  double highest = 0;
  int per_decade = 4;         ///< values per decade, evenly spaced in log lambda
  int probes = 1;             ///< random vectors for the degrees of freedom; 0: not estimated
  std::uint64_t seed = 1;     ///< of the probes
  int iterations = 1000;      ///< of conjugate gradient for each image, at most
  int probe_iterations = 50;  ///< for each probe, at most; a solve starts from the solution for the next larger lambda
};

struct LambdaSearchOptions {
  LambdaMethod method = LambdaMethod::gcv;
  double noise_energy = 1;  ///< discrepancy: E|n|^2 per sample, times a safety factor if you want one
  LambdaSweepOptions sweep{};
};

}  // namespace whorl
