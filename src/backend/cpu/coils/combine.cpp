// One image from the images of the coils, on a CPU.
#include "kernels/combine.hpp"

#include <cmath>

namespace whorl::backend::cpu {

namespace {

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

}  // namespace

void register_combine() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::root_sum_of_squares<Real>.set(DeviceKind::cpu, root_sum_of_squares<Real>);
    kernels::matched_combination<Real>.set(DeviceKind::cpu, matched_combination<Real>);
    kernels::unit_maps<Real>.set(DeviceKind::cpu, unit_maps<Real>);
  });
}

}  // namespace whorl::backend::cpu
