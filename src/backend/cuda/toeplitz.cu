#include "backend/cuda/toeplitz.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Complex>
__global__ void move_center(int nz, int ny, int nx, const Complex* __restrict__ centered,
                            Complex* __restrict__ corner) {
  const Index count = Index{nz} * ny * nx;
  const Index stride = Index{gridDim.x} * blockDim.x;
  const auto from = [](int i, int n) { return (i + n / 2) % n; };
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const int x = static_cast<int>(i % nx);
    const int y = static_cast<int>(i / nx % ny);
    const int z = static_cast<int>(i / nx / ny);
    const bool left_out = (nz > 1 && 2 * z == nz) || 2 * y == ny || 2 * x == nx;
    const Index place = (Index{from(z, nz)} * ny + from(y, ny)) * nx + from(x, nx);
    corner[i] = left_out ? Complex{0, 0} : centered[place];
  }
}

template <class Real>
__global__ void take_real(Index count, double scale, const Complex2<Real>* __restrict__ values,
                          Real* __restrict__ spectrum) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    spectrum[i] = static_cast<Real>(scale * values[i].x);
  }
}

}  // namespace

template <class Real>
void center_to_corner(const Context& ctx, const std::array<Index, 3>& extent, const std::complex<Real>* centered,
                      std::complex<Real>* corner) {
  move_center<<<loop_blocks(ctx, extent[0] * extent[1] * extent[2]), loop_threads, 0, stream_of(ctx)>>>(
      static_cast<int>(extent[0]), static_cast<int>(extent[1]), static_cast<int>(extent[2]), as_device(centered),
      as_device(corner));
  check_launch("center_to_corner");
}

template <class Real>
void real_spectrum(const Context& ctx, Index count, double scale, const std::complex<Real>* values, Real* spectrum) {
  take_real<Real>
      <<<loop_blocks(ctx, count), loop_threads, 0, stream_of(ctx)>>>(count, scale, as_device(values), spectrum);
  check_launch("real_spectrum");
}

#define WHORL_INSTANTIATE(Real)                                                                          \
  template void center_to_corner(const Context&, const std::array<Index, 3>&, const std::complex<Real>*, \
                                 std::complex<Real>*);                                                   \
  template void real_spectrum(const Context&, Index, double, const std::complex<Real>*, Real*)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
