// One axis of one level of an orthogonal wavelet transform on a GPU: a thread for each pair of coefficients, or for
// each pair of pixels of the inverse. Neighbors along x are neighbors in a warp, whatever the axis. If threads of a
// block read the same lines, these come from the cache.
#include "kernels/penalties/wavelet.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int pair_threads = 128;

// kernels::WaveletPass in the form for kernels.
template <class Real>
struct Pass {
  Index size;     // elements of an array of the batch
  Index step[3];  // z, y, x
  int axis;
  int n;  // elements of a line
  int shift;
  int taps;
  int count[3];  // number of threads: pairs along the axis, plus one for the extra element of an odd line
  Real low[kernels::most_wavelet_taps];

  __device__ Real high(int k) const { return k % 2 == 0 ? low[taps - 1 - k] : -low[taps - 1 - k]; }
  /// The place of element j of the shifted line.
  __device__ Index turned(int j) const {
    const int place = j + shift;
    return (place < n ? place : place - n) * step[axis];
  }
};

template <class Real>
Pass<Real> pass_of(const kernels::WaveletPass<Real>& what) {
  Pass<Real> pass{what.extent[0] * what.extent[1] * what.extent[2],
                  {what.extent[1] * what.extent[2], what.extent[2], 1},
                  what.axis,
                  static_cast<int>(what.active[what.axis]),
                  static_cast<int>(what.shift),
                  what.taps,
                  {},
                  {}};
  for (int axis = 0; axis < 3; ++axis) pass.count[axis] = static_cast<int>(what.active[axis]);
  pass.count[what.axis] = static_cast<int>(divide_up(what.active[what.axis], Index{2}));
  for (int k = 0; k < what.taps; ++k) pass.low[k] = what.low[k];
  return pass;
}

// Calls work(start, i) with the start of the thread's line and the number of the thread's pair.
template <class Real, class Work>
__device__ void for_pairs(const Pass<Real>& what, Index batch, const Work& work) {
  const Index per_array = Index{what.count[0]} * what.count[1] * what.count[2];
  const Index total = batch * per_array;
  for (Index t = blockIdx.x * Index{pair_threads} + threadIdx.x; t < total; t += Index{gridDim.x} * pair_threads) {
    Index rest = t;
    int position[3];
#pragma unroll
    for (int axis = 2; axis >= 0; --axis) {
      position[axis] = static_cast<int>(rest % what.count[axis]);
      rest /= what.count[axis];
    }
    Index start = rest * what.size;
    int pair = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == what.axis) {
        pair = position[axis];
      } else {
        start += position[axis] * what.step[axis];
      }
    }
    work(start, pair);
  }
}

template <class Real>
__global__ void __launch_bounds__(pair_threads)
    forward_pass(Pass<Real> what, Index batch, const Complex2<Real>* __restrict__ in,
                 Complex2<Real>* __restrict__ out) {
  const int half = what.n / 2;
  for_pairs(what, batch, [&](Index start, int i) {
    const Complex2<Real>* const from = in + start;
    Complex2<Real>* const to = out + start;
    const Index step = what.step[what.axis];
    if (i == half) {
      to[half * step] = from[what.turned(2 * half)];
      return;
    }
    Complex2<Real> a{0, 0};
    Complex2<Real> d{0, 0};
    int j = 2 * i;
    for (int k = 0; k < what.taps; ++k) {
      const Complex2<Real> value = from[what.turned(j)];
      const Real low = what.low[k];
      const Real high = what.high(k);
      a = {a.x + low * value.x, a.y + low * value.y};
      d = {d.x + high * value.x, d.y + high * value.y};
      j = j + 1 < 2 * half ? j + 1 : 0;
    }
    to[i * step] = a;
    to[(what.n - half + i) * step] = d;
  });
}

template <class Real>
__global__ void __launch_bounds__(pair_threads)
    inverse_pass(Pass<Real> what, Index batch, const Complex2<Real>* __restrict__ in,
                 Complex2<Real>* __restrict__ out) {
  const int half = what.n / 2;
  for_pairs(what, batch, [&](Index start, int s) {
    const Complex2<Real>* const from = in + start;
    Complex2<Real>* const to = out + start;
    const Index step = what.step[what.axis];
    if (s == half) {
      to[what.turned(2 * half)] = from[half * step];
      return;
    }
    Complex2<Real> sum[2] = {{0, 0}, {0, 0}};
    int i = s;
    for (int q = 0; 2 * q < what.taps; ++q) {
      const Complex2<Real> a = from[i * step];
      const Complex2<Real> d = from[(what.n - half + i) * step];
#pragma unroll
      for (int parity = 0; parity < 2; ++parity) {
        const Real low = what.low[2 * q + parity];
        const Real high = what.high(2 * q + parity);
        sum[parity] = {sum[parity].x + low * a.x + high * d.x, sum[parity].y + low * a.y + high * d.y};
      }
      i = i > 0 ? i - 1 : half - 1;
    }
    to[what.turned(2 * s)] = sum[0];
    to[what.turned(2 * s + 1)] = sum[1];
  });
}

template <class Real>
void wavelet_pass(const Context& ctx, const kernels::WaveletPass<Real>& what, const std::complex<Real>* in,
                  std::complex<Real>* out) {
  const Pass<Real> pass = pass_of(what);
  const Index total = what.batch * pass.count[0] * pass.count[1] * pass.count[2];
  constexpr Index most = 1 << 20;  // largest number of blocks; threads stride over the rest
  launch(ctx, "wavelet transform", what.inverse ? inverse_pass<Real> : forward_pass<Real>,
         {grid_of(std::min<Index>(divide_up(total, Index{pair_threads}), most)), pair_threads}, pass, what.batch,
         as_device(in), as_device(out));
}

}  // namespace

void register_wavelet() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::wavelet_pass<Real>.set(DeviceKind::cuda, wavelet_pass<Real>);
  });
}

}  // namespace whorl::backend::cuda
