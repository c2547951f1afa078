// Weighted first differences of an image on a GPU.
#include <algorithm>

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "kernels/differences.hpp"

namespace whorl::backend::cuda {

namespace {

// Pixels of a block.
constexpr int columns = 32;
constexpr int rows = 8;

// kernels::Differences as kernels take it; axes and positions in the order z, y, x.
template <class Real>
struct Stencil {
  int extent[3];
  Index step[3];
  int first_axis;
  Real scale;
  const Real* __restrict__ weights;

  __device__ Index pixels() const { return extent[0] * step[0]; }
  /// Of the difference along an axis that starts at pixel r.
  __device__ Real factor(int axis, Index r) const {
    return weights == nullptr ? scale : scale * weights[(axis - first_axis) * pixels() + r];
  }
};

template <class Real>
Stencil<Real> stencil_of(const kernels::Differences<Real>& what) {
  const auto [nz, ny, nx] = what.extent;
  return {{static_cast<int>(nz), static_cast<int>(ny), static_cast<int>(nx)},
          {ny * nx, nx, 1},
          3 - what.axes,
          what.scale,
          what.weights};
}

template <class Real>
LaunchShape shape_of(const Stencil<Real>& what) {
  constexpr int most = 65535;  // blocks along y and z of a grid
  return {grid_of(divide_up(what.extent[2], columns), std::min(divide_up(what.extent[1], rows), most),
                  std::min(what.extent[0], most)),
          dim3(columns, rows)};
}

// Calls work(position, r) for the pixels of a thread.
template <class Real, class Work>
__device__ void for_pixels(const Stencil<Real>& what, const Work& work) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= what.extent[2]) return;
  for (int z = blockIdx.z; z < what.extent[0]; z += gridDim.z) {
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < what.extent[1]; y += gridDim.y * blockDim.y) {
      const int position[3] = {z, y, x};
      work(position, z * what.step[0] + y * what.step[1] + x);
    }
  }
}

template <class Real>
__global__ void forward(Stencil<Real> what, const Complex2<Real>* __restrict__ x, Complex2<Real>* __restrict__ y) {
  for_pixels(what, [&](const int(&position)[3], Index r) {
    const Complex2<Real> here = x[r];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (axis < what.first_axis) continue;
      Complex2<Real> value{0, 0};
      if (position[axis] + 1 < what.extent[axis]) {
        const Complex2<Real> next = x[r + what.step[axis]];
        const Real factor = what.factor(axis, r);
        value = {factor * (next.x - here.x), factor * (next.y - here.y)};
      }
      y[(axis - what.first_axis) * what.pixels() + r] = value;
    }
  });
}

template <class Real>
__global__ void adjoint(Stencil<Real> what, const Complex2<Real>* __restrict__ y, Complex2<Real>* __restrict__ x) {
  for_pixels(what, [&](const int(&position)[3], Index r) {
    Complex2<Real> sum{0, 0};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (axis < what.first_axis) continue;
      const Complex2<Real>* in = y + (axis - what.first_axis) * what.pixels();
      if (position[axis] > 0) {
        const Index before = r - what.step[axis];
        const Real factor = what.factor(axis, before);
        sum = {sum.x + factor * in[before].x, sum.y + factor * in[before].y};
      }
      if (position[axis] + 1 < what.extent[axis]) {
        const Real factor = what.factor(axis, r);
        sum = {sum.x - factor * in[r].x, sum.y - factor * in[r].y};
      }
    }
    x[r] = sum;
  });
}

template <class Real>
__global__ void normal(Stencil<Real> what, const Complex2<Real>* __restrict__ x, Complex2<Real>* __restrict__ z) {
  for_pixels(what, [&](const int(&position)[3], Index r) {
    const Complex2<Real> here = x[r];
    Complex2<Real> sum{0, 0};
    // The neighbor's difference to this pixel, by the square of the factor of the difference that starts at `start`.
    const auto add = [&](int axis, Index start, Index neighbor) {
      const Complex2<Real> there = x[neighbor];
      const Real factor = what.factor(axis, start);
      const Real square = factor * factor;
      sum = {sum.x + square * (here.x - there.x), sum.y + square * (here.y - there.y)};
    };
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (axis < what.first_axis) continue;
      const Index step = what.step[axis];
      if (position[axis] > 0) add(axis, r - step, r - step);
      if (position[axis] + 1 < what.extent[axis]) add(axis, r, r + step);
    }
    z[r] = sum;
  });
}

template <class Real>
void differences_forward(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                         std::complex<Real>* y) {
  const Stencil<Real> stencil = stencil_of(what);
  launch(ctx, "differences_forward", forward<Real>, shape_of(stencil), stencil, as_device(x), as_device(y));
}

template <class Real>
void differences_adjoint(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* y,
                         std::complex<Real>* x) {
  const Stencil<Real> stencil = stencil_of(what);
  launch(ctx, "differences_adjoint", adjoint<Real>, shape_of(stencil), stencil, as_device(y), as_device(x));
}

template <class Real>
void differences_normal(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                        std::complex<Real>* z) {
  const Stencil<Real> stencil = stencil_of(what);
  launch(ctx, "differences_normal", normal<Real>, shape_of(stencil), stencil, as_device(x), as_device(z));
}

}  // namespace

void register_differences() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::differences_forward<Real>.set(DeviceKind::cuda, differences_forward<Real>);
    kernels::differences_adjoint<Real>.set(DeviceKind::cuda, differences_adjoint<Real>);
    kernels::differences_normal<Real>.set(DeviceKind::cuda, differences_normal<Real>);
  });
}

}  // namespace whorl::backend::cuda
