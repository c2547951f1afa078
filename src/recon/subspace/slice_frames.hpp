// The frames of a slice, which a subspace takes together, and what its parts make of the options.
#pragma once

#include <vector>

#include "recon/memory.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/recon/subspace.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Those of a slice, and where the samples of each begin.
struct SliceFrames {
  std::vector<const ScanFrame*> frames;
  std::vector<Index> starts;
  std::vector<Array<float>> roots{};  ///< of the weights of each frame's samples; none: all count alike
  Index samples = 0;

  void add(const ScanFrame& frame) {
    frames.push_back(&frame);
    starts.push_back(samples);
    samples += frame.trajectory->samples();
  }
};

std::vector<SliceFrames> frames_of_slices(const Scan& scan);

/// The positions of all samples [sample, dim], on the host.
Array<double> joined_points(const Context& ctx, const SliceFrames& slice);

/// Those of the transform, whose normal operator is not used.
NufftOptions pair_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options);

/// Maps from all frames, whose samples count alike for these.
ReconOptions with_all_frames(ReconOptions options);

/// Throws what reconstruct_subspace throws but for memory.
void check_subspace(const Scan& scan, const SubspaceBasis& basis, const ReconOptions& options);

/// Data that were read into a file stay there.
inline Tiles subspace_tiles(const ReconOptions& options) { return {.data = options.spill.data_in_file}; }

}  // namespace whorl::recon
