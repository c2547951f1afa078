// What happens to the data of a scan before any image is made.
#pragma once

#include <string>
#include <vector>

#include "whorl/calib/coil_compression.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl {

/// Prewhitens the data of all frames in place, from the noise scan or, where there is none, from the edge of k-space of
/// the first frame. The noise scan and coil maps that came with the scan go through the same matrix, so that they
/// still belong to the data. Says in `notes` from which noise.
/// Throws  ValueError (a scan without data), and what noise_covariance and prewhitening_matrix throw
///         (whorl/calib/noise.hpp)
void prewhiten(const Context& ctx, Scan& scan, std::vector<std::string>& notes);

/// Replaces the coils of all frames, and those of the noise scan and of coil maps, by fewer virtual ones. Says in
/// `notes` how much of the signal is kept.
/// Throws  ValueError (a scan without data), and what coil_compression throws
CoilCompression compress_coils(const Context& ctx, Scan& scan, const CoilCompressionOptions& options,
                               std::vector<std::string>& notes);

}  // namespace whorl
