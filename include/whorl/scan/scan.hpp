// Scan: a measurement as the reconstruction takes it, whatever file it came from.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// The samples that make one image (2D) or one volume (3D).
struct ScanFrame {
  FrameIndex index;
  std::shared_ptr<const Trajectory> trajectory;  ///< shared by all frames that have the same samples
  std::shared_ptr<const Array<float>> weights;   ///< density weights that came with the file [sample]; may be null
  Array<std::complex<float>> data;               ///< [coil, sample]; [0, sample] in a scan without data
  Geometry geometry;
};

/// A measurement: header, noise scan and frames. A scan without data (coils = 0) is a trajectory, with or without
/// density weights, and what is known of the image that it is for: what `whorl traj` makes.
struct Scan {
  std::string source;                    ///< path of the file
  std::string system;                    ///< vendor and model, where the file says
  std::array<Index, 3> matrix{1, 1, 1};  ///< of the image to be made: x, y, z (z = 1: 2D)
  Index coils = 0;
  std::string trajectory_kind;           ///< "radial", "spiral", "other", as the file says
  std::string trajectory_unit;           ///< the unit of the source and how it was found, for people
  Array<std::complex<float>> noise;      ///< [coil, sample]; no elements where there is no noise scan
  double noise_dwell_us = 0;             ///< sample time of the noise scan, 0 where not known
  double dwell_us = 0;                   ///< sample time of the data, 0 where not known
  Array<std::complex<float>> coil_maps;  ///< [coil, z, y, x] where the file brought them; else no elements
  std::vector<ScanFrame> frames;
  std::vector<std::string> notes;  ///< what was taken for what, in sentences for people

  int dim() const { return matrix[2] > 1 ? 3 : 2; }
  /// Shape of one image: [y, x] or [z, y, x].
  Shape image_shape() const {
    return matrix[2] > 1 ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]};
  }
};

}  // namespace whorl
