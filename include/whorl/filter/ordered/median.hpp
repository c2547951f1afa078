// Median: what lies in the middle of a square window.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

struct MedianOptions : BorderOptions {
  Index radius = 1;  ///< pixels, 1 to 127
};

/// The median of the (2 radius + 1)^2 pixels around each, per channel and slice: the number in the middle of the sorted
/// window, which is one of its numbers.
///
/// Accuracy exact for every type and radius. Of floats, -0 comes before +0, and what is not a number counts as larger
///          than infinity: a few NaN in a window do not show, and more than half of it give NaN.
/// Time     hardly depends on the radius once that is large
/// Throws   ValueError (radius); Unsupported (complex images)
/// Source   merges of sorted columns that neighboring windows share, after A. Adams, Fast median filters using
/// separable
///          sorting networks, ACM Trans. Graph. 40 (2021); column histograms of two levels for large radii, after S.
///          Perreault and P. Hebert, Median filtering in constant time, IEEE Trans. Image Process. 16 (2007)
std::unique_ptr<Filter> make_median(const MedianOptions& options);

}  // namespace whorl
