// Coil sensitivity maps of a frame, from its own data.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "recon/encoding/encoding.hpp"
#include "recon/memory_needs.hpp"
#include "recon/stage_memory.hpp"
#include "recon/tiles/spill.hpp"

namespace whorl::recon {

/// Extents [(kz,) ky, kx] of the calibration region of an image: `extent`, or the image's where that is less.
Shape calibration_shape(const Shape& image, Index extent);

/// The center of k-space on the Cartesian raster, [coil, (kz,) ky, kx], by least squares from the samples within it.
/// The region has `extent` points along each axis, or the image's where that is less. Data of samples with weights are those
/// times the square roots.
Array<std::complex<float>> calibration_region(const Context& ctx, const ScanFrame& frame, const Shape& image_shape,
                                              Index extent, const SignalOptions& signal = {});

/// The samples of a frame within that region.
std::vector<Index> calibration_samples(const Context& ctx, const ScanFrame& frame, const Shape& image_shape,
                                       Index extent);

/// What the maps of a frame take, with the maps themselves where they are not spilled; those of Walsh's method with the images
/// of the coils.
StageMemory coil_map_memory(const Context& ctx, const Scan& scan, const ScanFrame& frame, Index coils,
                            const ReconOptions& options, const Tiles& tiles = {});

/// What calibration_region takes of it, with the region [coil, (kz,) ky, kx].
Index calibration_memory(const Context& ctx, const Shape& image, const ScanFrame& frame, Index coils,
                         const ReconOptions& options);

/// Whether the maps of so many coils need the density weights of a frame: they come before its transform then, so that less is
/// there at a time.
bool weighs_for_maps(const Scan& scan, const ScanFrame& frame, Index coils, const ReconOptions& options);

struct CoilMaps {
  Array<std::complex<float>> maps;  ///< [coil, (z,) y, x], with sum |s|^2 = 1 in the object; ones for a single coil
  std::string origin;               ///< how they were made, in a sentence
};

/// A note of the run where a frame leaves out much of the center of k-space (part_without_samples): its maps are then those of an
/// aliased image, by any method.
void doubt_gaps_of_center(Run& run, const ScanFrame& frame, const Shape& image);

/// The maps of ESPIRiT from a calibration region [coil, (kz,) ky, kx]; what they come from without its full stop. `spill` as below.
CoilMaps espirit_maps(const Context& ctx, ArrayRef<const std::complex<float>> calibration, const Shape& image,
                      const ReconOptions& options, const Spill* spill = nullptr);

/// The maps of a frame's slice, from its data or those of all frames of the slice (ReconOptions::maps_from): on the run's
/// device, or spilled if they are to be. On a CPU they are written to their file as they are made. `support`: that of the slice
/// (support_at), outside of which the maps are 0; null: everywhere.
CoilMaps coil_maps(Run& run, const Scan& scan, const ScanFrame& frame, const ReconOptions& options,
                   Encodings& encodings, const Array<float>* support, const Spill* spill = nullptr);

}  // namespace whorl::recon
