// The factors of the exact transform of a grid, and the data that they are multiplied with.
#pragma once

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/exact/grid_layout.cuh"
#include "backend/cuda/exact/unit_phase.cuh"

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

/// A power of two that scales the data, so that sums of two values use the upper end of the range of half precision.
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

/// Sum and difference of a pair in a row of an image; zeros if there is no such row or pair.
template <class Real>
__device__ inline Folded<Real> fold(const GridLayout& grid, const Complex2<Real>* image, int row, int pair) {
  if (row < 0 || pair >= grid.pairs()) return {};
  const Complex2<Real>* const line = image + Index{row} * grid.nx;
  const Complex2<Real> right = line[grid.right(pair)];
  if (grid.left(pair) == grid.right(pair)) return {right, {}};
  const Complex2<Real> left = line[grid.left(pair)];
  return {{right.x + left.x, right.y + left.y}, {right.x - left.x, right.y - left.y}};
}

/// Cosine and sine sums of a pair in a row become two pixels.
template <class Real>
__device__ inline void write_pair(const GridLayout& grid, int row, int pair, Complex2<Real> cosine, Complex2<Real> sine,
                                  Real scale, bool accumulate, Complex2<Real>* image) {
  if (row < 0 || pair >= grid.pairs()) return;
  Complex2<Real>* const line = image + Index{row} * grid.nx;
  Complex2<Real> right{scale * (cosine.x - sine.y), scale * (cosine.y + sine.x)};
  Complex2<Real> left{scale * (cosine.x + sine.y), scale * (cosine.y - sine.x)};
  if (accumulate) {
    const Complex2<Real> before_right = line[grid.right(pair)];
    const Complex2<Real> before_left = line[grid.left(pair)];
    right = {right.x + before_right.x, right.y + before_right.y};
    left = {left.x + before_left.x, left.y + before_left.y};
  }
  line[grid.right(pair)] = right;
  line[grid.left(pair)] = left;
}

}  // namespace whorl::backend::cuda
