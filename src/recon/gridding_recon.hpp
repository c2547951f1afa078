// Reconstruction by gridding.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "recon/encoding.hpp"

namespace whorl::recon {

/// Density-compensated adjoint of each coil's data, [coil, (z,) y, x], in the unit of x in A x = d: scaled by the
/// number that makes the forward transform of the images fit the weighted data best.
Array<std::complex<float>> gridded_coil_images(const Context& ctx, const ScanFrame& frame, Encodings& encodings,
                                               StageClock& clock, std::vector<std::string>& notes);

}  // namespace whorl::recon
