#include "backend/cpu/lines/folded_lines.hpp"

#include "backend/cpu/parallel.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

template <class Real>
void fold_lines(const Context& ctx, const std::complex<Real>* image, Index lines, Index nx, double* folded) {
  const Index half = nx / 2;
  const Index rows = folded_rows(nx);
  const Index padded = (lines + 1) / 2 * 2;
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, lines* nx))
  for (Index line = 0; line < padded; ++line) {
    double* real = folded + line * 2 * rows;
    double* imag = real + rows;
    if (line == lines) {
      std::fill(real, real + 2 * rows, 0.0);
      continue;
    }
    const std::complex<Real>* center = image + line * nx + half;
    real[0] = static_cast<double>(center->real());
    imag[0] = static_cast<double>(center->imag());
    for (Index x = 1; x <= half; ++x) {
      const std::complex<double> right = half + x < nx ? std::complex<double>(center[x]) : 0.0;
      const std::complex<double> left(center[-x]);
      const std::complex<double> difference = right - left;
      real[x] = right.real() + left.real();
      imag[x] = right.imag() + left.imag();
      real[half + x] = difference.imag();
      imag[half + x] = -difference.real();
    }
  }
}

template <class Real>
void unfold_lines(const Context& ctx, const double* sums, Index planes, Index ny, Index nx, Index width,
                  Index rows_stored, double scale, std::complex<Real>* image) {
  const Index half = nx / 2;
  const Index panels = divide_up(ny, width);
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, planes* ny* nx))
  for (Index line = 0; line < planes * ny; ++line) {
    const Index y = line % ny;
    const double* real = sums + (line / ny * panels + y / width) * 2 * rows_stored * width + y % width;
    const double* imag = real + rows_stored * width;
    std::complex<Real>* center = image + line * nx + half;
    *center = std::complex<Real>(scale * std::complex<double>(real[0], imag[0]));
    for (Index x = 1; x <= half; ++x) {
      const std::complex<double> cosines(real[x * width], imag[x * width]);
      const std::complex<double> sines(-imag[(half + x) * width], real[(half + x) * width]);  // times i
      if (half + x < nx) center[x] = std::complex<Real>(scale * (cosines + sines));
      center[-x] = std::complex<Real>(scale * (cosines - sines));
    }
  }
}

#define WHORL_INSTANTIATE(Real)                                                                        \
  template void fold_lines(const Context&, const std::complex<Real>*, Index, Index, double*);          \
  template void unfold_lines(const Context&, const double*, Index, Index, Index, Index, Index, double, \
                             std::complex<Real>*)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
