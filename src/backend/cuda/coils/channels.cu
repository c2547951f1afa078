// Data with a coil axis on a GPU: search for values that are not finite, correlations and mixing of coils, choice of
// samples.
#include "kernels/channels.hpp"

#include <algorithm>
#include <vector>

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// Correlations are summed for tiles of `tile` coils by `tile` coils, over `tile` samples at a time. Each thread sums
// 2 x 2 of them.
constexpr int tile = 32;
constexpr int tile_threads = (tile / 2) * (tile / 2);
// The samples are summed in parts. Their number does not depend on the device, so the order of the sum does not either.
constexpr Index most_parts = 256;

template <class Real>
__global__ void find_not_finite(Index count, const Complex2<Real>* __restrict__ elements, unsigned long long* first) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    if (isfinite(elements[i].x) && isfinite(elements[i].y)) continue;
    atomicMin(first, static_cast<unsigned long long>(i));
    return;
  }
}

using Tile = double2[tile][tile + 1];

// Loads the samples [first, end) of a tile of coils, with 0 for samples that are missing or do not count.
template <class Real>
__device__ void load_tile(int coils, Index elements, const Complex2<Real>* data, const kernels::SampleLimit& kept,
                          int first_coil, Index first, Index end, Tile& to) {
  for (int i = threadIdx.x; i < tile * tile; i += tile_threads) {
    const int coil = first_coil + i / tile;
    const Index sample = first + i % tile;
    bool counts = coil < coils && sample < end;
    if (counts && kept.energies != nullptr) counts = kept.energies[sample] <= kept.limit;
    double2 value{0, 0};
    if (counts) {
      const Complex2<Real> x = data[coil * elements + sample];
      value = {x.x, x.y};
    }
    to[i / tile][i % tile] = value;
  }
}

// Blocks along x: parts of the samples. Along y: tiles on and below the diagonal.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    gram_partial(int coils, Index elements, Index per_part, const Complex2<Real>* __restrict__ data,
                 kernels::SampleLimit kept, double2* __restrict__ partial) {
  __shared__ Tile rows;
  __shared__ Tile columns;
  int tile_row = 0;
  while ((tile_row + 1) * (tile_row + 2) / 2 <= static_cast<int>(blockIdx.y)) ++tile_row;
  const int first_row = tile * tile_row;
  const int first_column = tile * (static_cast<int>(blockIdx.y) - tile_row * (tile_row + 1) / 2);
  const int row = threadIdx.x / (tile / 2);
  const int column = threadIdx.x % (tile / 2);
  double2 sum[2][2]{};
  const Index begin = blockIdx.x * per_part;
  const Index end = min(elements, begin + per_part);
  for (Index first = begin; first < end; first += tile) {
    load_tile<Real>(coils, elements, data, kept, first_row, first, end, rows);
    load_tile<Real>(coils, elements, data, kept, first_column, first, end, columns);
    __syncthreads();
    if (first_row + row < coils && first_column + column < coils) {
      for (int k = 0; k < tile; ++k) {
        const double2 a[2] = {rows[row][k], rows[row + tile / 2][k]};
        const double2 b[2] = {columns[column][k], columns[column + tile / 2][k]};
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
          for (int j = 0; j < 2; ++j) sum[i][j] = conjugate_multiply_add(b[j], a[i], sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
  double2* mine = partial + blockIdx.x * Index{coils} * coils;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int r = first_row + row + i * tile / 2;
      const int c = first_column + column + j * tile / 2;
      if (r < coils && c <= r) mine[Index{r} * coils + c] = sum[i][j];
    }
  }
}

__global__ void gram_total(int coils, int parts, const double2* __restrict__ partial, double2* __restrict__ gram) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= coils * coils) return;
  const int row = i / coils;
  const int column = i % coils;
  if (column > row) return;
  double2 sum{0, 0};
  for (int part = 0; part < parts; ++part) {
    const double2 value = partial[part * Index{coils} * coils + i];
    sum = {sum.x + value.x, sum.y + value.y};
  }
  gram[i] = sum;
  if (row != column) gram[column * coils + row] = {sum.x, -sum.y};
}

template <class Real>
__global__ void energies_kernel(int coils, Index elements, const double2* __restrict__ matrix,
                                const Complex2<Real>* __restrict__ data, double* __restrict__ energies) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index j = blockIdx.x * Index{blockDim.x} + threadIdx.x; j < elements; j += stride) {
    double energy = 0;
    for (int row = 0; row < coils; ++row) {
      double2 sum{0, 0};
      for (int c = 0; c <= row; ++c) {
        const Complex2<Real> x = data[c * elements + j];
        sum = multiply_add(matrix[row * coils + c], double2{x.x, x.y}, sum);
      }
      energy += sum.x * sum.x + sum.y * sum.y;
    }
    energies[j] = energy;
  }
}

template <class Complex>
__global__ void take_kernel(Index samples, const Complex* __restrict__ data, Index count,
                            const Index* __restrict__ places, Complex* __restrict__ taken) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    taken[blockIdx.y * count + i] = data[blockIdx.y * samples + places[i]];
  }
}

