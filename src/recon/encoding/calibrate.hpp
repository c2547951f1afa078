// Coil sensitivity maps of a frame, from its own data.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "recon/encoding/encoding.hpp"

namespace whorl::recon {

/// The center of k-space on the Cartesian raster, [coil, (kz,) ky, kx], by least squares from the samples within it.
/// The region has `extent` points along each axis, or the image's where that is less.
Array<std::complex<float>> calibration_region(const Context& ctx, const ScanFrame& frame, const Shape& image_shape,
                                              Index extent);

/// Bytes that the maps of a frame take at their peak on the context's device, with the maps themselves and beside what
/// the scan holds. Those of Walsh's method only as far as the images of the coils.
Index coil_map_memory(const Context& ctx, const Scan& scan, const ScanFrame& frame, Index coils,
                      const ReconOptions& options);

/// Maps [coil, (z,) y, x] with sum |s|^2 = 1 in the object; ones for a single coil. Says in `notes` how they were made.
Array<std::complex<float>> coil_maps(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                     const ReconOptions& options, Encodings& encodings, StageClock& clock,
                                     std::vector<std::string>& notes);

}  // namespace whorl::recon
