// Gibbs: an image without the ringing that a cut spectrum leaves beside its edges.
#pragma once

#include "whorl/filter/filter.hpp"

namespace whorl {

struct GibbsOptions {
  Index shifts = 20;  ///< M: shifts by m / (2 M) of a pixel, m from -M to M
  Index near = 1;     ///< the window in which variation is measured begins so many pixels from the middle
  Index far = 3;      ///< and ends here
};

/// Local sub-voxel shifts: the image is shifted by parts of a pixel, by its spectrum, and each pixel takes that shift
/// for which the differences of neighbors on one of its sides, `near` to `far` pixels away, add up to the least: there
/// its grid meets the ringing where it crosses zero. The value is interpolated back linearly. This is done along x and
/// along y, of the image weighted in k-space by Gx = (1 + cos ky) / (2 + cos kx + cos ky) and by Gy = 1 - Gx, and the
/// two are added. Slice by slice.
///
/// Takes     gray and complex images, as they come from a reconstruction of all of k-space: neither interpolated nor
///           zero-filled nor windowed. The image continues on a torus.
/// Accuracy  computed in double.
/// Throws    Unsupported for images in color or with alpha, ValueError for shifts outside 1 to 200 or a window that is
/// not
///           1 <= near <= far <= 64.
/// Source    Kellner, Dhital, Kiselev and Reisert, MRM 76:1574 (2016)
std::unique_ptr<Filter> make_gibbs(const GibbsOptions& options);

}  // namespace whorl
