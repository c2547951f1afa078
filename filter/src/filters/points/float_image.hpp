// Images as float32, for filters that compute in float32 and round at the end.
#pragma once

#include "filter/src/kernels/points/float_pixels.hpp"
#include "whorl/core/image.hpp"

namespace whorl::filters {

/// The numbers of an image minus an offset.
inline Array<float> float_image(const Context& ctx, const Image& image, double offset = 0) {
  Array<float> result(ctx, image.format().shape());
  with_pixel_type(image.format().type, [&](auto number) {
    using T = decltype(number);
    kernels::to_float<T>(ctx, result.size(), static_cast<float>(offset), image.pixels<T>().data(), result.data());
  });
  return result;
}

/// An image of numbers plus an offset, rounded and clipped to its type.
inline void store_float(const Context& ctx, const Array<float>& from, double offset, Image& image) {
  with_pixel_type(image.format().type, [&](auto number) {
    using T = decltype(number);
    kernels::from_float<T>(ctx, from.size(), static_cast<float>(offset), from.data(), image.pixels<T>().data());
  });
}

}  // namespace whorl::filters
