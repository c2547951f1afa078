// The operator of second-order total generalized variation on a CPU.
#include "kernels/penalties/generalized_variation.hpp"

#include "backend/cpu/vectors/difference_lines.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
constexpr auto half_root = static_cast<Real>(0.70710678118654752440);

// The pairs a <= b of axes that have differences, with their axes and the number of each pair.
template <class Real, class Work>
void for_pairs(const kernels::Differences<Real>& what, const Work& work) {
  int pair = 0;
  for_axes(what, [&](int axis_a, int a) {
    for_axes(what, [&](int axis_b, int b) {
      if (a <= b) work(axis_a, a, axis_b, b, pair++);
    });
  });
}

template <class Real>
void generalized_gradient(const Context& ctx, const kernels::Differences<Real>& what, double second,
                          const std::complex<Real>* x, const std::complex<Real>* w, std::complex<Real>* y) {
  using Complex = std::complex<Real>;
  const Index width = what.extent[along_x];
  const Index pixels = pixels_of(what);
  const int axes = axes_of(what);
  const auto of_second = static_cast<Real>(second);
  for_lines(ctx, what, [&](const Line& line) {
    for_axes(what, [&](int axis, int number) {
      const Complex* const from = x + line.start;
      const Complex* const less = w + number * pixels + line.start;
      Complex* const out = y + number * pixels + line.start;
      const Real scale = what.scale[axis];
      for (const auto& [first, last, step] : line.behind[axis]) {
        for (Index i = first; i < last; ++i) out[i] = scale * (from[i + step] - from[i]) - less[i];
      }
      std::fill(out + line.last_with_neighbor(axis), out + width, Complex(0));
    });
    for_pairs(what, [&](int axis_a, int a, int axis_b, int b, int pair) {
      Complex* const out = y + (axes + pair) * pixels + line.start;
      std::fill_n(out, width, Complex(0));
      const auto add = [&](int axis, int of, Real factor) {
        const Complex* const from = w + of * pixels + line.start;
        for (const auto& [first, last, step] : line.behind[axis]) {
          for (Index i = first; i < last; ++i) out[i] += factor * (from[i + step] - from[i]);
        }
      };
      if (a == b) {
        add(axis_a, a, of_second * what.scale[axis_a]);
      } else {
        add(axis_a, b, of_second * half_root<Real> * what.scale[axis_a]);
        add(axis_b, a, of_second * half_root<Real> * what.scale[axis_b]);
      }
    });
  });
}

template <class Real>
void generalized_gradient_adjoint(const Context& ctx, const kernels::Differences<Real>& what, double second,
                                  double factor, const std::complex<Real>* y, std::complex<Real>* x,
                                  std::complex<Real>* w) {
  using Complex = std::complex<Real>;
  const Index pixels = pixels_of(what);
  const int axes = axes_of(what);
  const auto times = static_cast<Real>(factor);
  const auto of_second = static_cast<Real>(second * factor);
  for_lines(ctx, what, [&](const Line& line) {
    // out[r] += scale (in[r - e] - in[r]), without the terms beyond either end of an axis that is not cyclic
    const auto add_adjoint = [&](int axis, const Complex* in, Real scale, Complex* out) {
      in += line.start;
      out += line.start;
      for (const auto& [first, last, step] : line.before[axis]) {
        for (Index i = first; i < last; ++i) out[i] += scale * in[i + step];
      }
      const Index last = line.last_with_neighbor(axis);
      for (Index i = 0; i < last; ++i) out[i] -= scale * in[i];
    };
    for_axes(what, [&](int axis, int number) {
      const Complex* const in = y + number * pixels;
      add_adjoint(axis, in, times * what.scale[axis], x);
      Complex* const out = w + number * pixels + line.start;
      const Index last = line.last_with_neighbor(axis);
      for (Index i = 0; i < last; ++i) out[i] -= times * in[line.start + i];
    });
    for_pairs(what, [&](int axis_a, int a, int axis_b, int b, int pair) {
      const Complex* const in = y + (axes + pair) * pixels;
      if (a == b) {
        add_adjoint(axis_a, in, of_second * what.scale[axis_a], w + a * pixels);
      } else {
        add_adjoint(axis_a, in, of_second * half_root<Real> * what.scale[axis_a], w + b * pixels);
        add_adjoint(axis_b, in, of_second * half_root<Real> * what.scale[axis_b], w + a * pixels);
      }
    });
  });
}

}  // namespace

void register_generalized_variation() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::generalized_gradient<Real>.set(DeviceKind::cpu, generalized_gradient<Real>);
    kernels::generalized_gradient_adjoint<Real>.set(DeviceKind::cpu, generalized_gradient_adjoint<Real>);
  });
}

}  // namespace whorl::backend::cpu
