// Resize: changes the number of rows and columns of an image.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class ResizeMethod {
  bilinear,
  bicubic,  ///< Keys' kernel
  lanczos,  ///< windowed sinc with three zeros on each side
  area,     ///< the mean over the area of a new pixel
  nearest,
};

/// The position of new pixel i of n_new, in old pixels of n_old.
enum class ResizeAlign {
  corners,  ///< i (n_old - 1) / (n_new - 1): the first and last pixel stay in place; a single one is the middle
  centers,  ///< (i + 0.5) n_old / n_new - 0.5: the image covers the same area as before (OpenCV, Pillow)
};

struct ResizeOptions {
  std::optional<double> scale{};  ///< of width and height; or give one or both of these:
  std::optional<Index> width{};
  std::optional<Index> height{};  ///< if only one of the two is given, the aspect stays
  ResizeMethod method = ResizeMethod::bilinear;
  ResizeAlign align = ResizeAlign::corners;  ///< not for area
  bool antialias = true;                     ///< bicubic and lanczos widen their kernels where the image shrinks
  double sharpness = -0.5;                   ///< Keys' a of bicubic: -0.5 reproduces quadratics, OpenCV has -0.75
};

/// Resamples every slice to int(scale * n) rows and columns, at least one. A new pixel is a weighted mean of the old
/// ones near it, first along rows and then along columns (columns first where rows become fewer). Pixels beyond the
/// edge are those at the edge.
///
/// Weights    sum to one. Bicubic and Lanczos overshoot beside edges (float32 is not clipped). Their kernels are
///            widened only where the image shrinks and antialias is on.
/// Accuracy   uint8: weights in units of 2^-15 (bilinear) or 2^-14, rows in between in units of 2^-7 or 2^-6. For up to
///            6 taps that is within 0.05 gray levels before the last rounding, so at most one level off. uint16:
///            weights in units of 2^-22, within 0.02 levels. All devices give the same integers.
/// Throws     ValueError for no size, for a scale beside width or height, and for more than 2^31 - 1 rows or columns
/// Source     R. Keys, IEEE Trans. ASSP 29 (1981) 1153, eq. 4 with a in place of its -1/2.
std::unique_ptr<Filter> make_resize(const ResizeOptions& options);

}  // namespace whorl
