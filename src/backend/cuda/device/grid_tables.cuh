// The factors of the exact transform of a grid, in the order in which tensor cores take them.
#pragma once

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/device/grid_layout.cuh"
#include "backend/cuda/device/mma.cuh"
#include "backend/cuda/device/unit_phase.cuh"

namespace whorl::backend::cuda {

/// Samples [first, first + count) of points [sample, dim], padded with others at k = 0.
struct SampleRange {
  const double* points;
  int dim;
  Index first;
  int count;
  int padded;

  __device__ double k(int axis, int j) const { return j < count && axis < dim ? points[(first + j) * dim + axis] : 0; }
};

/// outer [o][j] and inner [i][j]: exp(2 pi i k.r) of the rows, the inner ones with the shift of the pixels along x.
template <class Real>
__global__ void row_factors(const GridLayout grid, const SampleRange samples, Complex2<Real>* outer,
                            Complex2<Real>* inner) {
  const int count = (grid.outer_padded + grid.inner_padded) * samples.padded;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const int row = at / samples.padded;
    const int j = at % samples.padded;
    const bool is_outer = row < grid.outer_padded;
    const int i = row - grid.outer_padded;
    double turns = is_outer ? turn_fraction(samples.k(grid.outer_axis, j), grid.outer_begin + row * grid.outer_step)
                            : turn_fraction(samples.k(grid.inner_axis, j), grid.inner_begin + i);
    if (!is_outer) turns += turn_fraction(samples.k(0, j), -grid.shift());
    const double2 e = unit_phase(turns);
    const Complex2<Real> rounded{static_cast<Real>(e.x), static_cast<Real>(e.y)};
    if (is_outer) {
      outer[at] = rounded;
    } else {
      inner[at - grid.outer_padded * samples.padded] = rounded;
    }
  }
}

/// cos and sin (x and y) of the pixels of a pair.
__device__ inline double2 pair_factor(const GridLayout& grid, const SampleRange& samples, int pair, int j) {
  return unit_phase(turn_fraction(samples.k(0, j), pair + grid.shift()));
}

// What two registers of halves hold.
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

/// The tables of the same for doubles. Columns of pixels: [4 samples][4 pairs][lane].
static __global__ void pixel_columns(const GridLayout grid, const SampleRange samples, double* table) {
  const int column_tiles = grid.pairs_padded / 4;
  const int count = samples.padded / 4 * column_tiles * 32;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const int lane = at % 32;
    const int column = lane / 4;
    const double2 e = pair_factor(grid, samples, at / 32 % column_tiles * 4 + column / 2,
                                  at / 32 / column_tiles * 4 + lane % 4);
    table[at] = column % 2 == 0 ? e.x : e.y;
  }
}

/// Columns of samples: [8 samples][2 pairs][lane].
static __global__ void sample_columns(const GridLayout grid, const SampleRange samples, double* table) {
  const int steps = grid.pairs_padded / 2;
  const int count = samples.padded / 8 * steps * 32;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const int lane = at % 32;
    const double2 e = pair_factor(grid, samples, at / 32 % steps * 2 + lane % 4 / 2, at / 32 / steps * 8 + lane / 4);
    table[at] = lane % 2 == 0 ? e.x : e.y;
  }
}

/// most = the bits of the largest absolute value, where it was 0 before. Floats above zero are ordered as their bits.
static __global__ void largest_magnitude(const float* __restrict__ values, Index count, unsigned* most) {
  unsigned mine = 0;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine = max(mine, __float_as_uint(fabsf(values[i])));
  }
  mine = __reduce_max_sync(0xffffffff, mine);
  if (threadIdx.x % 32 == 0) atomicMax(most, mine);
}

/// A power of two for the data to be multiplied with, so that sums of two of it stay within a half, and near its end.
__device__ inline float half_scale(unsigned most) {
  const int exponent = static_cast<int>(most >> 23) - 127;
  return __int_as_float((min(120, 13 - exponent) + 127) << 23);
}

/// The data of a range of samples, padded with zeros, times the scale: [batch][j].
template <class Real>
__global__ void padded_data(const Complex2<Real>* __restrict__ data, int batch, Index stride, const SampleRange samples,
                            const unsigned* most, Complex2<Real>* padded) {
  const Real scale = sizeof(Real) == 4 ? static_cast<Real>(half_scale(*most)) : Real{1};
  const Index count = Index{batch} * samples.padded;
  for (Index at = Index{blockIdx.x} * blockDim.x + threadIdx.x; at < count; at += Index{gridDim.x} * blockDim.x) {
    const int j = static_cast<int>(at % samples.padded);
    Complex2<Real> value{};
    if (j < samples.count) value = data[at / samples.padded * stride + samples.first + j];
    padded[at] = {value.x * scale, value.y * scale};
  }
}

/// Sum and difference of the pixels of a pair.
template <class Real>
struct Folded {
  Complex2<Real> sum;
  Complex2<Real> difference;
};

/// Those of pair p in a row of an image; zeros where there is no such row or pair.
template <class Real>
__device__ inline Folded<Real> fold(const GridLayout& grid, const Complex2<Real>* image, int row, int pair) {
  if (row < 0 || pair >= grid.pairs()) return {};
  const Complex2<Real>* const line = image + Index{row} * grid.nx;
  const Complex2<Real> right = line[grid.right(pair)];
  if (grid.left(pair) == grid.right(pair)) return {right, {}};
  const Complex2<Real> left = line[grid.left(pair)];
  return {{right.x + left.x, right.y + left.y}, {right.x - left.x, right.y - left.y}};
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

/// The same for doubles, real and imaginary rows: [batch][8 inner rows][outer row][2 pairs][lane].
static __global__ void image_rows(const GridLayout grid, const double2* __restrict__ images, int batch,
                                  double2* table) {
  const int steps = grid.pairs_padded / 2;
  const int inner_blocks = grid.inner_padded / 8;
  const Index count = Index{batch} * inner_blocks * grid.outer_padded * steps * 32;
  for (Index at = Index{blockIdx.x} * blockDim.x + threadIdx.x; at < count; at += Index{gridDim.x} * blockDim.x) {
    const int lane = static_cast<int>(at % 32);
    const int pair = static_cast<int>(at / 32 % steps) * 2 + lane % 4 / 2;
    Index rest = at / 32 / steps;
    const int o = static_cast<int>(rest % grid.outer_padded);
    rest /= grid.outer_padded;
    const int row = grid.row(o, static_cast<int>(rest % inner_blocks) * 8 + lane / 4);
    const auto [sum, difference] = fold<double>(grid, images + rest / inner_blocks * grid.rows * grid.nx, row, pair);
    table[at] = lane % 2 == 0 ? sum : double2{difference.y, -difference.x};
  }
}

}  // namespace whorl::backend::cuda
