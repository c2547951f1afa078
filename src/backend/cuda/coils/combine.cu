// One image from the images of the coils, on a GPU.
#include "kernels/combine.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
__global__ void sum_of_squares_kernel(Index coils, Index voxels, const Complex2<Real>* __restrict__ images,
                                      Real* __restrict__ image) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index v = blockIdx.x * Index{blockDim.x} + threadIdx.x; v < voxels; v += stride) {
    Real sum = 0;
    for (Index c = 0; c < coils; ++c) {
      const Complex2<Real> x = images[c * voxels + v];
      sum += x.x * x.x + x.y * x.y;
    }
    image[v] = sqrt(sum);
  }
}

template <class Real>
__global__ void matched_kernel(Index coils, Index voxels, const Complex2<Real>* __restrict__ images,
                               const Complex2<Real>* __restrict__ maps, Complex2<Real>* __restrict__ image) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index v = blockIdx.x * Index{blockDim.x} + threadIdx.x; v < voxels; v += stride) {
    Complex2<Real> sum{0, 0};
    Real power = 0;
    for (Index c = 0; c < coils; ++c) {
      const Complex2<Real> s = maps[c * voxels + v];
      sum = conjugate_multiply_add(s, images[c * voxels + v], sum);
      power += s.x * s.x + s.y * s.y;
    }
    image[v] = power > 0 ? Complex2<Real>{sum.x / power, sum.y / power} : Complex2<Real>{0, 0};
  }
}

template <class Real>
__global__ void unit_kernel(Index coils, Index voxels, const Complex2<Real>* __restrict__ maps,
                            Complex2<Real>* __restrict__ unit) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index v = blockIdx.x * Index{blockDim.x} + threadIdx.x; v < voxels; v += stride) {
    Real sum = 0;
    for (Index c = 0; c < coils; ++c) {
      const Complex2<Real> s = maps[c * voxels + v];
      sum += s.x * s.x + s.y * s.y;
    }
    const Real scale = sum > 0 ? 1 / sqrt(sum) : 0;
    for (Index c = 0; c < coils; ++c) {
      const Complex2<Real> s = maps[c * voxels + v];
      unit[c * voxels + v] = {scale * s.x, scale * s.y};
    }
  }
}

template <class Real>
void root_sum_of_squares(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* images, Real* image) {
  launch_loop(ctx, "root_sum_of_squares", sum_of_squares_kernel<Real>, voxels, coils, voxels, as_device(images), image);
}

template <class Real>
void matched_combination(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* images,
                         const std::complex<Real>* maps, std::complex<Real>* image) {
  launch_loop(ctx, "matched_combination", matched_kernel<Real>, voxels, coils, voxels, as_device(images),
              as_device(maps), as_device(image));
}

template <class Real>
void unit_maps(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* maps,
               std::complex<Real>* unit) {
  launch_loop(ctx, "unit_maps", unit_kernel<Real>, voxels, coils, voxels, as_device(maps), as_device(unit));
}

}  // namespace

void register_combine() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::root_sum_of_squares<Real>.set(DeviceKind::cuda, root_sum_of_squares<Real>);
    kernels::matched_combination<Real>.set(DeviceKind::cuda, matched_combination<Real>);
    kernels::unit_maps<Real>.set(DeviceKind::cuda, unit_maps<Real>);
  });
}

}  // namespace whorl::backend::cuda
