// First differences of an image on a GPU.
#include <algorithm>

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "kernels/differences.hpp"

namespace whorl::backend::cuda {

namespace {

// Pixels of a block.
constexpr int columns = 32;
constexpr int rows = 8;

// kernels::Differences in the form for kernels; axes and positions in the order frame, z, y, x.
template <class Real>
struct Stencil {
  int extent[4];
  Index step[4];
  Real scale[4];
  int number[4];  // of an axis among those that have differences
  const Real* __restrict__ weights;
  bool add;

  __device__ bool has(int axis) const { return scale[axis] != 0; }
  __device__ Index pixels() const { return extent[0] * step[0]; }
  /// The factor of the difference along an axis that starts at pixel r.
  __device__ Real factor(int axis, Index r) const {
    return weights == nullptr ? scale[axis] : scale[axis] * weights[number[axis] * pixels() + r];
  }
};

template <class Real>
Stencil<Real> stencil_of(const kernels::Differences<Real>& what) {
  const auto [frames, nz, ny, nx] = what.extent;
  Stencil<Real> stencil{{static_cast<int>(frames), static_cast<int>(nz), static_cast<int>(ny), static_cast<int>(nx)},
                        {nz * ny * nx, ny * nx, nx, 1},
                        {},
                        {},
                        what.weights,
                        what.add};
  int count = 0;
  for (int axis = 0; axis < 4; ++axis) {
    stencil.scale[axis] = what.scale[axis];
    stencil.number[axis] = count;
    if (what.scale[axis] != 0) ++count;
  }
  return stencil;
}

template <class Real>
LaunchShape shape_of(const Stencil<Real>& what) {
  constexpr Index most = 65535;  // blocks along y and z of a grid
  return {grid_of(divide_up(what.extent[3], columns), std::min<Index>(divide_up(what.extent[2], rows), most),
                  std::min(Index{what.extent[0]} * what.extent[1], most)),
          dim3(columns, rows)};
}

// Calls work(position, r) for the pixels of a thread.
template <class Real, class Work>
__device__ void for_pixels(const Stencil<Real>& what, const Work& work) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= what.extent[3]) return;
  const Index slices = Index{what.extent[0]} * what.extent[1];
  for (Index slice = blockIdx.z; slice < slices; slice += gridDim.z) {
    const int frame = static_cast<int>(slice / what.extent[1]);
    const int z = static_cast<int>(slice - Index{frame} * what.extent[1]);
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < what.extent[2]; y += gridDim.y * blockDim.y) {
      const int position[4] = {frame, z, y, x};
      work(position, slice * what.step[1] + y * what.step[2] + x);
    }
  }
}

template <class Real>
__global__ void forward(Stencil<Real> what, const Complex2<Real>* __restrict__ x, Complex2<Real>* __restrict__ y) {
  for_pixels(what, [&](const int(&position)[4], Index r) {
    const Complex2<Real> here = x[r];
#pragma unroll
    for (int axis = 0; axis < 4; ++axis) {
      if (!what.has(axis)) continue;
      Complex2<Real> value{0, 0};
      if (position[axis] + 1 < what.extent[axis]) {
        const Complex2<Real> next = x[r + what.step[axis]];
        const Real factor = what.factor(axis, r);
        value = {factor * (next.x - here.x), factor * (next.y - here.y)};
      }
      y[what.number[axis] * what.pixels() + r] = value;
    }
  });
}

