// The samples of a tile in shared memory.
#pragma once

#include "backend/cuda/nufft/gridding_tiles.cuh"

namespace whorl::backend::cuda {

/// The samples that a tile reads, as ranges of the sorted samples. This object is in shared memory.
struct SampleRanges {
  // For the widest window, 64 points, and bins of 8 points: 2 * 12 * 11 where a tile of 16 x 16 x 8 reads across the
  // end of the period along all axes.
  static constexpr int most = 264;
  int first[most];
  int before[most + 1];  // number of samples in the ranges before this one
  int count;

  __device__ int samples() const { return before[count]; }

  /// The place of a tile's sample among the sorted samples.
  __device__ int place(int sample) const {
    int low = 0;
    for (int high = count; high - low > 1;) {
      const int middle = (low + high) / 2;
      if (before[middle] <= sample) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return first[low] + sample - before[low];
  }
};

/// All threads of a block call it; the block is synchronized on return. One warp does the work, because most tiles have
/// only about ten ranges.
__device__ inline void find_ranges(SampleRanges& ranges, const BinGrid& bins, const TileGrid& tiles,
                                   const TileCorner& corner, const int* bin_first) {
  if (threadIdx.x < 32) {
    const int lane = static_cast<int>(threadIdx.x);
    const int count = for_each_range(bins, tiles, corner, bin_first, lane, 32, [&](int range, int first, int samples) {
      ranges.first[range] = first;
      ranges.before[range + 1] = samples;
    });
    int total = 0;
    for (int begin = 0; begin < count; begin += 32) {
      // Each lane reads and writes what it has written above.
      int sum = begin + lane < count ? ranges.before[begin + lane + 1] : 0;
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(0xffffffffU, sum, static_cast<unsigned>(step));
        if (lane >= step) sum += other;
      }
      if (begin + lane < count) ranges.before[begin + lane + 1] = total + sum;
      total += __shfl_sync(0xffffffffU, sum, 31);
    }
    if (lane == 0) {
      ranges.before[0] = 0;
      ranges.count = count;
    }
  }
  __syncthreads();
}

}  // namespace whorl::backend::cuda
