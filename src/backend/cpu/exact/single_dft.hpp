// The exact sum from samples to an image in single precision.
#pragma once

#include "core/internal.hpp"
#include "kernels/dft.hpp"

namespace whorl::backend::cpu {

/// The relative error from which on it is good enough. With u = 2^-24 each factor of a term, along x, y and z, is off by u, and so
/// are the products of four numbers, which takes some 12 u; the sum of a chunk of 128 terms takes 128 u, and sums of chunks are added
/// in double. So an image is off by 140 u = 8.4e-6 of the sum of its terms' magnitudes at most. Roundings have random signs, so that
/// it is 2e-7 of the image as a rule (test/unit/op/test_dft.cpp).
inline constexpr double single_dft_error = 1e-5;

/// As kernels::dft_adjoint.
WHORL_INTERNAL void single_dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry,
                                       const std::complex<float>* samples, std::complex<float>* images, Index batch);

}  // namespace whorl::backend::cpu
