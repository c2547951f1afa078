// Kernel family: density weights.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// What a step of Pipe and Menon's iteration adds up over the samples, with w before and v after it.
struct PipeMenonSums {
  double change = 0;     ///< sum |v - w|
  double total = 0;      ///< sum v
  double deviation = 0;  ///< sum w (C w - 1)^2
};

/// w <- w / (C w) for the real parts; the imaginary parts become 0.
template <class Real>
inline Kernel<PipeMenonSums(const Context&, Index samples, const std::complex<Real>* convolved,
                            std::complex<Real>* weights)>
    pipe_menon_step{"density compensation"};

/// y_i = real part of x_i
template <class Real>
inline Kernel<void(const Context&, Index, const std::complex<Real>*, Real*)> real_part{"real part"};

/// Sum of weights in double; not a number where one of them is negative or not finite.
template <class Real>
inline Kernel<double(const Context&, Index, const Real*)> sum_of_weights{"density weights"};

/// y_i = factor x_i, multiplied in double; x and y may be the same
template <class Real>
inline Kernel<void(const Context&, Index, double factor, const Real*, Real*)> scale{"scaling"};

}  // namespace whorl::kernels
