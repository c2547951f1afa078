// Kernel family: density weights.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Sums over the samples that a step of Pipe and Menon's iteration computes from the weights w before the step.
struct PipeMenonSums {
  double total = 0;      ///< sum w
  double deviation = 0;  ///< sum w (C w - 1 + pull (1 - areas / w))^2
};

/// How a step moves the weights.
struct PipeMenonStep {
  double momentum = 0;
  double pull = 0;  ///< towards the areas
};

/// v = (w + pull areas) / (C w + pull), w <- v (v / previous)^momentum, previous <- v, for the real parts; the imaginary
/// parts become 0. Without a pull the areas are not used.
template <class Real>
inline Kernel<PipeMenonSums(const Context&, Index samples, const PipeMenonStep&, const std::complex<Real>* convolved,
                            const Real* areas, Real* previous, std::complex<Real>* weights)>
    pipe_menon_step{"density compensation"};

/// Sum of weights in double; NaN if one of them is negative or not finite.
template <class Real>
inline Kernel<double(const Context&, Index, const Real*)> sum_of_weights{"density weights"};

/// y_i = factor x_i, multiplied in double; x and y may be the same
template <class Real>
inline Kernel<void(const Context&, Index, double factor, const Real*, Real*)> scale{"scaling"};

}  // namespace whorl::kernels
