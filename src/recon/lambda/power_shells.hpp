// The power of the data in shells of k-space.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::recon {

struct PowerShell {
  double points = 0;   ///< of the Cartesian grid
  double samples = 0;  ///< on the trajectory
  double energy = 0;   ///< of these, of all coils, less the noise

  /// Power of the object per grid point; 0 where there are no samples.
  double power() const { return samples > 0 ? std::max(0.0, energy / samples) : 0; }
  /// Samples per grid point.
  double density() const { return samples / points; }
};

/// Shells of equal thickness, one cycle per field of view, up to the ellipsoid |2 k| = 1 inscribed to k-space, and one for
/// the corners beyond it.
///
/// Shapes  data [coil, sample] on the context's device, the trajectory on the host
/// Unit    that of the data; `noise`: energy in a sample of all coils, to be taken off
template <class Real>
std::vector<PowerShell> power_shells(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                                     ArrayRef<const std::complex<Real>> data, double noise);

}  // namespace whorl::recon
