// Factors of pixels and rows of images in half precision, in the order for the tensor cores.
#pragma once

#include "backend/cuda/device/mma.cuh"
#include "backend/cuda/exact/grid_tables.cuh"

namespace whorl::backend::cuda {

// The contents of two registers of half-precision numbers.
struct FourValues {
  double x, y, z, w;
};

// One entry of a table of halves for a lane: the two registers of the high and of the low parts of one tile, or of the
// high parts of two tiles.
template <int kParts, class Values>
__device__ inline uint4 half_entry(const Values& values) {
  const FourValues first = values(0);
  if constexpr (kParts == 2) {
    const SplitPair b0 = split_halves(first.x, first.y);
    const SplitPair b1 = split_halves(first.z, first.w);
    return {b0.high, b1.high, b0.low, b1.low};
  } else {
    const FourValues second = values(1);
    const auto high = [](double x, double y) { return half_bits(__floats2half2_rn(x, y)); };
    return {high(first.x, first.y), high(first.z, first.w), high(second.x, second.y), high(second.z, second.w)};
  }
}

/// The table of the adjoint, whose columns are pixels: [16 samples][4 pairs, or 8 where there is one part][lane].
template <int kParts>
__global__ void pixel_columns(const GridLayout grid, const SampleRange samples, uint4* table) {
  constexpr int tiles = 3 - kParts;
  const int column_tiles = grid.pairs_padded / 4 / tiles;
  const int count = samples.padded / 16 * column_tiles * 32;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const int lane = at % 32;
    const int tile = at / 32 % column_tiles;
    const int j = at / 32 / column_tiles * 16 + lane % 4 * 2;
    const int column = lane / 4;
    table[at] = half_entry<kParts>([&](int n) {
      const int pair = (tile * tiles + n) * 4 + column / 2;
      const auto value = [&](int sample) {
        const double2 e = pair_factor(grid, samples, pair, sample);
        return column % 2 == 0 ? e.x : e.y;
      };
      return FourValues{value(j), value(j + 1), value(j + 8), value(j + 9)};
    });
  }
}

/// The table of the forward transform, whose columns are samples: [64 pairs][8 samples, or 16][8 pairs][lane].
template <int kParts>
__global__ void sample_columns(const GridLayout grid, const SampleRange samples, uint4* table) {
  constexpr int tiles = 3 - kParts;
  const int sample_tiles = samples.padded / 8 / tiles;
  const int count = grid.pairs_padded / 64 * sample_tiles * 8 * 32;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const int lane = at % 32;
    const int tile = at / 256 % sample_tiles;
    const int pair = at / 256 / sample_tiles * 64 + at / 32 % 8 * 8 + lane % 4;
    table[at] = half_entry<kParts>([&](int n) {
      const int j = (tile * tiles + n) * 8 + lane / 4;
      const double2 near = pair_factor(grid, samples, pair, j);
      const double2 far = pair_factor(grid, samples, pair + 4, j);
      return FourValues{near.x, near.y, far.x, far.y};
    });
  }
}

/// most = the bits of the largest absolute value; it must be 0 before. Positive floats are ordered like their bits.
static __global__ void largest_magnitude(const float* __restrict__ values, Index count, unsigned* most) {
  unsigned mine = 0;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine = max(mine, __float_as_uint(fabsf(values[i])));
  }
  for (int other = 16; other > 0; other /= 2) mine = max(mine, __shfl_xor_sync(0xffffffff, mine, other));
  if (threadIdx.x % 32 == 0) atomicMax(most, mine);
}

/// The images as rows of matrices: [batch][64 pairs][8 inner rows][outer row][8 pairs][part][lane].
template <int kParts>
__global__ void image_rows(const GridLayout grid, const float2* __restrict__ images, int batch, const unsigned* most,
                           uint4* table) {
  const float scale = half_scale(*most);
  const int panels = grid.pairs_padded / 64;
  const int inner_blocks = grid.inner_padded / 8;
  const Index count = Index{batch} * panels * inner_blocks * grid.outer_padded * 8 * 32;
  for (Index at = Index{blockIdx.x} * blockDim.x + threadIdx.x; at < count; at += Index{gridDim.x} * blockDim.x) {
    const int lane = static_cast<int>(at % 32);
    Index rest = at / 256;
    const int o = static_cast<int>(rest % grid.outer_padded);
    rest /= grid.outer_padded;
    const int row = grid.row(o, static_cast<int>(rest % inner_blocks) * 8 + lane / 4);
    rest /= inner_blocks;
    const int pair = static_cast<int>(rest % panels) * 64 + static_cast<int>(at / 32 % 8) * 8 + lane % 4;
    const float2* const image = images + rest / panels * grid.rows * grid.nx;
    uint32_t parts[2][4];
    for (int half = 0; half < 2; ++half) {
      const auto [sum, difference] = fold<float>(grid, image, row, pair + 4 * half);
      const SplitPair real = split_halves(sum.x * scale, difference.y * scale);
      const SplitPair imag = split_halves(sum.y * scale, -difference.x * scale);
      parts[0][2 * half] = real.high;
      parts[0][2 * half + 1] = imag.high;
      parts[1][2 * half] = real.low;
      parts[1][2 * half + 1] = imag.low;
    }
    for (int part = 0; part < kParts; ++part) {
      table[(at / 32 * kParts + part) * 32 + lane] = {parts[part][0], parts[part][1], parts[part][2], parts[part][3]};
    }
  }
}

}  // namespace whorl::backend::cuda
