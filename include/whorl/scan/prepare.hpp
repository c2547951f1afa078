// Preparation of a scan's data before reconstruction: prewhitening, coil compression.
#pragma once

#include <string>
#include <vector>

#include "whorl/calib/coil_compression.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Prewhitens the data of all frames in place. The noise covariance is that of the noise scan or, without one, of the
/// edge of k-space in the first frame. The noise scan and the coil maps of the scan are multiplied by the same matrix,
/// so they still match the data. A note states the source of the noise.
/// Throws  ValueError (a scan without data), and what noise_covariance and prewhitening_matrix throw
///         (whorl/calib/noise.hpp)
void prewhiten(const Context& ctx, Scan& scan, std::vector<std::string>& notes);

/// Replaces the coils of all frames, of the noise scan and of the coil maps by fewer virtual coils. A note states the
/// part of the signal energy that is kept.
/// Throws  ValueError (a scan without data), and what coil_compression throws
CoilCompression compress_coils(const Context& ctx, Scan& scan, const CoilCompressionOptions& options,
                               std::vector<std::string>& notes);

}  // namespace whorl