template <class Real>
__global__ void adjoint(Stencil<Real> what, const Complex2<Real>* __restrict__ y, Complex2<Real>* __restrict__ x) {
  for_pixels(what, [&](const int(&position)[4], Index r) {
    Complex2<Real> sum = what.add ? x[r] : Complex2<Real>{0, 0};
#pragma unroll
    for (int axis = 0; axis < 4; ++axis) {
      if (!what.has(axis)) continue;
      const Complex2<Real>* in = y + what.number[axis] * what.pixels();
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
  for_pixels(what, [&](const int(&position)[4], Index r) {
    const Complex2<Real> here = x[r];
    Complex2<Real> sum = what.add ? z[r] : Complex2<Real>{0, 0};
    // Adds the difference to the neighbor, times the squared factor of the difference that starts at `start`.
    const auto add = [&](int axis, Index start, Index neighbor) {
      const Complex2<Real> there = x[neighbor];
      const Real factor = what.factor(axis, start);
      const Real square = factor * factor;
      sum = {sum.x + square * (here.x - there.x), sum.y + square * (here.y - there.y)};
    };
#pragma unroll
    for (int axis = 0; axis < 4; ++axis) {
      if (!what.has(axis)) continue;
      const Index step = what.step[axis];
      if (position[axis] > 0) add(axis, r - step, r - step);
      if (position[axis] + 1 < what.extent[axis]) add(axis, r, r + step);
    }
    z[r] = sum;
  });
}

// y = P(y + sigma D x), and each block's part of the sums. Pixels are counted along the image, so that the order of the
// sums does not depend on the device.
template <class Real>
__global__ void __launch_bounds__(loop_threads)
    dual_step(Stencil<Real> what, Real sigma, Real radius, const Complex2<Real>* __restrict__ x,
              Complex2<Real>* __restrict__ y, double2* partial) {
  double value = 0;
  double change = 0;
  const Index pixels = what.pixels();
  for (Index r = blockIdx.x * Index{loop_threads} + threadIdx.x; r < pixels; r += Index{gridDim.x} * loop_threads) {
    Index rest = r;
    int position[4];
#pragma unroll
    for (int axis = 0; axis < 4; ++axis) {
      position[axis] = static_cast<int>(rest / what.step[axis]);
      rest -= position[axis] * what.step[axis];
    }
    const Complex2<Real> here = x[r];
    Complex2<Real> old[4];
    Complex2<Real> next[4];
    Real of_x = 0;
    Real of_y = 0;
#pragma unroll
    for (int axis = 0; axis < 4; ++axis) {
      if (!what.has(axis)) continue;
      old[axis] = y[what.number[axis] * pixels + r];
      next[axis] = old[axis];
      if (position[axis] + 1 < what.extent[axis]) {
        const Complex2<Real> there = x[r + what.step[axis]];
        const Real factor = what.factor(axis, r);
        const Complex2<Real> difference{factor * (there.x - here.x), factor * (there.y - here.y)};
        next[axis] = {next[axis].x + sigma * difference.x, next[axis].y + sigma * difference.y};
        of_x += difference.x * difference.x + difference.y * difference.y;
      }
      of_y += next[axis].x * next[axis].x + next[axis].y * next[axis].y;
    }
    value += sqrt(of_x);
    const Real length = sqrt(of_y);
    const Real factor = length > radius ? radius / length : Real(1);
#pragma unroll
    for (int axis = 0; axis < 4; ++axis) {
      if (!what.has(axis)) continue;
      const Complex2<Real> moved{factor * next[axis].x, factor * next[axis].y};
      y[what.number[axis] * pixels + r] = moved;
      const double real = double(moved.x) - old[axis].x;
      const double imag = double(moved.y) - old[axis].y;
      change += real * real + imag * imag;
    }
  }
  value = block_sum<loop_threads>(value);
  change = block_sum<loop_threads>(change);
  if (threadIdx.x == 0) partial[blockIdx.x] = {value, change};
}

__global__ void __launch_bounds__(loop_threads) dual_sums(int count, const double2* partial, double2* total) {
  double value = 0;
  double change = 0;
  for (int i = threadIdx.x; i < count; i += loop_threads) {
    value += partial[i].x;
    change += partial[i].y;
  }
  value = block_sum<loop_threads>(value);
  change = block_sum<loop_threads>(change);
  if (threadIdx.x == 0) *total = {value, change};
}

template <class Real>
kernels::DualSums differences_dual_step(const Context& ctx, const kernels::Differences<Real>& what, double sigma,
                                        double radius, const std::complex<Real>* x, std::complex<Real>* y) {
  const Stencil<Real> stencil = stencil_of(what);
  const int blocks = partial_sums(stencil.extent[0] * stencil.step[0]);
  Array<double> partial(ctx, {2 * blocks});
  auto* const sums = reinterpret_cast<double2*>(partial.data());
  auto* const total = static_cast<double2*>(mailbox_of(ctx));
  launch(ctx, "differences_dual_step", dual_step<Real>, {grid_of(blocks), loop_threads}, stencil,
         static_cast<Real>(sigma), static_cast<Real>(radius), as_device(x), as_device(y), sums);
  launch(ctx, "differences_dual_step", dual_sums, {grid_of(1), loop_threads}, blocks, sums, total);
  ctx.synchronize();
  return {total->x, total->y};
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
    kernels::differences_dual_step<Real>.set(DeviceKind::cuda, differences_dual_step<Real>);
  });
}

}  // namespace whorl::backend::cuda
