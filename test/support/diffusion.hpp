// One explicit step of diffusion by its definition, in double, pixel by pixel.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::test {

/// Numbers of an image in its order of memory.
using Numbers = std::vector<double>;

inline Numbers numbers_of(const Image& image) {
  return with_pixel_type(image.format().type, [&](auto number) {
    const auto span = image.pixels<decltype(number)>().span();
    return Numbers(span.begin(), span.end());
  });
}

/// What is at a place of a volume, or beyond its edges.
inline double number_at(const ImageFormat& format, const Numbers& u, Border border, double value, Index volume, Index z,
                        Index y, Index x, Index c) {
  const Index in_z = border_index(border, z, format.depth);
  const Index in_y = border_index(border, y, format.height);
  const Index in_x = border_index(border, x, format.width);
  if (in_z < 0 || in_y < 0 || in_x < 0) return value;
  const Index pixel = ((volume * format.depth + in_z) * format.height + in_y) * format.width + in_x;
  return u[static_cast<std::size_t>(pixel * count_of(format.channels) + c)];
}

/// u + rate * sum over neighbors v of weight(|v - u|^2 over all channels) * (v - u).
template <class Weight>
Numbers diffusion_step(const ImageFormat& format, const Numbers& u, Border border, double value, bool volumes,
                       double rate, const Weight& weight) {
  Numbers next(u.size());
  const Index channels = count_of(format.channels);
  std::size_t at = 0;
  for (Index slice = 0; slice < format.slices(); ++slice) {
    for (Index y = 0; y < format.height; ++y) {
      for (Index x = 0; x < format.width; ++x) {
        const auto get = [&](Index dz, Index dy, Index dx, Index c) {
          return number_at(format, u, border, value, slice / format.depth, slice % format.depth + dz, y + dy, x + dx,
                           c);
        };
        constexpr std::array<std::array<int, 3>, 6> beside{
            {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}}};
        for (Index c = 0; c < channels; ++c) next[at + static_cast<std::size_t>(c)] = get(0, 0, 0, c);
        for (int n = 0; n < (volumes ? 6 : 4); ++n) {
          const auto [dz, dy, dx] = beside[static_cast<std::size_t>(n)];
          double square = 0;
          for (Index c = 0; c < channels; ++c) square += std::pow(get(dz, dy, dx, c) - get(0, 0, 0, c), 2);
          for (Index c = 0; c < channels; ++c) {
            next[at + static_cast<std::size_t>(c)] += rate * weight(square) * (get(dz, dy, dx, c) - get(0, 0, 0, c));
          }
        }
        at += static_cast<std::size_t>(channels);
      }
    }
  }
  return next;
}

/// The largest difference of an image on the host from numbers.
inline double largest_difference_from(const Image& image, const Numbers& expected) {
  const Numbers found = numbers_of(image);
  double largest = found.size() == expected.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

}  // namespace whorl::test
