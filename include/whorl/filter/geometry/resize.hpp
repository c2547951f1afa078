// Resize: an image with another number of rows and columns.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace whorl {

enum class ResizeMethod {
  bilinear,
  bicubic,  ///< Keys' kernel
  lanczos,  ///< a sine over three zeros on each side
  area,     ///< the mean of what a new pixel covers
  nearest,
};

/// Where new sample i of n_new lies among the n_old.
enum class ResizeAlign {
  corners,  ///< i (n_old - 1) / (n_new - 1): first and last samples stay where they are; the middle for a single one
  centers,  ///< (i + 0.5) n_old / n_new - 0.5: what the image covers stays what it covers (OpenCV, Pillow)
};

struct ResizeOptions {
  std::optional<double> scale{};  ///< of width and height; or one or both of the next two
  std::optional<Index> width{};
  std::optional<Index> height{};  ///< one of the two alone keeps the aspect
  ResizeMethod method = ResizeMethod::bilinear;
  ResizeAlign align = ResizeAlign::corners;  ///< area does without
  bool antialias = true;                     ///< bicubic and lanczos widen their kernels by how much they shrink
  double sharpness = -0.5;                   ///< Keys' a of bicubic: -0.5 reproduces quadratics, OpenCV has -0.75
};

/// Every slice of an image with int(scale * n) rows and columns, at least one. A new sample is a weighted mean, first
/// along rows and then along columns (the other way round where there are fewer rows than before), of the old ones near
/// it; those beyond the edge are the edge's.
///
/// Weights    sum to one. Bicubic and Lanczos kernels reach over the image as they are where it grows or antialias is
///            off; they ring and overshoot (float32 is not clipped).
/// Accuracy   uint8: weights of 2^-15 (bilinear) or 2^-14, rows in between of 2^-7 or 2^-6: within 0.05 gray levels
///            before the last rounding for kernels of up to 6 taps, so at most one level off. uint16: weights of 2^-22:
///            within 0.02 levels. All devices give the same integers.
/// Throws     ValueError for no size or too many, and for results of more than 2^31 - 1 rows or columns
/// Source     R. Keys, IEEE Trans. ASSP 29 (1981) 1153, eq. 4 with a in place of its -1/2.
std::unique_ptr<Filter> make_resize(const ResizeOptions& options);

}  // namespace whorl
