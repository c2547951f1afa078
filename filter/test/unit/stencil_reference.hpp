// What filters that correlate with a small kernel are tested against.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/filter/filter.hpp"
#include "whorl/filter/windows/custom.hpp"

namespace whorl::test {

/// The sum of the definition; integers and their products are exact in double.
inline double sum_at(const Image& image, const CustomOptions& o, Index slice, Index y, Index x, Index c) {
  const ImageFormat& format = image.format();
  double sum = 0;
  for (Index i = 0; i < o.kernel.height; ++i) {
    for (Index j = 0; j < o.kernel.width; ++j) {
      const Index from_y = border_index(o.border, y + i - o.kernel.height / 2, format.height);
      const Index from_x = border_index(o.border, x + j - o.kernel.width / 2, format.width);
      const bool outside = from_y < 0 || from_x < 0;
      sum += o.kernel.values[static_cast<std::size_t>(i * o.kernel.width + j)] *
             (outside ? o.border_value : value_at(image, slice, from_y, from_x, c));
    }
  }
  return sum;
}

inline double expected_at(const Image& image, const CustomOptions& o, Index slice, Index y, Index x, Index c) {
  const double sum = sum_at(image, o, slice, y, x, c) / o.divisor;
  const double value = (o.negatives == Negatives::absolute ? std::abs(sum) : sum) + o.offset;
  if (image.format().type == PixelType::float32 || o.negatives == Negatives::keep) return value;
  return std::clamp(std::floor(value + 0.5), 0.0, full_scale(image.format().type));
}

inline Image expected(const Image& image, const CustomOptions& o) {
  ImageFormat format = image.format();
  if (o.negatives == Negatives::keep) format.type = PixelType::float32;
  return test::make_image(
      format, [&](Index slice, Index y, Index x, Index c) { return expected_at(image, o, slice, y, x, c); });
}

inline Image filtered(const Filter& filter, const Image& image) {
  const Context ctx = test::device_context();
  return to_host(ctx, filter.apply(ctx, clone(ctx, image)));
}

/// Sums of n float32 products: n roundings of 2^-24 of what was summed, and those of weights, scale and offset.
inline double float_tolerance(const CustomOptions& o, double largest) {
  double sum = 0;
  for (const double value : o.kernel.values) sum += std::abs(value);
  return 0x1p-24 * (static_cast<double>(o.kernel.values.size()) + 4) *
         (sum * largest / std::abs(o.divisor) + std::abs(o.offset));
}

inline CustomOptions with_kernel(ImageKernel kernel, double divisor = 1, double offset = 0) {
  CustomOptions options;
  options.kernel = std::move(kernel);
  options.divisor = divisor;
  options.offset = offset;
  return options;
}

}  // namespace whorl::test
