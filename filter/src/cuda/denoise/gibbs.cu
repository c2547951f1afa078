#include "filter/src/kernels/denoise/gibbs.hpp"

#include "backend/cuda/device/transpose.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/multiply_add.hpp"

namespace whorl::backend::cuda {

namespace {

using Complex = std::complex<double>;

const double2* on_device(const Complex* numbers) { return reinterpret_cast<const double2*>(numbers); }
double2* on_device(Complex* numbers) { return reinterpret_cast<double2*>(numbers); }

__global__ void split_kernel(kernels::GibbsPlanes planes, const double* __restrict__ cos_x,
                             const double* __restrict__ cos_y, double2* __restrict__ spectrum,
                             double2* __restrict__ along_x) {
  const Index count = planes.planes * planes.height * planes.width;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const double weight =
        kernels::gibbs_weight(planes, cos_x[i % planes.width], cos_y[i / planes.width % planes.height]);
    const double2 value = spectrum[i];
    const double x = planes.scale * weight;
    const double y = planes.scale * (1 - weight);
    along_x[i] = {x * value.x, x * value.y};
    spectrum[i] = {y * value.x, y * value.y};
  }
}

__global__ void shift_kernel(Index count, Index length, const double2* __restrict__ factors,
                             const double2* __restrict__ spectrum, double2* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const double2 a = factors[i % length];
    const double2 b = spectrum[i];
    to[i] = {kernels::multiply_add(a.x, b.x, -(a.y * b.y)), kernels::multiply_add(a.x, b.y, a.y * b.x)};
  }
}

__global__ void choose_kernel(kernels::GibbsWindow window, const double2* __restrict__ shifted,
                              double* __restrict__ least, double2* __restrict__ result) {
  const Index n = window.length;
  const Index count = window.lines * n;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const Index at = i % n;
    const double2* line = shifted + (i - at);
    const auto value = [&](Index place) { return line[(place % n + n) % n]; };
    // The variation on one side, from nearest to farthest.
    const auto side = [&](Index direction) {
      double sum = 0;
      double2 last = value(at + direction * window.near);
      for (Index j = window.near; j <= window.far; ++j) {
        const double2 next = value(at + direction * (j + 1));
        sum += fabs(next.x - last.x) + fabs(next.y - last.y);
        last = next;
      }
      return sum;
    };
    const double left = side(-1);
    const double right = side(1);
    const double variation = left < right ? left : right;
    if (!window.first && !(variation < least[i])) continue;
    least[i] = variation;
    const double share = fabs(window.shift);
    const double2 here = line[at];
    const double2 beside = value(window.shift > 0 ? at - 1 : at + 1);
    result[i] = {kernels::multiply_add(1 - share, here.x, share * beside.x),
                 kernels::multiply_add(1 - share, here.y, share * beside.y)};
  }
}

void gibbs_split(const Context& ctx, const kernels::GibbsPlanes& planes, const double* cos_x, const double* cos_y,
                 Complex* spectrum, Complex* along_x) {
  const Index count = planes.planes * planes.height * planes.width;
  launch_loop(ctx, "gibbs", split_kernel, count, planes, cos_x, cos_y, on_device(spectrum), on_device(along_x));
}

void transpose_planes(const Context& ctx, Index planes, Index rows, Index columns, const Complex* from, Complex* to) {
  transpose(ctx, planes, rows, columns, on_device(from), on_device(to));
}

void gibbs_shift(const Context& ctx, Index lines, Index length, const Complex* factors, const Complex* spectrum,
                 Complex* to) {
  const Index count = lines * length;
  launch_loop(ctx, "gibbs", shift_kernel, count, count, length, on_device(factors), on_device(spectrum), on_device(to));
}

void gibbs_choose(const Context& ctx, const kernels::GibbsWindow& window, const Complex* shifted, double* least,
                  Complex* result) {
  launch_loop(ctx, "gibbs", choose_kernel, window.lines * window.length, window, on_device(shifted), least,
              on_device(result));
}

}  // namespace

void register_gibbs() {
  kernels::gibbs_choose.set(DeviceKind::cuda, gibbs_choose);
  kernels::gibbs_shift.set(DeviceKind::cuda, gibbs_shift);
  kernels::gibbs_split.set(DeviceKind::cuda, gibbs_split);
  kernels::transpose_planes.set(DeviceKind::cuda, transpose_planes);
}

}  // namespace whorl::backend::cuda
