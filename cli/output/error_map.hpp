// Picture of where an image differs from the truth.
#pragma once

#include "whorl/measure/measured_set.hpp"
#include "whorl/plot/picture.hpp"

namespace whorl::cli {

/// |image - truth| of every pixel, all slices side by side, with a colorbar in the images' unit; of real images below
/// it image - truth with its sign. Pixels that do not count are 0. Colors end at the 99.5th percentile.
///
/// Shapes  image and truth [..., y, x], alike; the set as for the measures
/// Throws  ShapeError (rank below 2), ValueError (a difference that is not finite, a picture too large)
template <class T>
Picture error_map(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth, MeasuredSet set);

}  // namespace whorl::cli
