#include "backend/cpu/toeplitz.hpp"

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

template <class Real>
void center_to_corner(const Context& ctx, const std::array<Index, 3>& extent, const std::complex<Real>* centered,
                      std::complex<Real>* corner) {
  const auto from = [](Index i, Index n) { return (i + n / 2) % n; };
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads_for(ctx, extent[0] * extent[1] * extent[2]))
  for (Index z = 0; z < extent[0]; ++z) {
    for (Index y = 0; y < extent[1]; ++y) {
      const bool row_left_out = (extent[0] > 1 && 2 * z == extent[0]) || 2 * y == extent[1];
      const std::complex<Real>* row = centered + (from(z, extent[0]) * extent[1] + from(y, extent[1])) * extent[2];
      std::complex<Real>* target = corner + (z * extent[1] + y) * extent[2];
      for (Index x = 0; x < extent[2]; ++x) {
        target[x] = row_left_out || 2 * x == extent[2] ? std::complex<Real>(0) : row[from(x, extent[2])];
      }
    }
  }
}

template <class Real>
void real_spectrum(const Context& ctx, Index count, double scale, const std::complex<Real>* values, Real* spectrum) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) spectrum[i] = static_cast<Real>(scale * static_cast<double>(values[i].real()));
}

#define WHORL_INSTANTIATE(Real)                                                                          \
  template void center_to_corner(const Context&, const std::array<Index, 3>&, const std::complex<Real>*, \
                                 std::complex<Real>*);                                                   \
  template void real_spectrum(const Context&, Index, double, const std::complex<Real>*, Real*)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
