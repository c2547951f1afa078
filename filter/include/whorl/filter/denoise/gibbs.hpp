// Gibbs: removes the ringing at edges that a truncated spectrum causes.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct GibbsOptions {
  Index shifts = 20;  ///< M: shifts by m / (2 M) of a pixel, m from -M to M
  Index near = 1;     ///< variation is measured from this distance, in pixels,
  Index far = 3;      ///< to this one
};

/// Local sub-voxel shifts. The image is shifted by fractions of a pixel through its spectrum. Each pixel takes the
/// shift with the least variation: the sum of the differences of neighbors on one of its sides, `near` to `far` pixels
/// away. At that shift the grid samples the ringing where it crosses zero. The value is interpolated back linearly.
/// This is done along x for the image weighted in k-space by Gx = (1 + cos ky) / (2 + cos kx + cos ky), along y for the
/// image weighted by Gy = 1 - Gx, and the two results are added. Slice by slice.
///
/// Takes     gray and complex images that are reconstructed from all of k-space: not interpolated, not zero-filled and
///           not windowed. The image is taken as periodic.
/// Accuracy  computed in double.
/// Throws    Unsupported for images in color or with alpha; ValueError for shifts outside 1 to 200 and unless
///           1 <= near <= far <= 64.
/// Source    Kellner, Dhital, Kiselev and Reisert, MRM 76:1574 (2016)
std::unique_ptr<Filter> make_gibbs(const GibbsOptions& options);

}  // namespace whorl
