// Median of a square window.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct MedianOptions : BorderOptions {
  Index radius = 1;  ///< pixels, 1 to 127
};

/// The median of the (2 radius + 1)^2 pixels around each pixel, per channel and slice: the middle number of the sorted
/// window.
///
/// Accuracy  exact for every type and radius. For floats, -0 comes before +0, and NaN counts as larger than infinity:
///           the median is NaN only where more than half of the window is.
/// Time      hardly depends on the radius once the radius is large
/// Throws    ValueError (radius); Unsupported (complex images)
/// Source    merges of sorted columns that neighboring windows share, after A. Adams, Fast median filters using
///           separable sorting networks, ACM Trans. Graph. 40 (2021); column histograms of two levels for large radii,
///           after S. Perreault and P. Hebert, Median filtering in constant time, IEEE Trans. Image Process. 16 (2007)
std::unique_ptr<Filter> make_median(const MedianOptions& options);

}  // namespace whorl
