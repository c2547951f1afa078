// The converters behind convert_scan, one per layout.
#pragma once

#include <filesystem>
#include <vector>

#include "io/scans/trajectory_set.hpp"
#include "whorl/io/convert.hpp"

namespace whorl::io {

/// A converter adds frames to a scan, which already has its matrix and header, and adds their trajectories to the set,
/// in the unit of the file.
void convert_raw(const Context& ctx, const std::vector<std::filesystem::path>& inputs, const ConvertOptions& options,
                 Scan& scan, TrajectorySet& trajectories);
void convert_arrays(const Context& ctx, const std::vector<std::filesystem::path>& paths, const ConvertOptions& stated,
                    Scan& scan, TrajectorySet& trajectories);

/// Throws ValueError for a sample that is not finite, naming where it is.
void check_finite(std::complex<double> value, const std::string& source, Index sample);

/// The readout length of the options, which must divide the samples; without one, `known`. Throws ValueError.
Index readout_length_of(const ConvertOptions& options, Index samples, Index known, const std::string& source);

}  // namespace whorl::io
