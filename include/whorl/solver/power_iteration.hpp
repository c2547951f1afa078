// The largest eigenvalue of a Hermitian, positive semi-definite operator.
#pragma once

#include <cstdint>

#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

struct PowerIterationOptions {
  int iterations = 30;      ///< at most
  double tolerance = 1e-2;  ///< stop when the estimate changes by less than this part of itself
  std::uint64_t seed = 1;   ///< of the random start
};

/// Largest eigenvalue of A on arrays of the given shape, by power iteration from a random start: an estimate from
/// below that grows towards it.
/// Throws ValueError when A gives a value that is not finite, or when A is zero.
template <class Real>
double largest_eigenvalue(const Context& ctx, const NormalFunction<Real>& A, const Shape& shape,
                          const PowerIterationOptions& options = {});

}  // namespace whorl
