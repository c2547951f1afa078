// Images as float32, where filters compute that round in the end only.
#pragma once

#include "filter/kernels/points/float_pixels.hpp"
#include "whorl/core/image.hpp"

namespace whorl::filters {

/// The numbers of an image less an offset.
inline Array<float> float_image(const Context& ctx, const Image& image, double offset = 0) {
  Array<float> result(ctx, image.format().shape());
  with_pixel_type(image.format().type, [&](auto number) {
    using T = decltype(number);
    kernels::to_float<T>(ctx, result.size(), static_cast<float>(offset), image.pixels<T>().data(), result.data());
  });
  return result;
}

/// An image of numbers plus an offset, rounded and clipped as its type wants.
inline void store_float(const Context& ctx, const Array<float>& from, double offset, Image& image) {
  with_pixel_type(image.format().type, [&](auto number) {
    using T = decltype(number);
    kernels::from_float<T>(ctx, from.size(), static_cast<float>(offset), from.data(), image.pixels<T>().data());
  });
}

}  // namespace whorl::filters
