// Tuned sizes of the gridding kernels, separate from the algorithms. Measured on an H200.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda::tuning {

/// Samples are sorted into bins of 2^shift grid points along each axis. A tile reads whole bins. They are small for
/// narrow windows, so that a tile reads few samples that do not touch it.
constexpr int bin_shift(int width) { return width <= 5 ? 2 : 3; }

/// Points of a spreading tile along x and y, and along z.
inline constexpr int spread_tile = 16;
template <int Dim>
inline constexpr int spread_planes = Dim == 2 ? 1 : 8;

/// Spreading: threads of a block, one for each sample whose window is in shared memory at a time.
inline constexpr int spread_threads = 256;
/// Blocks at a time on a multiprocessor, which limits the registers of a thread.
template <class Real, int Dim, int Coils>
inline constexpr int spread_blocks = sizeof(Real) == 8 ? 1
                                     : Dim == 3        ? (Coils == 1 ? 4 : 2)
                                     : Coils > 8       ? 3
                                                       : 4;
/// Largest number of coils that are spread at a time.
template <int Dim>
inline constexpr int spread_coils = Dim == 2 ? 12 : 4;

/// A tile is cut into parts of spread_wanted samples if it has more than spread_most, and more than most other tiles,
/// because one block would take too long for it. Cutting all tiles would cost a pass over the grid.
template <int Dim>
inline constexpr int spread_most = Dim == 2 ? 512 : 1024;
template <int Dim>
inline constexpr int spread_wanted = Dim == 2 ? 256 : 512;
/// A tile with more samples than this is always cut, because a part is summed in the precision of the samples.
inline constexpr int spread_most_summed = 4096;

/// The number of parts per multiprocessor, of about equal size, that keep all multiprocessors busy.
inline constexpr int spread_rounds = 8;

/// Bytes for the sums of parts that are in memory at a time: in 3D enough for more blocks than a device runs in 30
/// rounds. Then the largest fraction of the memory that they may take.
inline constexpr Index sums_bytes = Index{1} << 30;
inline constexpr double sums_part_of_memory = 1.0 / 16;

/// Interpolation: threads of a block, each with one sample.
inline constexpr int interpolate_threads = 256;
/// The number of coils that a block interpolates one after another with the same window values.
inline constexpr int interpolate_coils = 4;
/// Windows up to this width are held in registers and their tile in shared memory.
inline constexpr int widest_tiled_window = 12;

}  // namespace whorl::backend::cuda::tuning
