#include "backend/cpu/coils/combine.hpp"

#include <cmath>

namespace whorl::backend::cpu {

template <class Real>
void root_sum_of_squares(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* images, Real* image) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    Real sum = 0;
    for (Index coil = 0; coil < coils; ++coil) sum += std::norm(images[coil * voxels + voxel]);
    image[voxel] = std::sqrt(sum);
  }
}

template <class Real>
void matched_combination(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* images,
                         const std::complex<Real>* maps, std::complex<Real>* image) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    std::complex<Real> sum = 0;
    Real power = 0;
    for (Index coil = 0; coil < coils; ++coil) {
      const std::complex<Real> s = maps[coil * voxels + voxel];
      sum += std::conj(s) * images[coil * voxels + voxel];
      power += std::norm(s);
    }
    image[voxel] = power > 0 ? sum / power : std::complex<Real>(0);
  }
}

template <class Real>
void unit_maps(const Context& ctx, Index coils, Index voxels, const std::complex<Real>* maps,
               std::complex<Real>* unit) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    Real sum = 0;
    for (Index coil = 0; coil < coils; ++coil) sum += std::norm(maps[coil * voxels + voxel]);
    const Real scale = sum > 0 ? 1 / std::sqrt(sum) : 0;
    for (Index coil = 0; coil < coils; ++coil) unit[coil * voxels + voxel] = scale * maps[coil * voxels + voxel];
  }
}

#define WHORL_INSTANTIATE(Real)                                                                      \
  template void root_sum_of_squares(const Context&, Index, Index, const std::complex<Real>*, Real*); \
  template void matched_combination(const Context&, Index, Index, const std::complex<Real>*,         \
                                    const std::complex<Real>*, std::complex<Real>*);                 \
  template void unit_maps(const Context&, Index, Index, const std::complex<Real>*, std::complex<Real>*)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
