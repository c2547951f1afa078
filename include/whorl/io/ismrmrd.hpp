// ISMRMRD files (Inati et al., Magn Reson Med 2017;77:411): scans in and out, images out.
#pragma once

#include <complex>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/io/trajectory_columns.hpp"
#include "whorl/io/trajectory_unit.hpp"
#include "whorl/scan/frame_data.hpp"
#include "whorl/scan/image_center.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/scan/scan.hpp"
#include "whorl/trajectory/spoke_order.hpp"

namespace WHORL_PUBLIC whorl {

struct MeasurementFacts;

/// Parts of a frame that are read.
enum class FrameRead { nothing, positions, all };

/// The trajectory that the counters of a file tell; automatic: the positions in the file, or Cartesian ones.
enum class CountedKind {
  automatic,
  cartesian,       ///< lines along x at kspace_encode_step_1 and 2
  radial,          ///< spokes in the plane by kspace_encode_step_1
  stack_of_stars,  ///< the same, with partitions by kspace_encode_step_2
  kooshball,       ///< spokes in all directions by kspace_encode_step_1: golden means
  phyllotaxis,     ///< likewise, as a spiral phyllotaxis of one interleaf
};

/// Options for what a file may leave open.
struct ScanReadOptions {
  std::string group = "dataset";  ///< HDF5 group; if none has this usual name, the only group with a scan is read
  int encoding = 0;               ///< index of the encoding in the header; acquisitions of others are skipped
  /// Names of flags (ISMRMRD's, in any case and also without ACQ_IS_): acquisitions that carry one of `drop_flags` are left
  /// out; a flag of `keep_flags` leaves out none, and noise that is kept is image.
  std::vector<std::string> keep_flags{};
  std::vector<std::string> drop_flags{};
  TrajectoryUnit trajectory_unit = TrajectoryUnit::automatic;
  TrajectoryColumns trajectory_columns = TrajectoryColumns::automatic;
  /// Field of view of the image along x, y(, z) in mm, for files that do not state it; empty: as the file says.
  std::vector<double> field_of_view_mm{};
  ImageCenter center = ImageCenter::voxel;  ///< the point with the file's coordinate 0; read_scan converts to `voxel`
  /// A scan, a Pulseq sequence or arrays with the positions of the samples, in place of those of the file; empty: none.
  std::string trajectory_from{};
  /// FILE or FILE:NAME with a noise scan in place of that of the file, for read_scan: an ISMRMRD file and its group, another
  /// scan, or an array [coil, ...]; empty: none.
  std::string noise_from{};
  /// The trajectory by the counters of an ISMRMRD file, in place of the positions in the file.
  CountedKind kind = CountedKind::automatic;
  std::optional<SpokeOrder>
      angle{};  ///< of its spokes in the plane; none: golden where the header says goldenangle, else uniform
  double angle_degrees = 0;  ///< from spoke to spoke, in place of `angle`; 0: by `angle`
  Index golden_index = 1;    ///< n of the (tiny) golden angle
  /// Parts of each frame that ISMRMRD's reader reads: asked with the frames' indices and geometries. Frames whose data are
  /// not read have data without samples; those of which nothing is read, unless positions follow from counters, also a
  /// trajectory without samples. None: all.
  std::function<std::vector<FrameRead>(const Scan&)> frames_to_read{};
  /// Where several readers have parts of one file each: makes of each value the largest of all readers, so that all take columns
  /// and units of the positions alike. All readers call it equally often. None: this one has all.
  std::function<void(std::span<double>)> largest_of_all{};
  /// Given, ISMRMRD's reader reads no data: it puts here what reads those of some frames later, for which it keeps the file
  /// open. Other readers read all data, and leave it empty. None: all data are read now.
  std::shared_ptr<FrameData> later{};
  /// Given, ISMRMRD's reader also puts here what the header says of the measurement, which it has at hand.
  std::shared_ptr<MeasurementFacts> facts{};
  /// Memory for the data of a frame, [coil, sample], by ISMRMRD's reader, such as mapped_array's where those of all frames,
  /// `all_bytes`, do not fit; none: that of the context.
  std::function<Array<std::complex<float>>(const Shape& data, Index all_bytes)> data_memory{};
};

/// Reads a scan. The file is opened read-only. Scan::notes states how the file was interpreted.
///
/// Frames     one per (slice, contrast, phase, repetition, set), in this order. Averages, segments and interleaves are
///            further samples of a frame, in file order. Acquisitions flagged as noise go to Scan::noise. Navigators,
///            phase correction, phase stabilization, dummy, feedback, surface coil correction and calibration-only readouts
///            are skipped and counted; but those of surface coil correction where nothing else is there, and calibration
///            lines by counters that agree with the image's (read_calibration). Discarded samples are skipped.
/// Positions  columns kx, ky(, kz)(, weight). With trajectory_columns automatic, three columns are kx, ky, kz in a 3D
///            encoding. In 2D the third column is kz if all zero, else weights if none is negative, else refused. A 3D
///            encoding without kz takes it from kspace_encode_step_2 (stack of stars). Without trajectory, Cartesian
///            positions follow from center_sample and the encoding counters. Spokes follow from the counters where `kind`
///            names them: at the angles of spoke_angles or kooshball_directions, by kspace_encode_step_1 or, if that is
///            always the same, by their order in the frame; at other usual angles where these alone make neighbors alike.
///            A center that is not set, or that does not fit, is where the echo is. trajectory_from takes the place of all
///            of these; its samples are those of the frames, in the order of acquisition.
/// Units      as TrajectoryUnit. If the options are automatic, the header's user parameters "trajectory_unit" and
///            "trajectory_columns", which write_ismrmrd writes, decide.
/// Matrix     that of the reconstruction space; positions are scaled by the ratio of the pixel sizes of both spaces. Where
///            the header contradicts itself or the data, what the data show is taken, with a note.
/// Throws     IoError (missing or damaged file, another format, non-finite samples), ValueError (positions over the
///            limit, ambiguous unit or columns, a wrong option), Unsupported (no trajectory and not Cartesian)
/// Threads    one file at a time, because HDF5's serial library is not thread-safe
Scan read_ismrmrd(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options = {});

/// Writes a scan so that read_ismrmrd gives it back: the noise first, then one acquisition per readout with its
/// positions as float in cycles per pixel and, if there are any, density weights as the last column. If the readout
/// length is unknown, the acquisitions have unequal lengths, so it stays unknown.
/// The file appears under its name only when it is complete. Throws IoError (disk), ShapeError, ValueError.
void write_ismrmrd(const Context& ctx, const Scan& scan, const std::filesystem::path& path);

/// Writes complex images as ISMRMRD images (group dataset, variable image_0).
///
/// Shapes  images [frame, z, y, x]; one entry of `frames` for each frame
/// The file appears under its name only when it is complete. Throws IoError (disk), ShapeError.
void write_ismrmrd_image(const Context& ctx, ArrayRef<const std::complex<float>> images,
                         std::span<const ImageFrame> frames, const std::filesystem::path& path);

}  // namespace whorl
