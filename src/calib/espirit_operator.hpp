// Private: the image-domain operator of ESPIRiT as a trigonometric polynomial.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "calib/matrix_types.hpp"
#include "whorl/calib/coil_maps.hpp"

namespace whorl::detail {

/// G_cd(r) = sum_delta g_cd(delta) exp(-2 pi i delta.r / N) for c >= d.
struct EspiritOperator {
  Index coils = 0;
  std::array<Index, 3> support{1, 1, 1};           ///< extents of delta along z, y, x; delta = 0 in the middle
  std::vector<std::complex<double>> coefficients;  ///< g [pair, delta_z, delta_y, delta_x]
};

/// From calibration data [coil, kz, ky, kx] (kz = 1 in 2D).
template <class Real>
EspiritOperator espirit_operator(const Context& ctx, ArrayRef<const std::complex<Real>> calibration,
                                 const std::array<Index, 3>& kernel, double singular_value_threshold);

}  // namespace whorl::detail
