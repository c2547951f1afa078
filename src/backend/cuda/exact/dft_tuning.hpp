// Sizes of the tiles of the exact transform of a grid; chosen by measurement on an H200.
#pragma once

namespace whorl::backend::cuda::tuning {

/// From this tolerance on, one half-precision number represents a float instead of the sum of two.
inline constexpr double one_part_tolerance = 1e-3;

inline constexpr int grid_threads = 256;       ///< of the sums in halves
inline constexpr int grid_pairs = 64;          ///< pairs of pixels of a block: 128 columns, or rows, of a matrix
inline constexpr int grid_outer = 8;           ///< outer rows of a block, each with eight inner ones
inline constexpr int adjoint_stage = 64;       ///< samples in shared memory at a time
inline constexpr int adjoint_chain = 128;      ///< samples that the tensor cores add before the sum leaves them
inline constexpr int adjoint_stages = 2;       ///< number of stages in shared memory, one of which is being filled
inline constexpr int forward_columns = 2;      ///< of warps, each with 64 samples, in a block
inline constexpr int double_threads = 128;     ///< of the sums in double
inline constexpr int double_blocks = 3;        ///< of the forward transform, at a time on a multiprocessor
inline constexpr int samples_at_once = 16384;  ///< of which the tables of factors are made together

}  // namespace whorl::backend::cuda::tuning
