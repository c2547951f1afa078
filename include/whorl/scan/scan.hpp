// Scan: a measurement as the reconstruction takes it, independent of its file format.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/note.hpp"
#include "whorl/scan/image_frame.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// The samples that make one image (2D) or one volume (3D). Its arrays own their memory, or refer to that of the caller
/// (Array::adopt, Array::refer_to).
struct ScanFrame {
  FrameIndex index;
  std::shared_ptr<const Trajectory> trajectory;  ///< shared by all frames with the same sample positions
  std::shared_ptr<const Array<float>> weights;   ///< density weights that came with the file [sample]; may be null
  Array<std::complex<float>> data;               ///< [coil, sample]; [0, sample] in a scan without data
  Geometry geometry;
};

/// A measurement: header, noise scan and frames. A scan without data (coils = 0), as `whorl traj` makes it, is a
/// trajectory with the matrix and geometry of its image and optional density weights.
struct Scan {
  std::string source;                    ///< path of the file
  std::string system;                    ///< vendor and model; empty if the file does not state them
  std::array<Index, 3> matrix{1, 1, 1};  ///< of the reconstructed image: x, y, z (z = 1: 2D)
  Index coils = 0;
  std::string trajectory_kind;       ///< "radial", "spiral" or "other", from the file
  std::string trajectory_unit;       ///< text: the unit in the file, and how it was found
  Array<std::complex<float>> noise;  ///< [coil, sample]; no elements without a noise scan
  double noise_dwell_us = 0;         ///< sample time of the noise scan; 0: unknown
  double dwell_us = 0;               ///< sample time of the data; 0: unknown
  double readout_interval_ms = 0;    ///< from one readout of a slice to the next; 0: unknown
  double frame_interval_ms = 0;      ///< from one frame of a slice to the next, where it is always the same; 0: unknown
  /// Time of the first sample of each readout, from that of its center sample; 0 also where the source does not say. NaN:
  /// the readouts of the source have different times (readout_times.hpp).
  double readout_start_us = 0;
  std::vector<double> echo_times_ms{};   ///< of the contrasts, in their order; empty: unknown
  Array<std::complex<float>> coil_maps;  ///< [coil, z, y, x] from the file; no elements if it has none
  std::vector<ScanFrame> frames;
  /// Weights of the samples in least squares (weigh_samples): [readout] or [sample], of all frames in their order; no
  /// elements: all alike.
  Array<double> sample_weights{};
  Notes notes;  ///< sentences: how the file was interpreted

  int dim() const { return matrix[2] > 1 ? 3 : 2; }
  /// Shape of one image: [y, x] or [z, y, x].
  Shape image_shape() const {
    return matrix[2] > 1 ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]};
  }
  /// Number of samples of all frames, for each coil.
  Index samples() const;
};

/// A scan with copies of the data, the noise and the coil maps, which lie on the host. Trajectories and weights, which
/// do not change, are shared.
Scan clone(const Context& ctx, const Scan& scan);

/// The scan without frames.
Scan clone_without_frames(const Context& ctx, const Scan& scan);

}  // namespace whorl
