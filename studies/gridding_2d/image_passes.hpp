// What turns a grid of k-space into an image, beside the FFT.
#pragma once

#include <complex>

#include "studies/gridding_2d/layout.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::gridding_2d {

/// Real and imaginary parts [2, y, x] to complex numbers [y, x].
void join_parts(const Context& ctx, ArrayRef<const float> parts, ArrayRef<std::complex<float>> grid);

/// The middle of a transformed grid, whose origin is point 0, times a factor for each row and each column of the image.
struct Cut {
  ArrayRef<const std::complex<float>> grid;  ///< [y, x]
  ArrayRef<const float> rows;
  ArrayRef<const float> columns;
  ArrayRef<std::complex<float>> image;  ///< [rows, columns], origin at floor(N/2)
};
void cut_image(const Context& ctx, const Cut& cut);

/// These passes run on a GPU; they throw Unsupported where whorl is built without.
void join_parts_on_gpu(const Context& ctx, ArrayRef<const float> parts, ArrayRef<std::complex<float>> grid);
void cut_image_on_gpu(const Context& ctx, const Cut& cut);

}  // namespace whorl::studies::gridding_2d
