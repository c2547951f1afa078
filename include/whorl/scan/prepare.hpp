// Preparation of a scan's data before reconstruction: prewhitening, coil compression.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/calib/coil_compression.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Multiplies data and noise so far from 1 that their squares may leave the range of float by powers of two, each by its
/// own; the noise only where the data is to be `prewhitened` with it. Returns e, where what is linear in the data that
/// are left (prewhitened where they are to be), times 2^e, is that of the data that were given.
int bring_near_one(const Context& ctx, Scan& scan, bool prewhitened);

/// Likewise the coil maps, of which a reconstruction makes unit maps.
void bring_maps_near_one(const Context& ctx, Scan& scan);

/// Multiplies the data of all frames by 2^exponent. Throws ValueError, naming them `what`, where float does not hold them.
void restore_unit(const Context& ctx, int exponent, Scan& scan, std::string_view what);

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
