// The division of samples for gridding on a GPU: they are sorted into bins of the grid, and tiles read whole bins.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

/// A sample in the order of the bins: the first grid point of its window and the window polynomial's argument, x first.
template <class Real, int Dim>
struct SortedSample {
  int start[Dim];
  int index;  // in the trajectory
  Real u[Dim];
};

/// Where a window begins along an axis.
struct WindowPlace {
  int start;
  double u;
};

/// As on the CPU: the first grid point under the window, and the polynomial's argument. Computed in double whatever the
/// precision of the samples, so that single precision does not blur the positions on large grids.
__host__ __device__ inline WindowPlace locate(double k, int extent, int width) {
  const double begin = k * extent - 0.5 * width;
  const double first = ceil(begin);
  const int start = static_cast<int>(first) % extent;
  return {start < 0 ? start + extent : start, 2 * (first - begin) - 1};
}

/// The periodic grid and the bins that its points are divided into, x first; in 2D the last axis has one point. A
/// sample lies in the bin of the first point of its window.
struct BinGrid {
  int extent[3];
  int shift;  // a bin has 2^shift points along each axis
  int count[3];
};

/// Tiles of the grid, x first. A block works on the samples of one tile, or on a part of them.
struct TileGrid {
  int points[3];
  int count[3];
  int reach;   // windows that touch a tile begin at most this many points before it
  int most;    // a tile with more samples is cut into parts
  int wanted;  // number of samples of such a part
  bool all;    // also list tiles without samples, after the others, because they are written
  __host__ __device__ int tiles() const { return count[0] * count[1] * count[2]; }
  /// The number of parts of a tile that reads `samples` samples; 0 if there are no samples.
  __host__ __device__ int parts(int samples) const {
    if (samples > most) return divide_up(samples, wanted);
    return samples > 0 ? 1 : 0;
  }
};

struct TileCorner {
  int point[3];
};

__host__ __device__ inline TileCorner corner_of(const TileGrid& tiles, int tile) {
  const int line = tile / tiles.count[0];
  return {tile % tiles.count[0] * tiles.points[0], line % tiles.count[1] * tiles.points[1],
          line / tiles.count[1] * tiles.points[2]};
}

/// A part of a tile's samples: number `part`, `part + parts`, ... of them. If there are several parts, each writes its
/// sums to a slot of its own; if `parts` is 0, the tile has no samples.
struct TilePart {
  TileCorner corner;
  int part;
  int parts;
  int slot;
};

/// The bins along one axis that hold the samples of a tile: one range, or two if the tile crosses the period's end.
struct BinSpan {
  int begin;
  int length;
  int second_length;  // from bin 0

  __host__ __device__ int stretches() const { return second_length > 0 ? 2 : 1; }
  __host__ __device__ int bins() const { return length + second_length; }
  __host__ __device__ int bin(int i) const { return i < length ? begin + i : i - length; }
};

__host__ __device__ inline BinSpan bins_of_tile(const BinGrid& bins, const TileGrid& tiles, int corner, int axis) {
  const int extent = bins.extent[axis];
  if (corner >= extent) return {0, 0, 0};  // past the end of the rows
  const int end = corner + tiles.points[axis] < extent ? corner + tiles.points[axis] : extent;
  const int first = corner - tiles.reach;
  const int last_bin = (end - 1) >> bins.shift;
  if (end - first >= extent) return {0, bins.count[axis], 0};
  if (first >= 0) return {first >> bins.shift, last_bin + 1 - (first >> bins.shift), 0};
  const int wrapped = (first + extent) >> bins.shift;
  if (wrapped <= last_bin) return {0, bins.count[axis], 0};
  return {wrapped, bins.count[axis] - wrapped, last_bin + 1};
}

/// Calls visit(range, first, count) for the ranges of sorted samples that a tile reads, from number `begin` in steps;
/// returns how many ranges there are. Called on the host with a function of the host, on the device with one of the
/// device.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Visit>
__host__ __device__ int for_each_range(const BinGrid& bins, const TileGrid& tiles, const TileCorner& corner,
                                       const int* bin_first, int begin, int step, const Visit& visit) {
  const BinSpan x = bins_of_tile(bins, tiles, corner.point[0], 0);
  const BinSpan y = bins_of_tile(bins, tiles, corner.point[1], 1);
  const BinSpan z = bins_of_tile(bins, tiles, corner.point[2], 2);
  const int ranges = x.stretches() * y.bins() * z.bins();
  for (int r = begin; r < ranges; r += step) {
    const int line = r >> (x.stretches() - 1);
    const int row = (z.bin(line / y.bins()) * bins.count[1] + y.bin(line % y.bins())) * bins.count[0];
    const bool second = (r & (x.stretches() - 1)) == 1;
    const int from = row + (second ? 0 : x.begin);
    const int first = bin_first[from];
    visit(r, first, bin_first[from + (second ? x.second_length : x.length)] - first);
  }
  return ranges;
}

}  // namespace whorl::backend::cuda
