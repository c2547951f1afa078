// Covariances of the coils over a block around every voxel, one axis of the block after the other, and their
// eigenvectors.
#include <algorithm>
#include <limits>

#include "backend/cuda/coils/dominant_vectors.hpp"
#include "backend/cuda/coils/row_batches.hpp"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/coil_maps.hpp"

namespace whorl::backend::cuda {

namespace {

// The sum of x_c conj(x_d) over the neighboring slices of a slice, for c >= d: [pair, slice, row, x]. The batch has
// `voxels` consecutive voxels from `first` on, `plane` of them in a slice. Blocks along y: c.
template <class Real>
__global__ void products_along_z(int slices, Index plane, Index image_plane, Index first, Index voxels, int reach,
                                 const Complex2<Real>* __restrict__ images, Complex2<Real>* __restrict__ sums) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= voxels) return;
  const int c = blockIdx.y;
  const Index start = first + i / plane * image_plane + i % plane;
  const auto slice = static_cast<int>(start / image_plane);
  const Index in_plane = start % image_plane;
  const Index per_coil = slices * image_plane;
  const int near_first = max(0, slice - reach);
  const int near_end = min(slices, slice + reach + 1);
  for (int d = 0; d <= c; ++d) {
    Complex2<Real> sum{0, 0};
    for (int near = near_first; near < near_end; ++near) {
      const Index at = near * image_plane + in_plane;
      sum = conjugate_multiply_add(images[d * per_coil + at], images[c * per_coil + at], sum);
    }
    sums[(c * (c + 1) / 2 + d) * voxels + i] = sum;
  }
}

// Sums along an axis of `full` voxels: the input has `from_count` voxels from `from_first` on, the result begins at
// `to_first`.
struct NearSums {
  Index outer;
  int full;
  int from_first;
  int from_count;
  int to_first;
  int to_count;
  Index inner;
  int reach;
};

template <class Complex>
__global__ void sum_near(NearSums axis, const Complex* __restrict__ from, Complex* __restrict__ to) {
  const Index count = axis.outer * axis.to_count * axis.inner;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const Index inner = i % axis.inner;
    const auto place = static_cast<int>(i / axis.inner % axis.to_count);
    const Index outer = i / axis.inner / axis.to_count;
    const int center = axis.to_first + place;
    const int first = max(0, center - axis.reach);
    const int end = min(axis.full, center + axis.reach + 1);
    Complex sum{0, 0};
    for (int near = first; near < end; ++near) {
      const Complex value = from[(outer * axis.from_count + near - axis.from_first) * axis.inner + inner];
      sum = {sum.x + value.x, sum.y + value.y};
    }
    to[i] = sum;
  }
}

template <class Real>
Array<std::complex<Real>> summed(const Context& ctx, const NearSums& axis, const Array<std::complex<Real>>& from) {
  Array<std::complex<Real>> to(ctx, {axis.outer, axis.to_count, axis.inner});
  launch_loop(ctx, "walsh_maps", sum_near<Complex2<Real>>, to.size(), axis, as_device(from.data()),
              as_device(to.data()));
  return to;
}

// The covariances of a batch of the images' voxels, [pair, voxel].
template <class Real>
Array<std::complex<Real>> covariances(const Context& ctx, const kernels::WalshImages<Real>& images, Index coils,
                                      Index block, const RowBatch& batch) {
  const std::array<Index, 3>& image = images.extent;
  const Index reach = block / 2;
  const Index pairs = coils * (coils + 1) / 2;
  RowBatch near = batch;  // with the rows that the block reaches
  near.first_row = std::max<Index>(0, batch.first_row - reach);
  near.rows = std::min(image[1], batch.first_row + batch.rows + reach) - near.first_row;
  const Index voxels = near.voxels(image);
  Array<std::complex<Real>> products(ctx, {pairs, voxels});
  const dim3 blocks = grid_of(divide_up(voxels, loop_threads), coils);
  launch(ctx, "walsh_maps", products_along_z<Real>, {blocks, loop_threads}, static_cast<int>(image[0]),
         near.rows * image[2], image[1] * image[2], near.first_voxel(image), voxels,
         static_cast<int>(std::min(reach, image[0])), as_device(images.data), as_device(products.data()));
  const auto rows = summed<Real>(ctx,
                                 {.outer = pairs * batch.slices,
                                  .full = static_cast<int>(image[1]),
                                  .from_first = static_cast<int>(near.first_row),
                                  .from_count = static_cast<int>(near.rows),
                                  .to_first = static_cast<int>(batch.first_row),
                                  .to_count = static_cast<int>(batch.rows),
                                  .inner = image[2],
                                  .reach = static_cast<int>(std::min(reach, image[1]))},
                                 products);
  return summed<Real>(ctx,
                      {.outer = pairs * batch.slices * batch.rows,
                       .full = static_cast<int>(image[2]),
                       .from_first = 0,
                       .from_count = static_cast<int>(image[2]),
                       .to_first = 0,
                       .to_count = static_cast<int>(image[2]),
                       .inner = 1,
                       .reach = static_cast<int>(std::min(reach, image[2]))},
                      rows);
}

template <class Real>
Index walsh_maps(const Context& ctx, const kernels::WalshImages<Real>& images, Index block,
                 const kernels::MapTarget<Real>& target) {
  const auto& image = target.image;
  const auto coils = static_cast<Index>(target.reference.size());
  // The maps are defined wherever the eigenvalue is not 0.
  DominantVectors<Real> vectors(ctx, target, std::numeric_limits<Real>::denorm_min(), nullptr);
  ProgressStage stage(ctx, "Walsh: maps", image[0] * image[1]);
  const Index row_bytes = coils * (coils + 1) / 2 * image[2] * static_cast<Index>(sizeof(std::complex<Real>));
  for_each_row_batch(image, row_batch_bytes / row_bytes, [&](const RowBatch& batch) {
    RowBatch source = batch;
    source.first_slice += images.first[0];
    source.first_row += images.first[1];
    const auto triangles = covariances<Real>(ctx, images, coils, block, source);
    vectors.solve(ctx, {batch.first_voxel(image), batch.voxels(image), triangles.data()});
    stage.advance(batch.slices * batch.rows);
  });
  return vectors.inside(ctx);
}

// The products of a batch, with those of the rows that blocks reach around rows of one slice; their sums along y, and those
// along y and x.
Index walsh_memory(const Context&, Index coils, const std::array<Index, 3>& voxels, Index block, Index real_bytes) {
  const Index row_bytes = coils * (coils + 1) / 2 * voxels[2] * 2 * real_bytes;
  const Index rows = std::clamp<Index>(row_batch_bytes / row_bytes, 1, voxels[0] * voxels[1]);
  const Index around = voxels[0] == 1 || rows < voxels[1] ? 2 * (block / 2) : 0;
  return (3 * rows + around) * row_bytes;
}

}  // namespace

void register_walsh_maps() {
  kernels::walsh_memory.set(DeviceKind::cuda, walsh_memory);
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::walsh_maps<Real>.set(DeviceKind::cuda, walsh_maps<Real>);
  });
}

}  // namespace whorl::backend::cuda
