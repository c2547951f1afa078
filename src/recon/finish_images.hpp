// Steps from the solver's images to those of the result.
#pragma once

#include <complex>

#include "recon/frame_groups.hpp"
#include "recon/run.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/recon/reconstruction.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Final steps on images. The corners of the field of view become 0 where the options ask for it. Images of
/// data that were scaled to magnitudes near 1 become those of the data that were given: times 2^run.exponent. Filters come
/// last, and images go to the host.
class ImageFinish {
 public:
  using Images = Array<std::complex<float>>;  // [frame, z, y, x]

  /// `in_turn`: images are solved in the order of the result, all by this process.
  ImageFinish(const Scan& scan, const ReconOptions& options, bool in_turn);

  bool masks() const { return masks_; }

  /// Finishes the images of a group, which nothing needs any more, and tells ReconResources::on_image of them. Does nothing
  /// where the images are final only together. Throws as take.
  void hand_over(Run& run, Images& images, const FrameGroup& group);

  /// The images of the result; all that were not handed over are finished first, and `images` may be empty then.
  /// Throws ValueError where float32 does not hold them, or what filters square of them, ShapeError if the filter changes
  /// the shape.
  Images take(Run& run, Images& images);

 private:
  void finish(Run& run, ArrayRef<std::complex<float>> images);

  const ReconOptions& options_;
  Shape image_;  // [(z,) y, x]
  bool masks_;
  bool hands_over_;
  Array<float> mask_;  // made when it is first needed
  Images result_;      // on the host, where images are handed over
};

/// What the result has beside the images, bias, the images of sets and the parts, times 2^run.exponent; error bars and parts with the
/// corners of the field of view set to 0 if `masked`.
void finish_further(Run& run, const Shape& image, bool masked, Reconstruction& result);

}  // namespace whorl::recon
