// First differences of an image on a GPU.
#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/dual_sums.cuh"
#include "backend/cuda/vectors/stencil.cuh"

namespace whorl::backend::cuda {

namespace {

template <class Real>
__global__ void forward(Stencil<Real> what, const Complex2<Real>* __restrict__ x, Complex2<Real>* __restrict__ y) {
  for_pixels(what, [&](const int(&position)[4], Index r) {
    const Complex2<Real> here = x[r];
#pragma unroll
    for (int axis = 0; axis < 4; ++axis) {
      if (!what.has(axis)) continue;
      Complex2<Real> value{0, 0};
      if (what.has_next(axis, position)) {
        const Complex2<Real> next = x[what.next(axis, position, r)];
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
      if (what.has_before(axis, position)) {
        const Index before = what.before(axis, position, r);
        const Real factor = what.factor(axis, before);
        sum = {sum.x + factor * in[before].x, sum.y + factor * in[before].y};
      }
      if (what.has_next(axis, position)) {
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
      if (what.has_before(axis, position)) {
        const Index before = what.before(axis, position, r);
        add(axis, before, before);
      }
      if (what.has_next(axis, position)) add(axis, r, what.next(axis, position, r));
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
      if (what.has_next(axis, position)) {
        const Complex2<Real> there = x[what.next(axis, position, r)];
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

template <class Real>
kernels::DualSums differences_dual_step(const Context& ctx, const kernels::Differences<Real>& what, double sigma,
                                        double radius, const std::complex<Real>* x, std::complex<Real>* y) {
  const Stencil<Real> stencil = stencil_of(what);
  DualSumsOfBlocks sums(ctx, stencil.extent[0] * stencil.step[0]);
  launch(ctx, "differences_dual_step", dual_step<Real>, {grid_of(sums.blocks()), loop_threads}, stencil,
         static_cast<Real>(sigma), static_cast<Real>(radius), as_device(x), as_device(y), sums.partial());
  return sums.total(ctx, "differences_dual_step");
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
