// From the transform of an impulse response to the spectrum of a convolution, on a CPU.
#include "kernels/toeplitz.hpp"

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
void real_spectrum(const Context& ctx, const kernels::GridLayout& layout, double scale,
                   const std::complex<Real>* values, Real* spectrum) {
  const Index planes = layout.extent[0];
  const Index rows = layout.extent[1];
  const Index columns = layout.extent[2];
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads_for(ctx, planes* rows* columns))
  for (Index z = 0; z < planes; ++z) {
    for (Index y = 0; y < rows; ++y) {
      const std::complex<Real>* from = values + z * layout.plane + y * layout.row;
      Real* to = spectrum + (z * rows + y) * columns;
      for (Index x = 0; x < columns; ++x) to[x] = static_cast<Real>(scale * static_cast<double>(from[x].real()));
    }
  }
}

}  // namespace

void register_toeplitz() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::real_spectrum<Real>.set(DeviceKind::cpu, real_spectrum<Real>);
  });
}

}  // namespace whorl::backend::cpu
