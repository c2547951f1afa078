// First differences of an image on a CPU.
#include "kernels/penalties/differences.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/vectors/difference_lines.hpp"
#include "core/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// Calls term(i, factor) for the pixels first <= i < last, with the factor of the difference that starts at i.
template <class Real, class Term>
void with_factors(Real scale, const Real* weights, Index first, Index last, const Term& term) {
  if (weights == nullptr) {
    for (Index i = first; i < last; ++i) term(i, scale);
  } else {
    for (Index i = first; i < last; ++i) term(i, scale * weights[i]);
  }
}

template <class Real>
const Real* weights_of(const kernels::Differences<Real>& what, int number) {
  return what.weights == nullptr ? nullptr : what.weights + number * pixels_of(what);
}

template <class Real>
void differences_forward(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                         std::complex<Real>* y) {
  const Index width = what.extent[along_x];
  for_lines(ctx, what, [&](const Line& line) {
    const Index end = line.start + width;
    for_axes(what, [&](int axis, int number) {
      std::complex<Real>* out = y + number * pixels_of(what);
      for (const Neighbors& part : line.behind[axis]) {
        with_factors(what.scale[axis], weights_of(what, number), line.start + part.first, line.start + part.last,
                     [&](Index i, Real factor) { out[i] = factor * (x[i + part.step] - x[i]); });
      }
      std::fill(out + line.start + line.last_with_neighbor(axis), out + end, std::complex<Real>(0));
    });
  });
}

template <class Real>
void differences_adjoint(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* y,
                         std::complex<Real>* x) {
  const Index width = what.extent[along_x];
  for_lines(ctx, what, [&](const Line& line) {
    const Index end = line.start + width;
    if (!what.add) std::fill(x + line.start, x + end, std::complex<Real>(0));
    for_axes(what, [&](int axis, int number) {
      const std::complex<Real>* in = y + number * pixels_of(what);
      const Real* weights = weights_of(what, number);
      for (const Neighbors& part : line.before[axis]) {
        const Index start = line.start + part.step;
        with_factors(what.scale[axis], weights, start + part.first, start + part.last,
                     [&](Index i, Real factor) { x[i - part.step] += factor * in[i]; });
      }
      for (const Neighbors& part : line.behind[axis]) {
        with_factors(what.scale[axis], weights, line.start + part.first, line.start + part.last,
                     [&](Index i, Real factor) { x[i] -= factor * in[i]; });
      }
    });
  });
}

template <class Real>
void differences_normal(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                        std::complex<Real>* z) {
  const Index width = what.extent[along_x];
  for_lines(ctx, what, [&](const Line& line) {
    const Index end = line.start + width;
    if (!what.add) std::fill(z + line.start, z + end, std::complex<Real>(0));
    for_axes(what, [&](int axis, int number) {
      const Real* weights = weights_of(what, number);
      for (const Neighbors& part : line.before[axis]) {
        const Index start = line.start + part.step;
        with_factors(what.scale[axis], weights, start + part.first, start + part.last,
                     [&](Index i, Real factor) { z[i - part.step] += factor * factor * (x[i - part.step] - x[i]); });
      }
      for (const Neighbors& part : line.behind[axis]) {
        with_factors(what.scale[axis], weights, line.start + part.first, line.start + part.last,
                     [&](Index i, Real factor) { z[i] -= factor * factor * (x[i + part.step] - x[i]); });
      }
    });
  });
}

// Scratch of a line: the new y of each axis, and for each pixel |D x|^2 and |y|^2 over the axes.
template <class Real>
struct LineScratch {
  LineScratch(int axes, Index width)
      : next(static_cast<std::size_t>(axes * width)),
        of_x(static_cast<std::size_t>(width)),
        of_y(static_cast<std::size_t>(width)) {}

  std::vector<std::complex<Real>> next;
  std::vector<Real> of_x;
  std::vector<Real> of_y;
};

template <class Real>
kernels::DualSums dual_step_of_line(const kernels::Differences<Real>& what, const Line& line, Real sigma, Real radius,
                                    const std::complex<Real>* x, std::complex<Real>* y, LineScratch<Real>& scratch) {
  const Index width = what.extent[along_x];
  const Index pixels = pixels_of(what);
  Real* const of_x = scratch.of_x.data();
  Real* const of_y = scratch.of_y.data();
  std::fill_n(of_x, width, Real(0));
  std::fill_n(of_y, width, Real(0));
  x += line.start;
  y += line.start;
  for_axes(what, [&](int axis, int number) {
    const std::complex<Real>* const old = y + number * pixels;
    std::complex<Real>* const next = scratch.next.data() + number * width;
    const Real* const weights = weights_of(what, number);
    for (const Neighbors& part : line.behind[axis]) {
      with_factors(what.scale[axis], weights == nullptr ? nullptr : weights + line.start, part.first, part.last,
                   [&](Index i, Real factor) {
                     const std::complex<Real> difference = factor * (x[i + part.step] - x[i]);
                     next[i] = old[i] + sigma * difference;
                     of_x[i] += std::norm(difference);
                     of_y[i] += std::norm(next[i]);
                   });
    }
    for (Index i = line.last_with_neighbor(axis); i < width; ++i) {
      next[i] = old[i];
      of_y[i] += std::norm(next[i]);
    }
  });
  double value = 0;
  for (Index i = 0; i < width; ++i) {
    value += std::sqrt(of_x[i]);
    const Real length = std::sqrt(of_y[i]);
    of_y[i] = length > radius ? radius / length : Real(1);
  }
  double change = 0;
  for_axes(what, [&](int, int number) {
    std::complex<Real>* const out = y + number * pixels;
    const std::complex<Real>* const next = scratch.next.data() + number * width;
    for (Index i = 0; i < width; ++i) {
      const std::complex<Real> moved = of_y[i] * next[i];
      change += std::norm(moved - out[i]);
      out[i] = moved;
    }
  });
  return {value, change};
}

template <class Real>
kernels::DualSums differences_dual_step(const Context& ctx, const kernels::Differences<Real>& what, double sigma,
                                        double radius, const std::complex<Real>* x, std::complex<Real>* y) {
  const Index lines = what.extent[0] * what.extent[1] * what.extent[2];
  const Index width = what.extent[along_x];
  const int axes = axes_of(what);
  std::vector<kernels::DualSums> of_line(static_cast<std::size_t>(lines));
  const int threads = threads_for(ctx, Index{4} * axes * lines * width);
  const Index parts = std::min(lines, Index{8} * threads);
  detail::parallel_threads(ctx, threads, parts, [&](const auto& turns) {
    LineScratch<Real> scratch(axes, width);
    turns([&](Index part) {
      for (Index number = lines * part / parts; number < lines * (part + 1) / parts; ++number) {
        of_line[static_cast<std::size_t>(number)] = dual_step_of_line(
            what, line_at(what, number), static_cast<Real>(sigma), static_cast<Real>(radius), x, y, scratch);
      }
    });
  });
  kernels::DualSums sums{0, 0};
  for (const kernels::DualSums& one : of_line) {
    sums.value += one.value;
    sums.change += one.change;
  }
  return sums;
}

}  // namespace

void register_differences() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::differences_forward<Real>.set(DeviceKind::cpu, differences_forward<Real>);
    kernels::differences_adjoint<Real>.set(DeviceKind::cpu, differences_adjoint<Real>);
    kernels::differences_normal<Real>.set(DeviceKind::cpu, differences_normal<Real>);
    kernels::differences_dual_step<Real>.set(DeviceKind::cpu, differences_dual_step<Real>);
  });
}

}  // namespace whorl::backend::cpu
