// Samples near the center of k-space, by which the poses of a moving object are told.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::detail {

/// Samples of all frames, in cycles per pixel of low-resolution images.
struct MotionSamples {
  Shape image;
  std::array<double, 3> pixel_mm{1, 1, 1};
  std::size_t dim = 2;
  std::vector<std::array<double, 3>> k;
  std::vector<std::size_t> group;   // of readouts, of each sample, rising
  Array<std::complex<float>> data;  // [coil, sample], of largest magnitude 1

  Index count() const { return static_cast<Index>(k.size()); }
  Index coils() const { return data.extent(0); }
  std::size_t unknowns() const { return dim == 2 ? 3 : 6; }  // of a pose: the shifts, then the angles
};

/// Samples of groups of `readouts` consecutive readouts, on the host. Throws ValueError (data that are 0, an unknown field of
/// view, readouts of unknown length).
MotionSamples motion_samples(const Context& ctx, const Scan& scan, Index readouts);

}  // namespace whorl::detail
