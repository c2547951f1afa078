// Reconstruction by gridding.
#pragma once

#include <complex>

#include "recon/encoding/encoding.hpp"
#include "recon/memory_needs.hpp"
#include "recon/stage_memory.hpp"

namespace whorl::recon {

/// scale * A^H diag(weights) d
struct GriddedImages {
  Array<std::complex<float>> images;  ///< [coil, (z,) y, x]
  double scale = 1;
};

/// Density-compensated adjoint of each coil's data, in the unit of x in A x = d
/// (gridding_scale.hpp). `spill`: where the images go; the device has those of some coils at a time then, and their data.
GriddedImages gridded_coil_images(Run& run, const ScanFrame& frame, Encodings& encodings, const Spill* spill = nullptr);

/// One image of the coils' images [coil, (z,) y, x]; the maps count with CombinationMethod::matched. Images and maps may be
/// spilled.
void combine_coils(Run& run, ArrayRef<const std::complex<float>> images, ArrayRef<const std::complex<float>> maps,
                   CombinationMethod method, ArrayRef<std::complex<float>> image);

/// What the density weights of a frame take, with their impulse response. Spilled, they are made on the host, the grid in a
/// file.
StageMemory gridding_weights_memory(const Context& ctx, const ScanFrame& frame, const Shape& image,
                                    const ReconOptions& options, bool spilled);

/// What gridding takes beside the transform and the weights, for a frame of `coils` coils.
Index gridding_memory(const Context& ctx, const ScanFrame& frame, const Shape& image, Index coils,
                      const NufftMemory& transform, const ReconOptions& options, const Tiles& tiles);

}  // namespace whorl::recon
