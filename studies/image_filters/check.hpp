// The error of a version's result against the exact one.
#pragma once

#include <functional>
#include <vector>

#include "studies/image_filters/job.hpp"
#include "whorl/core/image.hpp"

namespace whorl::studies::image_filters {

/// The error of the first `rows` rows of a result, which lies on the host.
using Check = std::function<double(const Image& result, Index rows)>;

/// A value of the result in double precision, before rounding (unless the filter itself rounds).
using Exact = std::function<double(int y, int x, int channel)>;

/// The largest difference, in gray levels, of several thousand pixels, many of them at the edges. A correctly rounded
/// result differs from an unrounded exact one by at most half a level. Exact values are clipped to 0 to 255.
Check largest_difference(const Context& host, const ImageFormat& result, const Exact& exact);

/// The number of pixels that differ from the expected ones.
Check differing_pixels(std::vector<Byte> expected);

}  // namespace whorl::studies::image_filters
