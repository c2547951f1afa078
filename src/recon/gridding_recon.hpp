// Reconstruction by gridding.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "recon/encoding/encoding.hpp"

namespace whorl::recon {

/// scale * A^H diag(weights) d
struct GriddedImages {
  Array<std::complex<float>> images;  ///< [coil, (z,) y, x]
  double scale = 1;
};

/// Density-compensated adjoint of each coil's data, in the unit of x in A x = d
/// (gridding_scale.hpp).
GriddedImages gridded_coil_images(const Context& ctx, const ScanFrame& frame, Encodings& encodings, StageClock& clock,
                                  std::vector<std::string>& notes);

}  // namespace whorl::recon
