// Factors of pixels and rows of images in double, in the order for the tensor cores.
#pragma once

#include "backend/cuda/exact/grid_tables.cuh"

namespace whorl::backend::cuda {

/// The table of the adjoint, whose columns are pixels: [4 samples][4 pairs][lane].
static __global__ void pixel_columns(const GridLayout grid, const SampleRange samples, double* table) {
  const int column_tiles = grid.pairs_padded / 4;
  const int count = samples.padded / 4 * column_tiles * 32;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const int lane = at % 32;
    const int column = lane / 4;
    const double2 e =
        pair_factor(grid, samples, at / 32 % column_tiles * 4 + column / 2, at / 32 / column_tiles * 4 + lane % 4);
    table[at] = column % 2 == 0 ? e.x : e.y;
  }
}

/// The table of the forward transform, whose columns are samples: [8 samples][2 pairs][lane].
static __global__ void sample_columns(const GridLayout grid, const SampleRange samples, double* table) {
  const int steps = grid.pairs_padded / 2;
  const int count = samples.padded / 8 * steps * 32;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    const int lane = at % 32;
    const double2 e = pair_factor(grid, samples, at / 32 % steps * 2 + lane % 4 / 2, at / 32 / steps * 8 + lane / 4);
    table[at] = lane % 2 == 0 ? e.x : e.y;
  }
}

/// The real and the imaginary rows of images: [batch][8 inner rows][outer row][2 pairs][lane].
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
