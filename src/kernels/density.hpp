// Kernel family: density weights.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Sums over the samples that a step of Pipe and Menon's iteration computes from the weights w before the step.
struct PipeMenonSums {
  double total = 0;      ///< sum w
  double deviation = 0;  ///< sum w (C w - 1)^2
};

/// v = w / (C w), w <- v (v / previous)^momentum, previous <- v, for the real parts; the imaginary parts become 0.
template <class Real>
inline Kernel<PipeMenonSums(const Context&, Index samples, double momentum, const std::complex<Real>* convolved,
                            Real* previous, std::complex<Real>* weights)>
    pipe_menon_step{"density compensation"};

/// Sum of weights in double; NaN if one of them is negative or not finite.
template <class Real>
inline Kernel<double(const Context&, Index, const Real*)> sum_of_weights{"density weights"};

/// y_i = factor x_i, multiplied in double; x and y may be the same
template <class Real>
inline Kernel<void(const Context&, Index, double factor, const Real*, Real*)> scale{"scaling"};

}  // namespace whorl::kernels
