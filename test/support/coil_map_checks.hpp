// What every set of coil maps must be.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "whorl/core/array.hpp"

namespace whorl::test {

/// sin^2 of the angle between the maps and the truth [coil, voxels...], averaged over the energy of the object's images
/// in the coils: the part of that energy that the maps do not explain. Free of the maps' norm and common phase.
template <class Real>
double map_error(const Array<std::complex<Real>>& maps, const Array<std::complex<Real>>& truth,
                 const Array<Real>& object) {
  const Index voxels = object.size();
  double lost = 0;
  double total = 0;
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    std::complex<double> product = 0;
    double map_power = 0;
    double true_power = 0;
    for (Index coil = 0; coil < maps.extent(0); ++coil) {
      const std::complex<double> map(maps.data()[coil * voxels + voxel]);
      const std::complex<double> s(truth.data()[coil * voxels + voxel]);
      product += std::conj(map) * s;
      map_power += std::norm(map);
      true_power += std::norm(s);
    }
    const double energy = true_power * std::norm(static_cast<double>(object.data()[voxel]));
    total += energy;
    lost += map_power > 0 ? energy * (1 - std::norm(product) / (map_power * true_power)) : energy;
  }
  return lost / total;
}

/// sum_c |s_c|^2 is 1 or 0, and as often 1 as was said.
template <class Real>
void expect_normalized(const Array<std::complex<Real>>& maps, Index voxels_in_support, double tolerance) {
  const Index voxels = maps.size() / maps.extent(0);
  Index support = 0;
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    double power = 0;
    for (Index coil = 0; coil < maps.extent(0); ++coil) {
      power += std::norm(std::complex<double>(maps.data()[coil * voxels + voxel]));
    }
    if (power == 0) continue;
    ++support;
    EXPECT_NEAR(power, 1, tolerance) << "voxel " << voxel;
  }
  EXPECT_EQ(support, voxels_in_support);
}

}  // namespace whorl::test
