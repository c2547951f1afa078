// What the exact sums between samples and positions are cut into on the device; chosen by measurement on an H200.
#pragma once

namespace whorl::backend::cuda::tuning {

inline constexpr int position_threads = 128;
inline constexpr int position_blocks = 4;   ///< of a multiprocessor at the same time
inline constexpr int position_chunk = 256;  ///< terms in shared memory at a time; partial sums in float are so long

/// One term in so many has its sine and cosine from polynomials, the others from the special function units.
inline constexpr int polynomial_period = 8;

/// Places of sums that a thread holds, which share the loads of a term.
template <class Real, int kCoils>
inline constexpr int position_lanes = sizeof(Real) == 8 || kCoils > 1 ? 2 : 4;

}  // namespace whorl::backend::cuda::tuning
