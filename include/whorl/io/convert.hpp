// Conversion of files that do not describe themselves to scans.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "whorl/io/trajectory_columns.hpp"
#include "whorl/io/trajectory_unit.hpp"
#include "whorl/scan/image_center.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// The facts that the files do not state.
struct ConvertOptions {
  std::array<Index, 3> matrix{0, 0, 0};             ///< of the image: x, y, z (z = 1: 2D); 0: as the files say
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< 0: as the files say, or unknown
  double dwell_us = 0;                              ///< sample time; 0: as the files say, or unknown
  std::vector<double> echo_times_ms{};              ///< of the contrasts; empty: as the files say, or unknown
  std::string trajectory_kind = "other";            ///< cartesian, epi, radial, goldenangle, spiral or other
  TrajectoryUnit trajectory_unit = TrajectoryUnit::automatic;
  Index readout_length = 0;  ///< samples of one readout; 0: from the axes (MATLAB), unknown (raw)

  /// Raw files: the values of one sample; automatic: kx, ky, weight in 2D and kx, ky, kz, weight in 3D.
  TrajectoryColumns trajectory_columns = TrajectoryColumns::automatic;

  /// Arrays: a file of any format with the positions of the samples, in place of a trajectory among the arrays: a scan, a
  /// Pulseq sequence, or arrays. A matrix of 0 is then that of a scan. Empty: none.
  std::string trajectory_from{};

  ImageCenter center = ImageCenter::voxel;  ///< the point with the files' coordinate 0

  /// Names of arrays, also without the structure around them: "kdata" is scan.kdata. Empty: the array with a usual name
  /// (data: d, kdata, rawdata, data, ksp, kspace, k_space, noncartesian; trajectory: k, ktraj, traj, trajectory, or kx, ky(, kz)
  /// together; weights: w, dcf, weights, or no weights if there is none of these), or that ends in one (brain_ksp); else
  /// the only pair with fitting shapes. The trajectory may be several names, one per axis, joined by commas. "none"
  /// ignores the weights.
  std::string data_variable{};
  std::string trajectory_variable{};
  std::string weights_variable{};

  /// Meaning of the axes, in the order in which the format's program prints a size: first fastest for MATLAB and BART,
  /// last fastest for NumPy and HDF5. Data: readout (samples of a readout), shot, partition (of a stack), coil, slice,
  /// contrast, phase, repetition, set. Trajectory: dim (x, y, z), readout, shot, partition, and any of slice to set if
  /// positions differ between images. A trajectory of two dimensions, or without partitions, takes kz in 3D from the
  /// partition: steps of one over the field of view. Weights have the trajectory's axes without dim. Cartesian data
  /// without a trajectory: x, y, z, coil and those that count images.
  ///
  /// Empty: BART's dimensions where they fit; for NumPy and HDF5 [repetition, coil, sample] with [sample, dim], or
  /// [repetition, coil, shot, readout] with [shot, readout, dim]. Else a complex trajectory is kx + i ky with axes
  /// readout, shot; a real one has its dim axis (of extent 2 or 3) first or last. The data have the same readout and
  /// shot, and one axis more at most: the coils. Ambiguous axes are refused.
  std::vector<std::string> data_axes{};
  std::vector<std::string> trajectory_axes{};
};

/// Converts files to a scan. Their layout is recognized by their content.
///
/// Arrays     files of any format that holds arrays (io/array_files.hpp), which together have data and trajectory: one
///            MATLAB file, two of BART, .npy files. Arrays of formats without names have the name of their file. A
///            trajectory alone makes a scan without data. Data alone are Cartesian, with k = 0 at floor(N/2) of each
///            axis; samples that are 0 in all coils count as not measured. Small arrays of usual names (matrix, mtx,
///            nx and ny, fov, dwell, te) give what the options leave open.
/// Challenge  the HDF5 layout of the ISMRM reproducibility challenge; its Coils may give the matrix.
/// Pulseq     one sequence (io/pulseq.hpp), whose trajectory is that of the matrix; it says all else but the kind. A
///            field of view of 0 is that of the sequence.
/// Raw        little-endian files without header. The first is the trajectory: for each sample the float32 values of
///            `trajectory_columns`. Each further file is a receive coil: complex64 samples in the order of the
///            trajectory, all of repetition 0, then all of repetition 1 and so on. The size of the files gives the
///            number of repetitions.
///
/// Weights of the source are kept. Scan::notes states how the files were interpreted.
/// Throws  IoError (files), ValueError (options, non-finite values, ambiguous axes or unit), ShapeError (sizes that do
///         not fit each other), Unsupported (MATLAB files in a build without matio)
Scan convert_scan(const Context& ctx, const std::vector<std::filesystem::path>& inputs, const ConvertOptions& stated);

/// Whether the arrays in these files say that they are k-space: data and a trajectory by their names or shapes, or data called ksp,
/// kspace, kdata or rawdata. Throws as read_arrays.
bool holds_k_space(const Context& ctx, const std::vector<std::filesystem::path>& inputs);

}  // namespace whorl
