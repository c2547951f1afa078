// Weighted first differences of an image on a CPU.
#include "kernels/differences.hpp"

#include <algorithm>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// One line of pixels along x: where it starts and, for each axis, the step to the neighbor and whether its pixels have a
// neighbor before and behind. Along x the two ends of the line have one neighbor each.
struct Line {
  Index start = 0;
  std::array<Index, 3> step{};
  std::array<bool, 3> before{};
  std::array<bool, 3> behind{};
};

Line line_at(const std::array<Index, 3>& extent, Index number) {
  const Index y = number % extent[1];
  const Index z = number / extent[1];
  return {number * extent[2],
          {extent[1] * extent[2], extent[2], 1},
          {z > 0, y > 0, true},
          {z + 1 < extent[0], y + 1 < extent[1], true}};
}

// Calls work(line) for every line, in parallel.
template <class Real, class Work>
void for_lines(const Context& ctx, const kernels::Differences<Real>& what, const Work& work) {
  const Index lines = what.extent[0] * what.extent[1];
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, what.axes* lines* what.extent[2]))
  for (Index number = 0; number < lines; ++number) work(line_at(what.extent, number));
}

// Calls term(i, factor) for the pixels first <= i < last, with the factor of the difference that starts at i.
template <class Real, class Term>
void with_factors(const kernels::Differences<Real>& what, const Real* weights, Index first, Index last,
                  const Term& term) {
  if (weights == nullptr) {
    for (Index i = first; i < last; ++i) term(i, what.scale);
  } else {
    for (Index i = first; i < last; ++i) term(i, what.scale * weights[i]);
  }
}

template <class Real>
const Real* weights_of(const kernels::Differences<Real>& what, int axis, Index pixels) {
  return what.weights == nullptr ? nullptr : what.weights + (axis - (3 - what.axes)) * pixels;
}

template <class Real>
void differences_forward(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                         std::complex<Real>* y) {
  const Index width = what.extent[2];
  const Index pixels = what.extent[0] * what.extent[1] * width;
  for_lines(ctx, what, [&](const Line& line) {
    const Index end = line.start + width;
    for (int axis = 3 - what.axes; axis < 3; ++axis) {
      std::complex<Real>* out = y + (axis - (3 - what.axes)) * pixels;
      const Index step = line.step[axis];
      const Index last = !line.behind[axis] ? line.start : axis == 2 ? end - 1 : end;
      with_factors(what, weights_of(what, axis, pixels), line.start, last,
                   [&](Index i, Real factor) { out[i] = factor * (x[i + step] - x[i]); });
      std::fill(out + last, out + end, std::complex<Real>(0));
    }
  });
}

template <class Real>
void differences_adjoint(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* y,
                         std::complex<Real>* x) {
  const Index width = what.extent[2];
  const Index pixels = what.extent[0] * what.extent[1] * width;
  for_lines(ctx, what, [&](const Line& line) {
    const Index end = line.start + width;
    std::fill(x + line.start, x + end, std::complex<Real>(0));
    for (int axis = 3 - what.axes; axis < 3; ++axis) {
      const std::complex<Real>* in = y + (axis - (3 - what.axes)) * pixels;
      const Real* weights = weights_of(what, axis, pixels);
      const Index step = line.step[axis];
      const Index inner = axis == 2 ? 1 : 0;
      if (line.before[axis]) {
        with_factors(what, weights, line.start + inner - step, end - step,
                     [&](Index i, Real factor) { x[i + step] += factor * in[i]; });
      }
      if (line.behind[axis]) {
        with_factors(what, weights, line.start, end - inner, [&](Index i, Real factor) { x[i] -= factor * in[i]; });
      }
    }
  });
}

template <class Real>
void differences_normal(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                        std::complex<Real>* z) {
  const Index width = what.extent[2];
  const Index pixels = what.extent[0] * what.extent[1] * width;
  for_lines(ctx, what, [&](const Line& line) {
    const Index end = line.start + width;
    std::fill(z + line.start, z + end, std::complex<Real>(0));
    for (int axis = 3 - what.axes; axis < 3; ++axis) {
      const Real* weights = weights_of(what, axis, pixels);
      const Index step = line.step[axis];
      const Index inner = axis == 2 ? 1 : 0;
      if (line.before[axis]) {
        with_factors(what, weights, line.start + inner - step, end - step,
                     [&](Index i, Real factor) { z[i + step] += factor * factor * (x[i + step] - x[i]); });
      }
      if (line.behind[axis]) {
        with_factors(what, weights, line.start, end - inner,
                     [&](Index i, Real factor) { z[i] -= factor * factor * (x[i + step] - x[i]); });
      }
    }
  });
}

}  // namespace

void register_differences() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::differences_forward<Real>.set(DeviceKind::cpu, differences_forward<Real>);
    kernels::differences_adjoint<Real>.set(DeviceKind::cpu, differences_adjoint<Real>);
    kernels::differences_normal<Real>.set(DeviceKind::cpu, differences_normal<Real>);
  });
}

}  // namespace whorl::backend::cpu
