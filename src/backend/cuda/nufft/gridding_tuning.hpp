// Sizes that the gridding kernels are tuned with, apart from the algorithms. Measured on an H200.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda::tuning {

/// Samples are sorted into bins of 2^shift grid points along each axis. A tile reads whole bins: small ones where
/// windows are narrow, so that few samples are looked at in vain.
constexpr int bin_shift(int width) { return width <= 5 ? 2 : 3; }

/// Points of a spreading tile along x and y, and along z.
inline constexpr int spread_tile = 16;
template <int Dim>
inline constexpr int spread_planes = Dim == 2 ? 1 : 8;

/// Spreading: threads of a block, one for each of the samples whose windows are in shared memory at a time.
inline constexpr int spread_threads = 256;
/// Blocks at a time on a multiprocessor: limits the registers of a thread.
template <class Real, int Dim, int Coils>
inline constexpr int spread_blocks = sizeof(Real) == 8 ? 1
                                     : Dim == 3        ? (Coils == 1 ? 4 : 2)
                                     : Coils > 8       ? 3
                                                       : 4;
/// Coils that are spread at a time, at most.
template <int Dim>
inline constexpr int spread_coils = Dim == 2 ? 12 : 4;

/// A tile is cut into parts of spread_wanted samples if it has more than spread_most, and more than most tiles have: one
/// block would take long for it. To cut all tiles would cost a pass over the grid.
template <int Dim>
inline constexpr int spread_most = Dim == 2 ? 512 : 1024;
template <int Dim>
inline constexpr int spread_wanted = Dim == 2 ? 256 : 512;
/// A tile with more samples than this is always cut: a part is summed in the precision of the samples.
inline constexpr int spread_most_summed = 4096;

/// Parts of about equal size for each multiprocessor that keep all of them busy.
inline constexpr int spread_rounds = 8;

/// Sums of parts that are in memory at a time, in bytes: in 3D more blocks than a device runs in 30 rounds. And how much
/// of the memory they may take at most.
inline constexpr Index sums_bytes = Index{1} << 30;
inline constexpr double sums_part_of_memory = 1.0 / 16;

/// Interpolation: threads of a block, each with one sample.
inline constexpr int interpolate_threads = 256;
/// Coils that a block interpolates one after another with the same window values.
inline constexpr int interpolate_coils = 4;
/// Windows up to this width are held in registers and their tile in shared memory.
inline constexpr int widest_tiled_window = 12;

}  // namespace whorl::backend::cuda::tuning
