// The images of a reconstruction while it runs.
#pragma once

#include <complex>

#include "recon/frame_groups.hpp"
#include "recon/run.hpp"
#include "recon/tiles/spill.hpp"

namespace whorl::recon {

/// A range of images, of frames or of coefficients: on the run's device, or spilled. Then a GPU has those of the group at work.
class FrameImages {
 public:
  /// `image`: (z,) y, x of each. `spill`: where to; null: they are on the device.
  void make(const Run& run, const Shape& image, FrameRange images, const Spill* spill);

  /// Before the frames of a group are solved, and after.
  void enter(const Run& run, const FrameGroup& group);
  void leave(const Run& run);

  /// [(z,) y, x] on the run's device; an image of the group that was entered last.
  ArrayRef<std::complex<float>> of(Index image);
  /// [image, (z,) y, x]
  ArrayRef<std::complex<float>> of(const FrameGroup& group);
  /// [image, z, y, x], on the run's device or, spilled, on the host.
  Array<std::complex<float>>& all() { return all_; }

 private:
  Shape image_{0};
  Array<std::complex<float>> all_;
  Index first_ = 0;
  Array<std::complex<float>> group_;  // [frame, (z,) y, x] on a GPU, empty where none are spilled from one
  Index group_first_ = 0;
};

}  // namespace whorl::recon
