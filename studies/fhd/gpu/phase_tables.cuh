// The tables of the separable kernels: on a grid exp(2 pi i k . r) = exp(2 pi i k_x x) exp(2 pi i k_y y)
// exp(2 pi i k_z z), so a table per axis holds all phases; that of z includes Mu. It takes a sine and cosine for each
// sample and position along an axis, not for each voxel: terms need no special function units.
#pragma once

#include "studies/fhd/gpu/fission.cuh"

namespace whorl::studies::fhd::gpu {

/// A tile of a product: lines (z, y) by places along x, and samples that are in shared memory at a time.
inline constexpr int tile = 64;
inline constexpr int depth = 16;
/// A row of shared memory; a few more than a tile, so that rows begin at different banks.
inline constexpr int tile_stride = tile + 8;

/// [sample, place] of each axis. Samples are a multiple of depth, Mu = 0 for those beyond the scan; the places along x
/// are a multiple of a tile.
struct PhaseTables {
  float2* x;
  float2* y;
  float2* z;
  int samples;
  int width;
  int nx;
  int ny;
  int nz;
};

inline __device__ float2 times(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

inline __device__ float2 phase(float k, int place) {
  float sine = 0;
  float cosine = 0;
  sincospif(2 * k * static_cast<float>(place), &sine, &cosine);
  return {cosine, sine};
}

/// The tables of the samples from `first` on: a block for each sample.
inline __global__ void fill_tables(Sums<float> s, Mu mu, Index first, PhaseTables tables) {
  const Index j = first + blockIdx.x;
  const bool there = j < s.samples;
  const float kx = there ? s.kx[j] : 0;
  const float ky = there ? s.ky[j] : 0;
  const float kz = there ? s.kz[j] : 0;
  const float2 value = there ? float2{mu.real[j], mu.imag[j]} : float2{0, 0};
  float2* const x = tables.x + Index{blockIdx.x} * tables.width;
  float2* const y = tables.y + Index{blockIdx.x} * tables.ny;
  float2* const z = tables.z + Index{blockIdx.x} * tables.nz;
  for (int i = threadIdx.x; i < tables.width; i += blockDim.x) x[i] = phase(kx, i - tables.nx / 2);
  for (int i = threadIdx.x; i < tables.ny; i += blockDim.x) y[i] = phase(ky, i - tables.ny / 2);
  for (int i = threadIdx.x; i < tables.nz; i += blockDim.x) z[i] = times(value, phase(kz, i - tables.nz / 2));
}

/// Both factors of a tile for a few samples, real and imaginary parts apart.
struct Factors {
  alignas(32) float line_real[depth][tile_stride];
  alignas(32) float line_imag[depth][tile_stride];
  alignas(32) float x_real[depth][tile_stride];
  alignas(32) float x_imag[depth][tile_stride];
};

/// Fills them from the sample `first` on, by all threads of a block, a multiple of a tile; tile blockIdx.y of the
/// lines, blockIdx.x along x. Lines beyond the last are zeros.
inline __device__ void fill_factors(const PhaseTables& tables, int first, Factors& factors) {
  const int place = threadIdx.x % tile;
  const int line = blockIdx.y * tile + place;
  const bool there = line < tables.ny * tables.nz;
  const int y = line % tables.ny;
  const int z = line / tables.ny;
  for (int d = threadIdx.x / tile; d < depth; d += blockDim.x / tile) {
    const Index j = first + d;
    const float2 value = there ? times(tables.z[j * tables.nz + z], tables.y[j * tables.ny + y]) : float2{0, 0};
    const float2 along_x = tables.x[j * tables.width + blockIdx.x * tile + place];
    factors.line_real[d][place] = value.x;
    factors.line_imag[d][place] = value.y;
    factors.x_real[d][place] = along_x.x;
    factors.x_imag[d][place] = along_x.y;
  }
}

/// Sums of whole tiles: [line, width], real and imaginary parts.
struct TiledSums {
  float* real;
  float* imag;
};

/// Cuts out the sums of the image.
inline __global__ void crop(PhaseTables tables, TiledSums tiles, Sums<float> s) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= s.voxels) return;
  const Index from = i / tables.nx * tables.width + i % tables.nx;
  s.real[i] = tiles.real[from];
  s.imag[i] = tiles.imag[from];
}

}  // namespace whorl::studies::fhd::gpu
