// The converters behind convert_scan, one per layout.
#pragma once

#include <filesystem>
#include <vector>

#include "io/convert/array_inputs.hpp"
#include "io/scans/trajectory_set.hpp"
#include "whorl/io/convert_options.hpp"

namespace whorl::io {

/// A converter adds frames to a scan, which already has its matrix and header, and adds their trajectories to the set,
/// in the unit of the file.
void convert_raw(const Context& ctx, const std::vector<std::filesystem::path>& inputs, const ConvertOptions& options,
                 Scan& scan, TrajectorySet& trajectories);

/// Arrays also give the matrix, field of view and sample time where the options have none, and put them there.
/// Returns the axes whose positions are in cycles per pixel already.
std::array<bool, 3> convert_arrays(const Context& ctx, const std::vector<std::filesystem::path>& paths,
                                   ConvertOptions& options, Scan& scan, TrajectorySet& trajectories);

/// Data whose positions come from the file options.trajectory_from: a whole scan, positions included.
void convert_data(const Context& ctx, const std::vector<std::filesystem::path>& paths, ConvertOptions& options,
                  Scan& scan);

/// Cartesian k-space without a trajectory: the positions are those of its axes x, y and z, with k = 0 at floor(N/2) of
/// N. Samples that are zero in all coils count as not measured.
void convert_cartesian(const Context& ctx, const ArrayInputs& inputs, const ArrayInfo& info, ConvertOptions& options,
                       Scan& scan, TrajectorySet& trajectories);

/// Throws ValueError if the options have no matrix, naming what to give.
void check_matrix(const ConvertOptions& options);

/// Throws ValueError for a sample that is not finite, naming where it is.
void check_finite(std::complex<double> value, const std::string& source, Index sample);

/// The readout length of the options, which must divide the samples; without one, `known`. Throws ValueError.
Index readout_length_of(const ConvertOptions& options, Index samples, Index known, const std::string& source);

}  // namespace whorl::io
