// Kernel family: arrays of random numbers. The bits are those of core/random_bits.hpp on every device.
#pragma once

#include <complex>
#include <cstdint>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// z[i] = complex normal number i of the stream `seed`, E|z|^2 = 1, computed in double.
template <class Real>
inline CoreKernel<void(const Context&, std::uint64_t seed, Index count, std::complex<Real>* z)> random_normal{
    "complex normal numbers"};

/// z[i] = 1, i, -1 or -i by element i of the stream `seed`.
template <class Real>
inline CoreKernel<void(const Context&, std::uint64_t seed, Index count, std::complex<Real>* z)> random_turns{
    "random quarter turns"};

}  // namespace whorl::kernels
