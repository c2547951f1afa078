// A reference image or map at the place of one image of a scan.
#pragma once

#include "whorl/prior/reference_image.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// As resample (prior/reference_image.hpp). Of a reference [slice, y, x] without a position in the scanner, as NumPy's and
/// BART's formats have none, the image of a 2D scan of as many slices takes the one of its own slice.
ResampledReference reference_at(const Context& ctx, const Scan& scan, const Geometry& place,
                                const ReferenceImage& reference);

}  // namespace whorl::recon
