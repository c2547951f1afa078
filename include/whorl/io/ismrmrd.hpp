// ISMRMRD files (Inati et al., Magn Reson Med 2017;77:411): scans in and out, images out.
#pragma once

#include <complex>
#include <filesystem>
#include <span>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/io/trajectory_columns.hpp"
#include "whorl/io/trajectory_unit.hpp"
#include "whorl/scan/image_center.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl {

/// What a file may leave open.
struct ScanReadOptions {
  std::string group = "dataset";  ///< HDF5 group; where it is missing, the only group that holds a scan is taken
  int encoding = 0;               ///< which encoding of the header; acquisitions of others are left out
  TrajectoryUnit trajectory_unit = TrajectoryUnit::automatic;
  TrajectoryColumns trajectory_columns = TrajectoryColumns::automatic;
  ImageCenter center = ImageCenter::voxel;  ///< where the file's coordinate 0 lies; read_scan brings data to `voxel`
};

/// Reads a scan. The file is opened for reading alone. What was taken for what is said in Scan::notes.
///
/// Frames: one per (slice, contrast, phase, repetition, set), in this order; averages, segments and interleaves of a
/// frame are further samples of it, in file order. Acquisitions flagged as noise go to Scan::noise; navigators,
/// phase correction, phase stabilization, dummy, feedback, surface coil correction and calibration-only readouts are
/// left out and counted. Samples marked as discarded are left out.
///
/// Positions: columns kx, ky(, kz)(, weight); ScanReadOptions::trajectory_columns automatic takes three columns as
/// kx, ky, kz in a 3D encoding, and in 2D as kx, ky and a third column that is kz where all zero, weights where
/// nowhere negative, and refused else. A 3D encoding without kz takes it from kspace_encode_step_2 (stack of stars).
/// Without trajectory, Cartesian positions are made of center_sample and the encoding counters.
/// Units: as TrajectoryUnit; the header's user parameters "trajectory_unit" and "trajectory_columns", which
/// write_ismrmrd writes, are believed where the options say automatic.
///
/// Matrix: that of the reconstruction space; positions are scaled by the ratio of the pixel sizes of both spaces.
///
/// Throws IoError (missing, damaged or foreign file, non-finite samples), ValueError (positions over the limit,
/// ambiguous unit or columns, a wrong option), Unsupported (no trajectory and not Cartesian). HDF5's serial library is
/// not safe for threads: one file at a time.
Scan read_ismrmrd(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options = {});

/// Writes a scan so that read_ismrmrd gives it back: the noise first, then one acquisition per readout with its
/// positions as float in cycles per pixel and, where there are any, density weights as the last column. Where the
/// readout length is not known, samples go into acquisitions of unequal lengths, so that it stays not known.
/// The file appears under its name only when it is complete. Throws IoError (disk), ShapeError, ValueError.
void write_ismrmrd(const Context& ctx, const Scan& scan, const std::filesystem::path& path);

/// Writes complex images as ISMRMRD images (group dataset, variable image_0).
///
/// Shapes  images [frame, z, y, x]; one entry of `frames` for each frame
/// The file appears under its name only when it is complete. Throws IoError (disk), ShapeError.
void write_ismrmrd_image(const Context& ctx, ArrayRef<const std::complex<float>> images,
                         std::span<const ImageFrame> frames, const std::filesystem::path& path);

}  // namespace whorl
