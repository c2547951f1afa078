// A reference image or map at the place of one image of a scan.
#pragma once

#include "whorl/prior/reference_image.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// As resample (prior/reference_image.hpp). Formats such as NumPy's and BART's have no position in the scanner. Of such a
/// reference [slice, y, x] the image of a 2D scan of as many slices takes the slice of its own number. `aligned`: where a
/// reference lies instead.
ResampledReference reference_at(const Context& ctx, const Scan& scan, const Geometry& place,
                                const ReferenceImage& reference, const Affine* aligned = nullptr);

}  // namespace whorl::recon
