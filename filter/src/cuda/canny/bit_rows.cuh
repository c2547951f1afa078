// Masks of 32 rows of 128 pixels in the registers of a warp, and the growth of seeds in them, on an NVIDIA GPU.
#pragma once

#include <cstdint>

namespace whorl::backend::cuda {

/// 128 pixels of a row, from the lowest bit of `low` on.
struct BitRow {
  std::uint64_t low, high;

  __device__ bool operator==(const BitRow& other) const { return low == other.low && high == other.high; }
};

inline __device__ BitRow operator|(BitRow a, BitRow b) { return {a.low | b.low, a.high | b.high}; }
inline __device__ BitRow operator&(BitRow a, BitRow b) { return {a.low & b.low, a.high & b.high}; }
inline __device__ BitRow without(BitRow a, BitRow b) { return {a.low & ~b.low, a.high & ~b.high}; }
inline __device__ BitRow mirrored(BitRow row) { return {__brevll(row.high), __brevll(row.low)}; }

/// The row with the neighbors on both sides of each pixel added.
inline __device__ BitRow widened(BitRow row) {
  constexpr int end = 63;
  return {row.low | row.low << 1 | row.low >> 1 | row.high << end,
          row.high | row.high << 1 | row.low >> end | row.high >> 1};
}

/// The seeds, all in the mask, and all pixels that follow a seed in its run of ones: a sum carries from a run's first
/// seed to its end.
inline __device__ BitRow run_on(BitRow mask, BitRow seeds) {
  const std::uint64_t low = mask.low + seeds.low;
  const std::uint64_t high = mask.high + seeds.high + (low < mask.low ? 1 : 0);
  return {seeds.low | (mask.low & ~low), seeds.high | (mask.high & ~high)};
}

/// A lane has a row. Seeds grow to all pixels of the mask that are connected with them through eight neighbors: to
/// their runs in one direction, and in the other direction in the mirrored row, then to the adjacent rows, which are
/// mirrored too.
inline __device__ BitRow flood(BitRow mask, BitRow seeds) {
  constexpr unsigned all = ~0U;
  constexpr unsigned last = 31;
  const BitRow mirrored_mask = mirrored(mask);
  const unsigned lane = threadIdx.x % (last + 1);
  const auto from_near = [&](std::uint64_t part) {
    const std::uint64_t above = __shfl_up_sync(all, part, 1);
    const std::uint64_t below = __shfl_down_sync(all, part, 1);
    return (lane == 0 ? 0 : above) | (lane == last ? 0 : below);
  };
  const auto reach = [&](BitRow within, BitRow row) {
    return row | (within & widened({from_near(row.low), from_near(row.high)}));
  };
  while (true) {
    const BitRow turned = run_on(mirrored_mask, mirrored(run_on(mask, seeds)));
    const BitRow reached = reach(mirrored_mask, turned);
    if (__all_sync(all, reached == turned)) return mirrored(turned);
    const BitRow back = run_on(mask, mirrored(run_on(mirrored_mask, reached)));
    seeds = reach(mask, back);
    if (__all_sync(all, seeds == back)) return back;
  }
}

}  // namespace whorl::backend::cuda
