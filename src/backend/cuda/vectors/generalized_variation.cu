// The operator of second-order total generalized variation on a GPU: a thread for each pixel.
#include "kernels/penalties/generalized_variation.hpp"

#include <algorithm>

#include "backend/cuda/vectors/stencil.cuh"

namespace whorl::backend::cuda {

namespace {

constexpr double half_root = 0.70710678118654752440;

// The number of a pair a <= b of n axes.
__device__ int pair_of(int n, int a, int b) { return a * n - a * (a - 1) / 2 + (b - a); }

template <class Real>
__global__ void gradient(Stencil<Real> what, int axes, Real second, const Complex2<Real>* __restrict__ x,
                         const Complex2<Real>* __restrict__ w, Complex2<Real>* __restrict__ y) {
  const Index pixels = what.pixels();
  for_pixels(what, [&](const int(&position)[4], Index r) {
    // sum += factor times the difference of an image along an axis
    const auto add = [&](int axis, const Complex2<Real>* image, Real factor, Complex2<Real>& sum) {
      if (!what.has_next(axis, position)) return;
      const Complex2<Real> here = image[r];
      const Complex2<Real> there = image[what.next(axis, position, r)];
      sum = {sum.x + factor * (there.x - here.x), sum.y + factor * (there.y - here.y)};
    };
#pragma unroll
    for (int axis_a = 0; axis_a < 4; ++axis_a) {
      if (!what.has(axis_a)) continue;
      const int a = what.number[axis_a];
      Complex2<Real> value{0, 0};
      if (what.has_next(axis_a, position)) {
        const Complex2<Real> less = w[a * pixels + r];
        value = {-less.x, -less.y};
        add(axis_a, x, what.scale[axis_a], value);
      }
      y[a * pixels + r] = value;
#pragma unroll
      for (int axis_b = axis_a; axis_b < 4; ++axis_b) {
        if (!what.has(axis_b)) continue;
        const int b = what.number[axis_b];
        Complex2<Real> sum{0, 0};
        if (a == b) {
          add(axis_a, w + a * pixels, second * what.scale[axis_a], sum);
        } else {
          add(axis_a, w + b * pixels, second * Real(half_root) * what.scale[axis_a], sum);
          add(axis_b, w + a * pixels, second * Real(half_root) * what.scale[axis_b], sum);
        }
        y[(axes + pair_of(axes, a, b)) * pixels + r] = sum;
      }
    }
  });
}

template <class Real>
__global__ void adjoint_gradient(Stencil<Real> what, int axes, Real second, Real times,
                                 const Complex2<Real>* __restrict__ y, Complex2<Real>* __restrict__ x,
                                 Complex2<Real>* __restrict__ w) {
  const Index pixels = what.pixels();
  for_pixels(what, [&](const int(&position)[4], Index r) {
    // sum += factor times the adjoint of the differences along an axis
    const auto add = [&](int axis, const Complex2<Real>* image, Real factor, Complex2<Real>& sum) {
      if (what.has_before(axis, position)) {
        const Complex2<Real> before = image[what.before(axis, position, r)];
        sum = {sum.x + factor * before.x, sum.y + factor * before.y};
      }
      if (what.has_next(axis, position)) {
        const Complex2<Real> here = image[r];
        sum = {sum.x - factor * here.x, sum.y - factor * here.y};
      }
    };
    Complex2<Real> of_x = x[r];
#pragma unroll
    for (int axis_c = 0; axis_c < 4; ++axis_c) {
      if (!what.has(axis_c)) continue;
      const int c = what.number[axis_c];
      add(axis_c, y + c * pixels, times * what.scale[axis_c], of_x);
      Complex2<Real> of_w = w[c * pixels + r];
      if (what.has_next(axis_c, position)) {
        const Complex2<Real> here = y[c * pixels + r];
        of_w = {of_w.x - times * here.x, of_w.y - times * here.y};
      }
#pragma unroll
      for (int axis_d = 0; axis_d < 4; ++axis_d) {
        if (!what.has(axis_d)) continue;
        const int d = what.number[axis_d];
        const int pair = axes + (c < d ? pair_of(axes, c, d) : pair_of(axes, d, c));
        const Real factor = times * second * what.scale[axis_d] * (c == d ? Real(1) : Real(half_root));
        add(axis_d, y + pair * pixels, factor, of_w);
      }
      w[c * pixels + r] = of_w;
    }
    x[r] = of_x;
  });
}

template <class Real>
int axes_of(const kernels::Differences<Real>& what) {
  return static_cast<int>(std::count_if(what.scale.begin(), what.scale.end(), [](Real scale) { return scale != 0; }));
}

template <class Real>
void generalized_gradient(const Context& ctx, const kernels::Differences<Real>& what, double second,
                          const std::complex<Real>* x, const std::complex<Real>* w, std::complex<Real>* y) {
  const Stencil<Real> stencil = stencil_of(what);
  launch(ctx, "generalized gradient", gradient<Real>, shape_of(stencil), stencil, axes_of(what),
         static_cast<Real>(second), as_device(x), as_device(w), as_device(y));
}

template <class Real>
void generalized_gradient_adjoint(const Context& ctx, const kernels::Differences<Real>& what, double second,
                                  double factor, const std::complex<Real>* y, std::complex<Real>* x,
                                  std::complex<Real>* w) {
  const Stencil<Real> stencil = stencil_of(what);
  launch(ctx, "generalized gradient adjoint", adjoint_gradient<Real>, shape_of(stencil), stencil, axes_of(what),
         static_cast<Real>(second), static_cast<Real>(factor), as_device(y), as_device(x), as_device(w));
}

}  // namespace

void register_generalized_variation() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::generalized_gradient<Real>.set(DeviceKind::cuda, generalized_gradient<Real>);
    kernels::generalized_gradient_adjoint<Real>.set(DeviceKind::cuda, generalized_gradient_adjoint<Real>);
  });
}

}  // namespace whorl::backend::cuda
