#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/geometry/shift_sums.hpp"
#include "filter/src/kernels/multiply_add.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int warp_size = 32;
constexpr int sums_per_shift = 5;

// Sums of a thread over one row, which do not overflow for rows of fewer than 2^24 numbers.
template <class T>
using Partial = std::conditional_t<std::is_floating_point_v<T>, double,
                                   std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>>;

// One block for each part of each shift.
template <class T>
__global__ void shift_sums_kernel(kernels::ShiftSumsJob job, const T* __restrict__ fixed, const T* __restrict__ moving,
                                  kernels::ShiftSums<T>* __restrict__ sums) {
  using Number = typename kernels::ShiftSums<T>::Number;
  const kernels::ShiftOverlap overlap = kernels::shift_overlap(job, blockIdx.x);
  const Index length = job.width * job.channels;
  const Index rows = overlap.bottom - overlap.top;
  const Index part = blockIdx.y;
  Number sum[sums_per_shift] = {};
  for (Index row = job.slices * rows * part / job.parts; row < job.slices * rows * (part + 1) / job.parts; ++row) {
    const Index y = row / rows * job.height + overlap.top + row % rows;
    const T* a = fixed + y * length;
    const T* b = moving + (y + overlap.dy) * length + overlap.dx * job.channels;
    Partial<T> here[sums_per_shift] = {};
    for (Index i = overlap.left * job.channels + threadIdx.x; i < overlap.right * job.channels; i += loop_threads) {
      const Partial<T> x = a[i];
      const Partial<T> z = b[i];
      here[0] += x;
      here[1] += z;
      here[2] = kernels::multiply_add(x, x, here[2]);
      here[3] = kernels::multiply_add(z, z, here[3]);
      here[4] = kernels::multiply_add(x, z, here[4]);
    }
    for (int k = 0; k < sums_per_shift; ++k) sum[k] += static_cast<Number>(here[k]);
  }
  __shared__ Number of_warps[sums_per_shift][loop_threads / warp_size];
  for (int k = 0; k < sums_per_shift; ++k) {
    for (int step = warp_size / 2; step > 0; step /= 2) sum[k] += __shfl_down_sync(~0U, sum[k], step);
    if (threadIdx.x % warp_size == 0) of_warps[k][threadIdx.x / warp_size] = sum[k];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int k = 0; k < sums_per_shift; ++k) {
    for (int warp = 1; warp < loop_threads / warp_size; ++warp) sum[k] += of_warps[k][warp];
  }
  sums[Index{blockIdx.y} * gridDim.x + blockIdx.x] = {sum[0], sum[1], sum[2], sum[3], sum[4]};
}

template <class T>
void shift_sums(const Context& ctx, const kernels::ShiftSumsJob& job, const T* fixed, const T* moving,
                kernels::ShiftSums<T>* sums) {
  const Index side = 2 * job.radius + 1;
  const dim3 grid(static_cast<unsigned>(side * side), static_cast<unsigned>(job.parts));
  launch(ctx, "shift_sums", shift_sums_kernel<T>, {grid, loop_threads}, job, fixed, moving, sums);
}

}  // namespace

void register_shift_sums() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::shift_sums<T>.set(DeviceKind::cuda, shift_sums<T>);
  });
}

}  // namespace whorl::backend::cuda
