// One axis of one level of an orthogonal wavelet transform on a CPU.
#include "kernels/penalties/wavelet.hpp"

#include <algorithm>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// The low-pass filter of a pass, and the high-pass filter that follows from it.
template <class Real>
struct Filters {
  explicit Filters(const kernels::WaveletPass<Real>& what) : taps(what.taps), low(what.low) {
    for (int k = 0; k < taps; ++k) high[k] = (k % 2 == 0 ? 1 : -1) * low[taps - 1 - k];
  }

  int taps;
  std::array<Real, kernels::most_wavelet_taps> low;
  std::array<Real, kernels::most_wavelet_taps> high{};
};

Index modulo(Index value, Index count) {
  const Index rest = value % count;
  return rest < 0 ? rest + count : rest;
}

// Elements [0, width) of a sum of rows of input, each with its factor.
template <class Real>
void add_row(Real factor, const std::complex<Real>* in, Index width, std::complex<Real>* sum) {
  for (Index x = 0; x < width; ++x) sum[x] += factor * in[x];
}

// The pass over lines along an axis whose neighbors are `step` apart; `width` lines are adjacent. in(j) and out(j) are
// the places of element j of the first line.
template <class Real, class In, class Out>
void forward_lines(const Filters<Real>& filters, Index n, Index shift, Index width, const In& in, const Out& out) {
  const Index half = n / 2;
  const Index even = 2 * half;
  const Index approximations = n - half;
  const auto turned = [&](Index j) { return in((j + shift) % n); };
  for (Index i = 0; i < half; ++i) {
    std::complex<Real>* const a = out(i);
    std::complex<Real>* const d = out(approximations + i);
    std::fill_n(a, width, std::complex<Real>(0));
    std::fill_n(d, width, std::complex<Real>(0));
    for (int k = 0; k < filters.taps; ++k) {
      const std::complex<Real>* const row = turned((2 * i + k) % even);
      add_row(filters.low[k], row, width, a);
      add_row(filters.high[k], row, width, d);
    }
  }
  if (even < n) std::copy_n(turned(even), width, out(half));
}

template <class Real, class In, class Out>
void inverse_lines(const Filters<Real>& filters, Index n, Index shift, Index width, const In& in, const Out& out) {
  const Index half = n / 2;
  const Index even = 2 * half;
  const Index approximations = n - half;
  const auto turned = [&](Index j) { return out((j + shift) % n); };
  for (Index j = 0; j < even; ++j) {
    std::complex<Real>* const sum = turned(j);
    std::fill_n(sum, width, std::complex<Real>(0));
    for (int k = static_cast<int>(j % 2); k < filters.taps; k += 2) {
      const Index i = modulo((j - k) / 2, half);
      add_row(filters.low[k], in(i), width, sum);
      add_row(filters.high[k], in(approximations + i), width, sum);
    }
  }
  if (even < n) std::copy_n(in(half), width, turned(even));
}

template <class Real>
void wavelet_pass(const Context& ctx, const kernels::WaveletPass<Real>& what, const std::complex<Real>* in,
                  std::complex<Real>* out) {
  const Filters<Real> filters(what);
  const std::array<Index, 3> step{what.extent[1] * what.extent[2], what.extent[2], 1};
  const Index size = what.extent[0] * step[0];
  const int axis = what.axis;
  const Index n = what.active[axis];
  // Lines along z and y are processed together: `width` of them, adjacent along x.
  const std::array<Index, 2> outer{axis == 0 ? 1 : what.active[0], axis == 1 ? 1 : what.active[1]};
  const Index width = axis == 2 ? 1 : what.active[2];
  const Index bundles = what.batch * outer[0] * outer[1];
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, 2 * filters.taps * bundles * n * width))
  for (Index bundle = 0; bundle < bundles; ++bundle) {
    const Index y = bundle % outer[1];
    const Index z = bundle / outer[1] % outer[0];
    const Index start = bundle / outer[1] / outer[0] * size + z * step[0] + y * step[1];
    const auto from = [&](Index j) { return in + start + j * step[axis]; };
    const auto to = [&](Index j) { return out + start + j * step[axis]; };
    if (what.inverse) {
      inverse_lines(filters, n, what.shift, width, from, to);
    } else {
      forward_lines(filters, n, what.shift, width, from, to);
    }
  }
}

}  // namespace

void register_wavelet() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::wavelet_pass<Real>.set(DeviceKind::cpu, wavelet_pass<Real>);
  });
}

}  // namespace whorl::backend::cpu
