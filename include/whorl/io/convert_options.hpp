// ConvertOptions: what files that do not describe themselves leave open.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "whorl/core/view.hpp"
#include "whorl/io/trajectory_columns.hpp"
#include "whorl/io/trajectory_unit.hpp"
#include "whorl/scan/image_center.hpp"

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

  /// Names of arrays, in any case, also without the structure around them: "kdata" is scan.kdata. Empty: the array with a usual
  /// name (data: d, kdata, rawdata, data, ksp, kspace, k_space, noncartesian; trajectory: k, ktraj, traj, trajectory, or
  /// kx, ky(, kz) together, also k_x, traj_x and the like; weights: w, dcf, weights, or no weights if there is none of these), or that ends in
  /// one (brain_ksp); else the only pair with fitting shapes. The trajectory may be several names, one per axis, joined by commas; the data two, of
  /// real and imaginary parts. "none" ignores the weights, or the data.
  ///
  /// Real arrays whose names say so are joined to complex ones before: kdata_re and kdata_im, real and imag, kdata and
  /// kdata_im. The elements of a cell or of an array of structures, and arrays of one name in several files, are joined along a further
  /// axis, the slowest, unless one is named: kdata{3}, scan(2).kdata.
  std::string data_variable{};
  std::string trajectory_variable{};
  std::string weights_variable{};

  /// Meaning of the axes, in the order in which the format's program prints a size: first fastest for MATLAB and BART,
  /// last fastest for NumPy and HDF5. Data: readout (samples of a readout), shot, partition (of a stack), coil, slice,
  /// contrast, phase, repetition, set, part (real and imaginary, of real data). Trajectory: dim (x, y, z), readout, shot, partition, and any of slice to set if
  /// positions differ between images. A trajectory of two dimensions, or without partitions, takes kz in 3D from the
  /// partition: steps of one over the field of view. Weights have the trajectory's axes without dim. Cartesian data
  /// without a trajectory: x, y, z, coil and those that count images.
  ///
  /// Empty: BART's dimensions where they fit; for NumPy and HDF5 [repetition, coil, sample] with [sample, dim], or
  /// [repetition, coil, shot, readout] with [shot, readout, dim]. Else a complex trajectory is kx + i ky with axes
  /// readout, shot; a real one has its dim axis (of extent 2 or 3) first or last. The data have the same readout and
  /// shot, and one axis more at most: the coils. Real data have their parts along an axis of 2, the first or the last. Elements are coils
  /// where no other axis is, frames, or readouts. Ambiguous axes are refused.
  std::vector<std::string> data_axes{};
  std::vector<std::string> trajectory_axes{};
};

}  // namespace whorl
