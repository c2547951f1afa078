// Reconstruction by gridding.
#pragma once

#include <complex>

#include "recon/encoding/encoding.hpp"

namespace whorl::recon {

/// scale * A^H diag(weights) d
struct GriddedImages {
  Array<std::complex<float>> images;  ///< [coil, (z,) y, x]
  double scale = 1;
};

/// Density-compensated adjoint of each coil's data, in the unit of x in A x = d
/// (gridding_scale.hpp).
GriddedImages gridded_coil_images(Run& run, const ScanFrame& frame, Encodings& encodings);

/// One image of the coils' images [coil, (z,) y, x]; the maps count with CombinationMethod::matched.
void combine_coils(Run& run, ArrayRef<const std::complex<float>> images, ArrayRef<const std::complex<float>> maps,
                   CombinationMethod method, ArrayRef<std::complex<float>> image);

/// What gridding takes beside the transform, for a frame of `coils` coils. Nothing is kept: weights are small beside images.
Index gridding_memory(const Context& ctx, const ScanFrame& frame, const Shape& image, Index coils,
                      const NufftMemory& transform, const ReconOptions& options);

}  // namespace whorl::recon
