// Canny: the edges of an image as lines one pixel wide.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

/// The length of a gradient (a, b).
enum class GradientNorm {
  l2,  ///< sqrt(a^2 + b^2)
  l1,  ///< |a| + |b|
};

/// What becomes of two neighbors across an edge whose gradients are equally long.
enum class EdgeTies {
  first,  ///< the left one stays, or the upper one; on diagonals both go: OpenCV's rule
  drop,   ///< both go, and with them the edge of an ideal step, whose two sides have equal gradients
};

struct CannyOptions : BorderOptions {
  std::optional<double> low;   ///< by default 50 of 255
  std::optional<double> high;  ///< by default 100 of 255
  double sigma = 1.4;          ///< pixels; 0: the image is not smoothed
  Index radius = 2;            ///< of the Gaussian's window, 1 to 15
  GradientNorm norm = GradientNorm::l2;
  EdgeTies ties = EdgeTies::first;
};

/// Edges at full scale, all else 0; a gray image of the input's type, slice by slice.
///
/// 1. Light: gray as it is; of RGB 0.2125 R + 0.7154 G + 0.0721 B, of integers its integer part. Alpha is left out.
/// 2. A Gaussian of (2 radius + 1)^2 pixels with weights of sum 1, rounded to whole gray levels for uint8.
/// 3. Gradient by Sobel's 3 x 3 windows, not normalized: a step of height h has a gradient of 4 h.
/// 4. A pixel whose gradient is longer than `low` stays where it is longer than both neighbors across the edge (of
///    equal ones see EdgeTies), which lie in that of four directions (sectors of 45 degrees) that the gradient is
///    closest to. Beyond the image it is 0.
/// 5. Of what is left, edges are the pixels whose gradient is longer than `high`, and all that are connected with one
///    of them over any of the eight neighbors, however far.
///
/// Units     thresholds in the image's numbers, sigma and radius in pixels
/// Accuracy  uint8: the Gaussian is within 0.61 of a gray level for a radius of 2 (1 for 15), the rest is exact. uint16
/// and float32: steps 2 to
///           4 in float32, each operation rounded by itself in a fixed order. Edges are the same on all devices.
/// Throws    ValueError unless 0 <= low <= high; output: Unsupported for complex images
/// Source    J. Canny, A computational approach to edge detection, IEEE Trans. Pattern Anal. Mach. Intell. 8 (1986)
///           679-698. With sigma 0 and border replicate it is OpenCV's Canny with apertureSize 3.
std::unique_ptr<Filter> make_canny(const CannyOptions& options);

}  // namespace whorl
