// The operator of ESPIRiT at every voxel, one axis of the polynomial after the other, and its eigenvectors.
#include <algorithm>

#include "backend/cuda/coils/dominant_vectors.hpp"
#include "backend/cuda/coils/row_batches.hpp"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/coil_maps.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int pairs_per_thread = 16;

// exp(-2 pi i delta r / N) for all delta of an axis and all its voxels, [delta, voxel].
__global__ void fill_phases(int support, int voxels, double2* phases) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= support * voxels) return;
  const int delta = i / voxels - support / 2;
  const int turns = delta * (i % voxels - voxels / 2);
  double sine = 0;
  double cosine = 0;
  sincospi(-2.0 * turns / voxels, &sine, &cosine);
  phases[i] = {cosine, sine};
}

// One axis of the polynomial: from [batch, pair, delta, inner] to [batch, voxel, pair, inner], for the voxels from
// `first` on. Blocks along y: voxels, along z: batch.
__global__ void sum_over_delta(int pairs, int support, int inner, int first, int extent,
                               const double2* __restrict__ phases, const double2* __restrict__ in,
                               double2* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs * inner) return;
  const int pair = i / inner;
  const double2* from = in + (Index{blockIdx.z} * pairs + pair) * support * inner + i % inner;
  double2 sum{0, 0};
  for (int delta = 0; delta < support; ++delta) {
    sum = multiply_add(phases[delta * extent + first + blockIdx.y], from[delta * inner], sum);
  }
  out[(Index{blockIdx.z} * gridDim.y + blockIdx.y) * pairs * inner + i] = sum;
}

// The last axis: from [row, pair, delta] to [pair, row, x]. Blocks along y: pairs, some for each thread.
template <class Real>
__global__ void matrices_along_x(int pairs, int support, Index rows, int extent, const double2* __restrict__ phases,
                                 const double2* __restrict__ in, Complex2<Real>* __restrict__ out) {
  const Index voxel = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (voxel >= rows * extent) return;
  const int x = static_cast<int>(voxel % extent);
  const int begin = blockIdx.y * pairs_per_thread;
  const int end = min(pairs, begin + pairs_per_thread);
  const double2* row = in + voxel / extent * pairs * support;
  for (int pair = begin; pair < end; pair += 4) {
    double2 sum[4]{};
    for (int delta = 0; delta < support; ++delta) {
      const double2 phase = phases[delta * extent + x];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        // Beyond the last pair, repeats the last pair; the result is not written.
        sum[i] = multiply_add(phase, row[min(pair + i, pairs - 1) * support + delta], sum[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (pair + i >= end) continue;
      out[(pair + i) * rows * extent + voxel] = {static_cast<Real>(sum[i].x), static_cast<Real>(sum[i].y)};
    }
  }
}

Array<std::complex<double>> axis_phases(const Context& ctx, Index support, Index voxels) {
  Array<std::complex<double>> phases(ctx, {support, voxels});
  launch(ctx, "axis_phases", fill_phases, {grid_of(divide_up(support * voxels, loop_threads)), loop_threads},
         static_cast<int>(support), static_cast<int>(voxels), as_device(phases.data()));
  return phases;
}

// Applies the polynomial along one axis to `batch` inputs, for `count` voxels of the axis from `first` on.
Array<std::complex<double>> along_axis(const Context& ctx, Index batch, Index pairs, Index inner,
                                       const Array<std::complex<double>>& phases, Index first, Index count,
                                       const std::complex<double>* in) {
  Array<std::complex<double>> out(ctx, {batch, count, pairs, inner});
  const dim3 blocks = grid_of(divide_up(pairs * inner, loop_threads), count, batch);
  launch(ctx, "along_axis", sum_over_delta, {blocks, loop_threads}, static_cast<int>(pairs),
         static_cast<int>(phases.extent(0)), static_cast<int>(inner), static_cast<int>(first),
         static_cast<int>(phases.extent(1)), as_device(phases.data()), as_device(in), as_device(out.data()));
  return out;
}

template <class Real>
Index espirit_maps(const Context& ctx, const kernels::EspiritOperator& g, Real threshold,
                   const kernels::MapTarget<Real>& target, kernels::SliceRange slices, Real* eigenvalues) {
  const auto& image = target.image;
  const std::array<Index, 3> made{slices.count, image[1], image[2]};
  const Index pairs = g.coils * (g.coils + 1) / 2;
  const auto z_phases = axis_phases(ctx, g.support[0], image[0]);
  const auto y_phases = axis_phases(ctx, g.support[1], image[1]);
  const auto x_phases = axis_phases(ctx, g.support[2], image[2]);
  DominantVectors<Real> vectors(ctx, {made, target.reference, target.maps}, threshold, eigenvalues);
  ProgressStage stage(ctx, "ESPIRiT: maps", made[0] * made[1]);
  const Index row_bytes = pairs * image[2] * static_cast<Index>(sizeof(std::complex<Real>));
  for_each_row_batch(made, row_batch_bytes / row_bytes, [&](const RowBatch& batch) {
    const auto of_slices = along_axis(ctx, 1, pairs, g.support[1] * g.support[2], z_phases,
                                      slices.first + batch.first_slice, batch.slices, g.coefficients.data());
    const auto of_rows =
        along_axis(ctx, batch.slices, pairs, g.support[2], y_phases, batch.first_row, batch.rows, of_slices.data());
    const Index count = batch.voxels(made);
    Array<std::complex<Real>> triangles(ctx, {pairs, count});
    const dim3 blocks = grid_of(divide_up(count, loop_threads), divide_up(pairs, pairs_per_thread));
    launch(ctx, "espirit_maps", matrices_along_x<Real>, {blocks, loop_threads}, static_cast<int>(pairs),
           static_cast<int>(g.support[2]), batch.slices * batch.rows, static_cast<int>(image[2]),
           as_device(x_phases.data()), as_device(of_rows.data()), as_device(triangles.data()));
    vectors.solve(ctx, {batch.first_voxel(made), count, triangles.data()});
    stage.advance(batch.slices * batch.rows);
  });
  return vectors.inside(ctx);
}

}  // namespace

void register_espirit_maps() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::espirit_maps<Real>.set(DeviceKind::cuda, espirit_maps<Real>);
  });
}

}  // namespace whorl::backend::cuda
