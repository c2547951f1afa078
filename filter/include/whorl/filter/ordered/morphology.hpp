// Morphology of gray levels: the smallest and largest pixel of a window, and combinations of the two.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class WindowShape {
  square,  ///< |x| <= radius, |y| <= radius
  disc,    ///< x^2 + y^2 <= radius^2
  cross,   ///< x = 0 or y = 0, within the square
};

struct MorphologyOptions : BorderOptions {
  Index radius = 1;  ///< pixels, 1 to 1000
  WindowShape shape = WindowShape::square;
};

/// Filters of the smallest and largest pixel of the window around each pixel, per channel and slice:
///
///   erode     the smallest                       gradient  dilate - erode
///   dilate    the largest                        tophat    image - open: bright spots smaller than the window
///   open      dilate of erode                    blackhat  close - image: dark spots smaller than the window
///   close     erode of dilate
///
/// The border holds for each of the two steps: the eroded image continues beyond its edge by the same rule.
///
/// Accuracy exact; differences of float32 are rounded once. For floats, -0 comes before +0, and NaN counts as larger
///          than infinity.
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
