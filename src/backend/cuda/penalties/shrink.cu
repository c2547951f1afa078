// Reduces the magnitudes of single values or of groups of values, on a GPU: a thread for each group.
#include "kernels/penalties/shrink.hpp"

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/device/dual_sums.cuh"
#include "backend/cuda/device/total.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// kernels::Groups in the form for kernels.
struct GroupLayout {
  Index batch;
  Index group;
  Index step;  // elements of z, y, x
  int extent[3];
  int spared[3];

  __host__ __device__ Index count() const { return batch * step; }
  /// Where group `number` begins.
  __device__ Index place(Index number) const {
    const Index of = number / step;
    return of * group * step + (number - of * step);
  }
  __device__ bool spares(Index number) const {
    if (spared[0] == 0) return false;
    const Index r = number % step;
    const Index x = r % extent[2];
    const Index y = r / extent[2] % extent[1];
    const Index z = r / extent[2] / extent[1];
    return z < spared[0] && y < spared[1] && x < spared[2];
  }
};

GroupLayout layout_of(const kernels::Groups& what) {
  const auto narrow = [](Index value) { return static_cast<int>(value); };
  return {what.batch,
          what.group,
          what.extent[0] * what.extent[1] * what.extent[2],
          {narrow(what.extent[0]), narrow(what.extent[1]), narrow(what.extent[2])},
          {narrow(what.spared[0]), narrow(what.spared[1]), narrow(what.spared[2])}};
}

template <class Real>
__device__ Real length_of(const Complex2<Real>* v, const GroupLayout& what) {
  Real energy = 0;
  for (Index i = 0; i < what.group; ++i) {
    const Complex2<Real> value = v[i * what.step];
    energy += value.x * value.x + value.y * value.y;
  }
  return sqrt(energy);
}

template <class Real>
__global__ void shrink_kernel(GroupLayout what, Real threshold, Complex2<Real>* v) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index number = blockIdx.x * Index{blockDim.x} + threadIdx.x; number < what.count(); number += stride) {
    if (what.spares(number)) continue;
    Complex2<Real>* const first = v + what.place(number);
    const Real length = length_of<Real>(first, what);
    const Real factor = length > threshold ? 1 - threshold / length : Real(0);
    for (Index i = 0; i < what.group; ++i) {
      const Complex2<Real> value = first[i * what.step];
      first[i * what.step] = {factor * value.x, factor * value.y};
    }
  }
}

template <class Real>
__global__ void __launch_bounds__(loop_threads)
    norms_partial(GroupLayout what, const Complex2<Real>* __restrict__ v, double* partial) {
  double sum = 0;
  const Index stride = Index{gridDim.x} * loop_threads;
  for (Index number = blockIdx.x * Index{loop_threads} + threadIdx.x; number < what.count(); number += stride) {
    if (!what.spares(number)) sum += length_of<Real>(v + what.place(number), what);
  }
  sum = block_sum<loop_threads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

template <class Real>
__global__ void __launch_bounds__(loop_threads)
    dual_step_of_groups(GroupLayout what, Real sigma, Real radius, const Complex2<Real>* __restrict__ v,
                        Complex2<Real>* __restrict__ y, double2* partial) {
  double value = 0;
  double change = 0;
  const Index stride = Index{gridDim.x} * loop_threads;
  for (Index number = blockIdx.x * Index{loop_threads} + threadIdx.x; number < what.count(); number += stride) {
    if (what.spares(number)) continue;
    const Index place = what.place(number);
    Real of_v = 0;
    Real of_y = 0;
    for (Index i = 0; i < what.group; ++i) {
      const Complex2<Real> step = v[place + i * what.step];
      const Complex2<Real> old = y[place + i * what.step];
      const Complex2<Real> next{old.x + sigma * step.x, old.y + sigma * step.y};
      of_v += step.x * step.x + step.y * step.y;
      of_y += next.x * next.x + next.y * next.y;
    }
    value += sqrt(of_v);
    const Real length = sqrt(of_y);
    const Real factor = length > radius ? radius / length : Real(1);
    for (Index i = 0; i < what.group; ++i) {
      const Complex2<Real> step = v[place + i * what.step];
      const Complex2<Real> old = y[place + i * what.step];
      const Complex2<Real> moved{factor * (old.x + sigma * step.x), factor * (old.y + sigma * step.y)};
      y[place + i * what.step] = moved;
      const double real = double(moved.x) - old.x;
      const double imag = double(moved.y) - old.y;
      change += real * real + imag * imag;
    }
  }
  value = block_sum<loop_threads>(value);
  change = block_sum<loop_threads>(change);
  if (threadIdx.x == 0) partial[blockIdx.x] = {value, change};
}

template <class Real>
__global__ void clamp_kernel(Index count, Real low, Real high, Complex2<Real>* v) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    v[i] = {min(max(v[i].x, low), high), Real(0)};
  }
}

template <class Real>
void shrink_groups(const Context& ctx, const kernels::Groups& what, double threshold, std::complex<Real>* v) {
  const GroupLayout layout = layout_of(what);
  launch_loop(ctx, "shrink", shrink_kernel<Real>, layout.count(), layout, static_cast<Real>(threshold), as_device(v));
}

template <class Real>
double sum_of_norms(const Context& ctx, const kernels::Groups& what, const std::complex<Real>* v) {
  const GroupLayout layout = layout_of(what);
  const int blocks = partial_sums(layout.count());
  Array<double> partial(ctx, {blocks});
  launch(ctx, "sum of norms", norms_partial<Real>, {grid_of(blocks), loop_threads}, layout, as_device(v),
         partial.data());
  return total_for_host(ctx, "sum of norms", partial);
}

template <class Real>
kernels::DualSums groups_dual_step(const Context& ctx, const kernels::Groups& what, double sigma, double radius,
                                   const std::complex<Real>* v, std::complex<Real>* y) {
  const GroupLayout layout = layout_of(what);
  DualSumsOfBlocks sums(ctx, layout.count());
  launch(ctx, "dual step", dual_step_of_groups<Real>, {grid_of(sums.blocks()), loop_threads}, layout,
         static_cast<Real>(sigma), static_cast<Real>(radius), as_device(v), as_device(y), sums.partial());
  return sums.total(ctx, "dual step");
}

template <class Real>
void clamp_real(const Context& ctx, Index count, double low, double high, std::complex<Real>* v) {
  launch_loop(ctx, "box", clamp_kernel<Real>, count, count, static_cast<Real>(low), static_cast<Real>(high),
              as_device(v));
}

}  // namespace

void register_shrink() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::shrink_groups<Real>.set(DeviceKind::cuda, shrink_groups<Real>);
    kernels::sum_of_norms<Real>.set(DeviceKind::cuda, sum_of_norms<Real>);
    kernels::groups_dual_step<Real>.set(DeviceKind::cuda, groups_dual_step<Real>);
    kernels::clamp_real<Real>.set(DeviceKind::cuda, clamp_real<Real>);
  });
}

}  // namespace whorl::backend::cuda
