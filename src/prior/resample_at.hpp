// A reference image as if it lay elsewhere.
#pragma once

#include "whorl/prior/reference_image.hpp"

namespace whorl::prior {

/// As resample, for the reference at `there` instead of its own; a reference that covers nothing is no error.
ResampledReference resample_at(const Context& ctx, const ReferenceImage& reference, const Affine& there,
                               const Geometry& geometry, const std::array<Index, 3>& matrix);

/// Throws ValueError for a reference that covers nothing of the image.
void check_covered(const ResampledReference& resampled, const ReferenceImage& reference, const Geometry& geometry);

}  // namespace whorl::prior
