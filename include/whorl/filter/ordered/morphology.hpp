// Morphology of gray levels: the smallest and the largest pixel of a window, and what is made of the two.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

enum class WindowShape {
  square,  ///< |x| <= radius, |y| <= radius
  disc,    ///< x^2 + y^2 <= radius^2
  cross,   ///< x = 0 or y = 0, within the square
};

struct MorphologyOptions : BorderOptions {
  Index radius = 1;  ///< pixels, 1 to 1000
  WindowShape shape = WindowShape::square;
};

/// Filters of the smallest and the largest pixel of a window around each, per channel and slice:
///
///   erode     the smallest                       gradient  dilate - erode
///   dilate    the largest                        tophat    image - open: bright spots smaller than the window
///   open      dilate of erode                    blackhat  close - image: dark spots smaller than the window
///   close     erode of dilate
///
/// The border is that of each of the two steps: what is beyond the edge of the eroded image follows from it.
///
/// Accuracy exact; differences of float32 are rounded once. Of floats, -0 comes before +0, and what is not a number
///          counts as larger than infinity.
/// Throws   ValueError (radius); Unsupported (complex images)
/// Source   J. Serra, Image analysis and mathematical morphology (1982)
std::unique_ptr<Filter> make_erode(const MorphologyOptions& options);
std::unique_ptr<Filter> make_dilate(const MorphologyOptions& options);
std::unique_ptr<Filter> make_open(const MorphologyOptions& options);
std::unique_ptr<Filter> make_close(const MorphologyOptions& options);
std::unique_ptr<Filter> make_gradient(const MorphologyOptions& options);
std::unique_ptr<Filter> make_tophat(const MorphologyOptions& options);
std::unique_ptr<Filter> make_blackhat(const MorphologyOptions& options);

}  // namespace whorl
