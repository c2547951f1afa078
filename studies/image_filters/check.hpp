// How far a version's result is from the exact one.
#pragma once

#include <functional>
#include <vector>

#include "studies/image_filters/job.hpp"
#include "whorl/core/image.hpp"

namespace whorl::studies::image_filters {

/// The error of the first `rows` rows of a result, which lies on the host.
using Check = std::function<double(const Image& result, Index rows)>;

/// A number of the result as double precision has it, before any rounding unless rounding is what the filter does.
using Exact = std::function<double(int y, int x, int channel)>;

/// The largest difference, in gray levels, of some thousand pixels, many of them at the edges. A result that is rounded
/// right is off by half a level at most where the exact one is not rounded. Numbers out of 0 to 255 count as clipped.
Check largest_difference(const Context& host, const ImageFormat& result, const Exact& exact);

/// The number of pixels that differ from the expected ones.
Check differing_pixels(std::vector<Byte> expected);

}  // namespace whorl::studies::image_filters
