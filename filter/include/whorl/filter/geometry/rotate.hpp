// Rotate: turns an image about its center.
#pragma once

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

enum class RotateSize {
  fit,   ///< the smallest size that holds the whole image
  same,  ///< the input's size; corners are cut off
};

enum class RotateMethod { bilinear, bicubic };

struct RotateOptions : BorderOptions {
  RotateOptions() { border = Border::constant; }
  double angle = 90;  ///< degrees, counterclockwise as the image is displayed
  RotateSize size = RotateSize::fit;
  RotateMethod method = RotateMethod::bilinear;
};

/// result(c' + (v, u)) = input(c + (u sin a + v cos a, u cos a - v sin a)) for rows down and columns to the right of
/// the centers c' and c of the image, in every slice. Quarter turns with `fit` move whole pixels; other angles
/// interpolate with linear weights or Keys' cubic ones (a = -1/2). Takes every image.
///
/// Accuracy  Positions are multiples of 2^-32 pixels. uint8, uint16: weights of 2^-15, which move a result by up to
///           2e-4 of the largest value (bilinear: 6e-5) before it is rounded.
/// Throws    ValueError for an angle that is not finite, ShapeError for images of more than 2^29 rows or columns
/// Source    R. Keys, IEEE Trans. ASSP 29 (1981) 1153, eq. 15.
std::unique_ptr<Filter> make_rotate(const RotateOptions& options);

}  // namespace whorl
