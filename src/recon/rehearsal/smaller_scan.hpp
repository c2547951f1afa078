// A part of a scan that is reconstructed in less time.
#pragma once

#include "whorl/recon/subspace.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// What a rehearsal takes of a scan.
struct Excerpt {
  Index frames = 1;  ///< the first ones
  Shape image;       ///< of their central samples; the scan's own shape: all of them
  int iterations = 0;
  Index coils = 0;  ///< the first ones; 0: all
};

/// An excerpt whose solver takes some `seconds` by the model that chooses the NUFFT's grid. A smaller image has at least
/// `least` times as many voxels as the smallest of which the time tells something.
Excerpt excerpt_for(const Context& ctx, const Scan& scan, const ReconOptions& options, double seconds,
                    double least = 1);

/// The same of the frames of one slice within a subspace: all of them.
Excerpt subspace_excerpt(const Context& ctx, const Scan& slice, const SubspaceBasis& basis, const ReconOptions& options,
                         double seconds, double least = 1);

/// Those of the samples with these numbers.
std::shared_ptr<const Array<float>> weights_of(const Context& host, const Array<float>& weights,
                                               const std::vector<Index>& numbers);

/// Copies of the first frames, with the samples that an image of this shape resolves; those are closer to the center of k-space, so they
/// keep their density in units of the smaller grid.
Scan smaller_scan(const Context& ctx, const Scan& scan, const Excerpt& excerpt);

}  // namespace whorl::recon
