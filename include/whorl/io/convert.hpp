// Converters: scans from layouts that do not say enough about themselves.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "whorl/io/trajectory_columns.hpp"
#include "whorl/io/trajectory_unit.hpp"
#include "whorl/scan/image_center.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl {

/// What the files do not say.
struct ConvertOptions {
  std::array<Index, 3> matrix{0, 0, 0};             ///< of the image to be made: x, y, z (z = 1: 2D); required
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< 0: not known
  double dwell_us = 0;                              ///< sample time, 0: not known
  std::string trajectory_kind = "other";            ///< cartesian, epi, radial, goldenangle, spiral or other
  TrajectoryUnit trajectory_unit = TrajectoryUnit::automatic;
  Index readout_length = 0;  ///< samples of one readout; 0: as the axes say (MATLAB), not known (raw)

  /// Raw files: what the numbers of one sample are; automatic: kx, ky, weight in 2D and kx, ky, kz, weight in 3D.
  TrajectoryColumns trajectory_columns = TrajectoryColumns::automatic;

  ImageCenter center = ImageCenter::voxel;  ///< where the files' coordinate 0 lies

  /// Names of arrays. Empty: the one that goes by a usual name (data: d, kdata, rawdata, data, ksp, kspace; trajectory:
  /// k, ktraj, traj, trajectory, or kx, ky(, kz) together; weights: w, dcf, weights, and none where there is none of
  /// these), or of two arrays of BART the one that looks like it. The trajectory may be several names joined by commas,
  /// one an axis. "none" for the weights leaves them out.
  std::string data_variable{};
  std::string trajectory_variable{};
  std::string weights_variable{};

  /// What the axes are, in the order in which the format's program prints a size: first fastest for MATLAB and BART,
  /// last fastest for NumPy and HDF5. Data: readout (samples of a readout), shot, coil, slice, contrast, phase,
  /// repetition, set. Trajectory: dim (x, y, z), readout, shot, and any of slice to set where positions differ between
  /// images; weights have the trajectory's axes without dim. Empty: those of BART's dimensions; for NumPy and HDF5
  /// [repetition, coil, sample] with [sample, dim], or [repetition, coil, shot, readout] with [shot, readout, dim];
  /// else a complex trajectory is kx + i ky with axes readout, shot, a real one has its dim axis (of extent 2 or 3)
  /// first or last, and the data has the same readout and shot. Whatever fits in several ways is refused.
  std::vector<std::string> data_axes{};
  std::vector<std::string> trajectory_axes{};
};

/// Makes a scan of other files; which layout they are is told by their content.
///
/// Arrays: files of any format that holds arrays (io/array_files.hpp), which together have data and trajectory: one
/// MATLAB file, two of BART, .npy files. Arrays of formats without names have the name of their file.
/// Challenge: the HDF5 layout of the ISMRM reproducibility challenge; the matrix may be that of its Coils.
/// Raw: headerless little-endian files. The first holds float32 trajectory numbers, as many per sample as
/// `trajectory_columns` says; each further one is a receive coil: complex64 samples in the order of the trajectory, all
/// samples of repetition 0, then of repetition 1 and so on; the number of repetitions comes of the files' size.
///
/// Weights of the source are kept. What was taken for what is said in Scan::notes.
/// Throws IoError (files), ValueError (options, non-finite numbers, ambiguous axes or unit), ShapeError (sizes that do
/// not fit each other), Unsupported (MATLAB files in a build without matio).
Scan convert_scan(const Context& ctx, const std::vector<std::filesystem::path>& inputs, const ConvertOptions& options);

}  // namespace whorl