// Each thread computes an element of several channels, so that the coils are read once for all of these.
constexpr int channels_at_once = 8;

template <class Real>
__global__ void __launch_bounds__(loop_threads)
    mix_kernel(int channels, int coils, Index elements, const Complex2<Real>* __restrict__ matrix,
               const Complex2<Real>* __restrict__ data, Complex2<Real>* __restrict__ result) {
  const int first = static_cast<int>(blockIdx.y) * channels_at_once;
  const Index stride = Index{gridDim.x} * loop_threads;
  for (Index e = blockIdx.x * Index{loop_threads} + threadIdx.x; e < elements; e += stride) {
    Complex2<Real> sum[channels_at_once]{};
    for (int c = 0; c < coils; ++c) {
      const Complex2<Real> x = data[c * elements + e];
#pragma unroll
      for (int i = 0; i < channels_at_once; ++i) {
        if (first + i < channels) sum[i] = multiply_add(matrix[(first + i) * coils + c], x, sum[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < channels_at_once; ++i) {
      if (first + i < channels) result[(first + i) * elements + e] = sum[i];
    }
  }
}

template <class Real>
Index first_not_finite(const Context& ctx, Index count, const std::complex<Real>* elements) {
  if (count == 0) return -1;
  Array<Index> first(ctx, {1});
  fill<Index>(ctx, first, count);
  launch_loop(ctx, "first_not_finite", find_not_finite<Real>, count, count, as_device(elements),
              reinterpret_cast<unsigned long long*>(first.data()));
  const Index found = to_host(ctx, first).data()[0];
  return found < count ? found : -1;
}

template <class Real>
void gram_of_channels(const Context& ctx, Index coils, Index elements, const std::complex<Real>* data,
                      kernels::SampleLimit kept, std::complex<double>* gram) {
  const auto n = static_cast<int>(coils);
  const Index per_part = std::max<Index>(1, divide_up(divide_up(elements, tile), most_parts)) * tile;
  const Index parts = std::max<Index>(1, divide_up(elements, per_part));
  const Index along = divide_up(n, tile);
  Array<std::complex<double>> partial(ctx, {parts, coils, coils});
  Array<std::complex<double>> total(ctx, {coils, coils});
  launch(ctx, "gram_of_channels", gram_partial<Real>, {grid_of(parts, along * (along + 1) / 2), tile_threads}, n,
         elements, per_part, as_device(data), kept, as_device(partial.data()));
  launch(ctx, "gram_of_channels", gram_total, {grid_of(divide_up(n * n, loop_threads)), loop_threads}, n,
         static_cast<int>(parts), as_device(partial.data()), as_device(total.data()));
  kernels::copy_bytes(ctx, gram, Device{}, total.data(), total.device(),
                      static_cast<std::size_t>(total.size()) * sizeof(std::complex<double>));
}

template <class Real>
void apply_channel_matrix(const Context& ctx, Index channels, Index coils, Index elements,
                          const std::complex<double>* matrix, const std::complex<Real>* data,
                          std::complex<Real>* result) {
  if (elements == 0) return;
  const std::vector<std::complex<Real>> weights(matrix, matrix + channels * coils);
  const Array<std::complex<Real>> here = upload<std::complex<Real>>(ctx, weights);
  launch(ctx, "apply_channel_matrix", mix_kernel<Real>,
         {grid_of(loop_blocks(ctx, elements), divide_up(channels, Index{channels_at_once})), loop_threads},
         static_cast<int>(channels), static_cast<int>(coils), elements, as_device(here.data()), as_device(data),
         as_device(result));
}

template <class Real>
void sample_energies(const Context& ctx, Index coils, Index elements, const std::complex<double>* matrix,
                     const std::complex<Real>* data, double* energies) {
  const Array<std::complex<double>> here =
      upload<std::complex<double>>(ctx, {matrix, static_cast<std::size_t>(coils * coils)});
  launch_loop(ctx, "sample_energies", energies_kernel<Real>, elements, static_cast<int>(coils), elements,
              as_device(here.data()), as_device(data), energies);
}

template <class Real>
void take_samples(const Context& ctx, Index coils, Index samples, const std::complex<Real>* data, Index count,
                  const Index* places, std::complex<Real>* taken) {
  if (count == 0) return;
  launch(ctx, "take_samples", take_kernel<Complex2<Real>>, {grid_of(loop_blocks(ctx, count), coils), loop_threads},
         samples, as_device(data), count, places, as_device(taken));
}

}  // namespace

void register_channels() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::first_not_finite<Real>.set(DeviceKind::cuda, first_not_finite<Real>);
    kernels::gram_of_channels<Real>.set(DeviceKind::cuda, gram_of_channels<Real>);
    kernels::apply_channel_matrix<Real>.set(DeviceKind::cuda, apply_channel_matrix<Real>);
    kernels::sample_energies<Real>.set(DeviceKind::cuda, sample_energies<Real>);
    kernels::take_samples<Real>.set(DeviceKind::cuda, take_samples<Real>);
  });
}

}  // namespace whorl::backend::cuda
