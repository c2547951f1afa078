// Private: one of the tissues' values on the grid of an image.
#pragma once

#include <array>

#include "whorl/core/array.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl::detail {

/// The sum over the regions of a value, each voxel the mean over subsamples^dim points. Shapes and errors as rasterize.
template <class Real>
Array<Real> raster_of(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix, int subsamples,
                      double Tissue::*value);

}  // namespace whorl::detail
