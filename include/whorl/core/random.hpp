// Random numbers from a counter-based generator: the same on every machine and device, for any number of threads.
#pragma once

#include <array>
#include <complex>
#include <cstdint>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// Philox4x32-10: 128 random bits for a 128-bit counter and a 64-bit key.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Element i of the stream `seed`: uniform on (0, 1), 53 bits.
double random_uniform(std::uint64_t seed, std::uint64_t i);

/// Element i of the stream `seed`: normal, mean 0, variance 1 (Box and Muller, 1958).
double random_normal(std::uint64_t seed, std::uint64_t i);

/// A seed for stream number `stream` of those that belong to `seed`: streams of one seed, and the stream `seed` itself, are
/// independent.
std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream);

/// Fills an array on the context's device with independent complex normal numbers of mean 0 and E|z|^2 = 1. Element i
/// depends on the seed and i only, not on the number of threads; between devices it differs by rounding. Throws
/// DeviceError (an array elsewhere).
template <Precision Real>
WHORL_PUBLIC void fill_random_normal(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed);
template <Precision Real>
void fill_random_normal(const Context& ctx, Array<std::complex<Real>>& array, std::uint64_t seed) {
  fill_random_normal<Real>(ctx, array.ref(), seed);
}
/// fill_random_normal for an array on the host, in the calling thread.
template <Precision Real>
WHORL_PUBLIC void fill_random_normal(ArrayRef<std::complex<Real>> array, std::uint64_t seed);
template <Precision Real>
void fill_random_normal(Array<std::complex<Real>>& array, std::uint64_t seed) {
  fill_random_normal<Real>(array.ref(), seed);
}

/// Fills an array on the context's device with 1, i, -1 and -i, each with a probability of 1/4. Element i depends on the
/// seed and i only. Throws DeviceError (an array elsewhere).
template <Precision Real>
WHORL_PUBLIC void fill_random_turns(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed);

}  // namespace whorl
