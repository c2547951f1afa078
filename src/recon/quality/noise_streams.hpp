// Random arrays by the number of a stream: the same whatever else is drawn, in which order, and by how many threads.
#pragma once

#include <complex>
#include <cstdint>

#include "whorl/core/array.hpp"
#include "whorl/op/linear_operator.hpp"

namespace whorl::recon {

/// Fills an array on the context's device with independent complex normal numbers of mean 0 and E|n|^2 = 1, others for each stream.
template <class Real>
void fill_white_noise(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed, std::uint64_t stream);

/// Fills an array on the context's device with independent numbers out of 1, i, -1, -i, each as likely, others for each stream.
template <class Real>
void fill_quarter_turns(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed,
                        std::uint64_t stream);

/// A^H eps of `count` streams of white noise from `first` on: [count, A.domain()...].
template <class Real>
Array<std::complex<Real>> adjoints_of_noise(const Context& ctx, const LinearOperator<Real>& A, Index count,
                                            std::uint64_t seed, Index first);

}  // namespace whorl::recon
