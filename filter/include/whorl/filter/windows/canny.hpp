// Canny: finds the edges of an image as lines one pixel wide.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

/// The length of a gradient (a, b).
enum class GradientNorm {
  l2,  ///< sqrt(a^2 + b^2)
  l1,  ///< |a| + |b|
};

/// The rule for two neighbors across an edge whose gradients have the same length.
enum class EdgeTies {
  first,  ///< the left or upper one stays; on diagonals both go (OpenCV's rule)
  drop,   ///< both go, and so does the edge of an ideal step, whose two sides have equal gradients
};

struct CannyOptions : BorderOptions {
  std::optional<double> low;   ///< by default 50 of 255
  std::optional<double> high;  ///< by default 100 of 255
  double sigma = 1.4;          ///< pixels; 0: the image is not smoothed
  Index radius = 2;            ///< of the Gaussian's window, 1 to 15
  GradientNorm norm = GradientNorm::l2;
  EdgeTies ties = EdgeTies::first;
};

/// A gray image of the input's type: edges at full scale, all else 0. Slice by slice.
///
/// 1. Light: gray as it is; for RGB 0.2125 R + 0.7154 G + 0.0721 B, truncated for integers. Alpha is ignored.
/// 2. A Gaussian of (2 radius + 1)^2 pixels with weights of sum 1, rounded to whole gray levels for uint8.
/// 3. Gradient by Sobel's 3 x 3 windows, not normalized: a step of height h has a gradient of 4 h.
/// 4. A pixel stays where its gradient is longer than `low` and longer than those of both neighbors across the edge
///    (for equal ones see EdgeTies). These lie in that of the four directions that is closest to the gradient's.
///    Gradients beyond the image are 0.
/// 5. Edges are those of the remaining pixels whose gradient is longer than `high`, and all remaining pixels that are
///    connected with one of them through any of the eight neighbors, at any distance.
///
/// Units     thresholds in the image's numbers, sigma and radius in pixels
/// Accuracy  uint8: the Gaussian is within 0.61 of a gray level for a radius of 2 (1 for 15), the rest is exact. uint16
///           and float32: steps 2 to 4 in float32, in a fixed order of operations. Edges are the same on all devices.
/// Throws    ValueError unless 0 <= low <= high; output: Unsupported for complex images
/// Source    J. Canny, A computational approach to edge detection, IEEE Trans. Pattern Anal. Mach. Intell. 8 (1986)
///           679-698. With sigma 0 and border replicate it is OpenCV's Canny with apertureSize 3.
std::unique_ptr<Filter> make_canny(const CannyOptions& options);

}  // namespace whorl
