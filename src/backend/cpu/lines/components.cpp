// Grids of several components, mixed at each point, on a CPU.
#include "kernels/components.hpp"

#include <algorithm>

#include "backend/cpu/lines/mix_components.hpp"
#include "backend/cpu/parallel.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

// A block of points of all coils, one group after another: the block's spectra are in the cache for all but the first.
template <class Real, class Spectrum>
void mix(const Context& ctx, const kernels::MixedGrids& what, const Spectrum* spectra, std::complex<Real>* grids) {
  const Index component = what.batch * what.points;
  const Index blocks = divide_up(what.points, mixed_points);
  const Index whole = what.batch / what.together * what.together;  // coils in groups
#pragma omp parallel for schedule(static) \
    num_threads(threads_for(ctx, 4 * component * what.components * what.components))
  for (Index b = 0; b < blocks; ++b) {
    const Index first = b * mixed_points;
    const Index count = std::min(mixed_points, what.points - first);
    const auto mix_group = [&](Index coil, Index together) {
      mix_points(what, spectra + first, grids + coil * what.points + first * together, component, together, count);
    };
    for (Index coil = 0; coil < whole; coil += what.together) mix_group(coil, what.together);
    for (Index coil = whole; coil < what.batch; ++coil) mix_group(coil, 1);
  }
}

}  // namespace

void register_components() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::mix_by_real_spectra<Real>.set(DeviceKind::cpu, mix<Real, Real>);
    kernels::mix_by_complex_spectra<Real>.set(DeviceKind::cpu, mix<Real, std::complex<Real>>);
  });
}

}  // namespace whorl::backend::cpu
