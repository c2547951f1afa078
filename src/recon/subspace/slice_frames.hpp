// The frames of a slice as one set of samples, and what the parts of a subspace make of the options.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "recon/frame_groups.hpp"
#include "recon/memory_needs.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl::recon {

/// The frames of a slice, and where the samples of each begin.
struct SliceFrames {
  std::vector<const ScanFrame*> frames;
  std::vector<Index> starts;
  std::vector<Array<float>> roots{};  ///< of the weights of each frame's samples; none: all count alike
  Index samples = 0;

  void add(const ScanFrame& frame);
};

/// In the order of the slices' numbers.
std::vector<SliceFrames> frames_of_slices(const Scan& scan);

/// [sample, dim] of all frames, on the host
Array<double> joined_points(const Context& ctx, const SliceFrames& slice);
/// [component, sample] on the device
Array<std::complex<float>> courses_of(const Context& ctx, const SliceFrames& slice, const SubspaceBasis& basis);
/// Samples of coils [first, first + count) of all frames, from the host to the device.
Array<std::complex<float>> data_of_coils(const Context& ctx, const SliceFrames& slice, Index first, Index count);

/// Options of the transform, whose normal operator is not used.
NufftOptions pair_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options);

/// Maps from all frames, whose samples count alike for these.
ReconOptions with_all_frames(ReconOptions options);

/// Data that were read into a file stay there.
inline Tiles subspace_tiles(const ReconOptions& options) { return {.data = options.spill.data_in_file}; }

/// The units of work that ranks share (Share): slices, or all of them where regularizers give them one unit of weights.
std::vector<Index> slice_units(const Scan& scan, const ReconOptions& options);
/// Which frames belong to a range of slices, in the order of their numbers.
std::vector<bool> in_slices(const Scan& scan, FrameRange slices);

}  // namespace whorl::recon
