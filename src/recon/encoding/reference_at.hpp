// A reference image or map at the place of one image of a scan.
#pragma once

#include "whorl/prior/reference_image.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Like resample (prior/reference_image.hpp). Formats such as NumPy's and BART's have no position in the scanner. An image of
/// a 2D scan then takes the slice of its own number from a reference [slice, y, x] with as many slices. `aligned`: where the
/// reference lies instead.
ResampledReference reference_at(const Context& ctx, const Scan& scan, const Geometry& place,
                                const ReferenceImage& reference, const Affine* aligned = nullptr);

}  // namespace whorl::recon
