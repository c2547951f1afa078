// Coil sensitivity maps of a whole scan.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "whorl/core/note.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

struct EstimatedCoilMaps {
  Array<std::complex<float>> maps;   ///< [slice, coil, z, y, x], z = 1 in 2D; on the host
  std::vector<Geometry> geometries;  ///< of each slice
  std::vector<std::pair<std::string, double>> stage_seconds;
  Notes notes;  ///< sentences: choices and findings
};

/// The maps that `reconstruct` uses: for each slice from its first frame, with sum_c |s_c|^2 = 1 in the object. They
/// depend on the options prewhiten, virtual_coils, coil_maps, calibration, espirit, walsh, nufft and, for Walsh's
/// method, density. The maps are those of the prewhitened and compressed coils.
///
/// Progress  Cancelled is thrown between slices on request
/// Throws    ValueError (no frames, options out of range, density weights requested that the scan does not have),
///           ShapeError, and as the parts
EstimatedCoilMaps estimate_coil_maps(const Context& ctx, Scan scan, const ReconOptions& options);

}  // namespace whorl
