// Images for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "whorl/core/image.hpp"
#include "whorl/core/random.hpp"

namespace whorl::test {

inline constexpr PixelType pixel_types[] = {PixelType::uint8, PixelType::uint16, PixelType::float32};

/// An image on the host whose numbers are value(slice, y, x, channel), as the format's type.
inline Image make_image(const ImageFormat& format,
                        const std::function<double(Index slice, Index y, Index x, Index channel)>& value) {
  Image image(Context({.threads = 1}), format);
  const Index channels = count_of(format.channels);
  with_pixel_type(format.type, [&](auto number) {
    using T = decltype(number);
    T* to = image.pixels<T>().data();
    for (Index slice = 0; slice < format.slices(); ++slice) {
      for (Index y = 0; y < format.height; ++y) {
        for (Index x = 0; x < format.width; ++x) {
          for (Index c = 0; c < channels; ++c) *to++ = static_cast<T>(value(slice, y, x, c));
        }
      }
    }
  });
  return image;
}

/// Uniform noise over the whole range of the type, 0 to 1 for float32.
inline Image random_image(const ImageFormat& format, std::uint64_t seed) {
  const double levels = format.type == PixelType::float32 ? 1 : full_scale(format.type) + 1;
  std::uint64_t at = 0;
  return make_image(format, [&](Index, Index, Index, Index) {
    const double value = levels * random_uniform(seed, at++);
    return format.type == PixelType::float32 ? value : std::floor(value);
  });
}

/// A number of an image on the host.
inline double value_at(const Image& image, Index slice, Index y, Index x, Index channel = 0) {
  const ImageFormat& format = image.format();
  return with_pixel_type(format.type, [&](auto number) {
    const auto* from = image.pixels<decltype(number)>().data();
    return static_cast<double>(
        from[((slice * format.height + y) * format.width + x) * count_of(format.channels) + channel]);
  });
}

/// The largest difference of two images on the host; infinite where a number is none, or the formats differ.
inline double largest_difference(const Image& a, const Image& b) {
  if (a.format() != b.format()) return std::numeric_limits<double>::infinity();
  return with_pixel_type(a.format().type, [&](auto number) {
    using T = decltype(number);
    const auto x = a.pixels<T>().span();
    const auto y = b.pixels<T>().span();
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double difference = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
      if (!(difference <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, difference);
    }
    return largest;
  });
}

}  // namespace whorl::test
