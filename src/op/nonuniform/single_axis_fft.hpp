// The padded transform of a NUFFT in one dimension.
#pragma once

#include <memory>

#include "kernels/padded_fft.hpp"

namespace whorl {

/// As kernels::make_padded_fft for images and grids that have one axis: extents {1, 1, n}. The passes over many lines
/// have nothing to gain there, and their lines end at what fits in a cache; a line of this one may have any length.
template <class Real>
std::shared_ptr<const kernels::PaddedFft<Real>> make_single_axis_fft(const Context& ctx,
                                                                     const kernels::PaddedFftGeometry<Real>& geometry);

}  // namespace whorl
