// Sizes of the pieces of the exact sums between samples and positions; chosen by measurement on an H200.
#pragma once

namespace whorl::backend::cuda::tuning {

inline constexpr int position_threads = 128;
inline constexpr int position_chunk = 256;  ///< terms in shared memory at a time; a thread sums a quarter in float

/// Every polynomial_period-th pair gets its sine and cosine from polynomials, the others from the special function
/// units. If the period is more than twice the number of tiles, no pair uses polynomials.
template <int kCoils>
inline constexpr int polynomial_period = kCoils == 1 ? 4 : 99;

/// Tiles of 8 lanes that a warp holds, which share the loads of the terms: a multiple of 4.
template <int kCoils>
inline constexpr int position_tiles = kCoils == 1 ? 8 : 4;

/// Blocks at a time on a multiprocessor, which limits the registers of a thread.
inline constexpr int position_blocks = 4;

inline constexpr int position_lanes_double = 2;  ///< of a thread

}  // namespace whorl::backend::cuda::tuning
