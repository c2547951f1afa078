// Canny in the parts of the report: definitions for all versions, and the parts on each device.
//
// 1. Light, and a Gaussian of 5 x 5 pixels with sigma 1.4, rounded to whole levels.
// 2. Slopes by Sobel's windows; their length and angle.
// 3. Thinning: a pixel keeps a mark where its slope is longer than both neighbors' along it: strong above `high`, weak
//    above `low`. Slopes beyond the picture are 0.
// 4. Hysteresis: weak marks stay where they are connected with strong ones.
#pragma once

#include <array>
#include <vector>

#include "studies/image_filters/check.hpp"
#include "studies/image_filters/job.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

inline constexpr int low_threshold = 40;
inline constexpr int high_threshold = 160;

inline constexpr Byte weak = 128;
inline constexpr Byte strong = 255;

/// Where the neighbors along a slope lie, of an angle in eighths of a turn: right, down right, down, down left.
struct Direction {
  int x;
  int y;
};
inline constexpr std::array<Direction, 4> directions{{{1, 0}, {1, 1}, {0, 1}, {-1, 1}}};

/// The direction of an angle of -pi to pi, which is that of its opposite.
template <class Real>
constexpr int direction_of_angle(Real angle) {
  constexpr Real eighths_per_radian(1.2732395447351628);
  constexpr Real middle(4.5);  // makes it positive, and rounds to the nearest
  return static_cast<int>(angle * eighths_per_radian + middle) & 3;
}

/// Direction of a slope: flat below 22.5 degrees, steep above 67.5, else down right or down left by the signs.
constexpr Byte direction_of(int x, int y) {
  constexpr float tangent = 0.41421357F;
  const auto across = static_cast<float>(x < 0 ? -x : x);
  const auto down = static_cast<float>(y < 0 ? -y : y);
  const Byte slanted = (x < 0) == (y < 0) ? Byte{1} : Byte{3};
  const Byte steep = across < tangent * down ? Byte{2} : slanted;
  return down < tangent * across ? Byte{0} : steep;
}

/// Weights of the Gaussian, [5, 5].
std::array<double, 25> canny_window();

template <class Real>
constexpr Byte mark_of(Real length) {
  if (length > Real(high_threshold)) return strong;
  return length > Real(low_threshold) ? weak : Byte{0};
}

/// Slopes [height, width].
template <class Real>
struct Slopes {
  Array<Real> length;
  Array<Real> angle;  ///< atan2, -pi to pi
};

/// The exact result of each step, for a picture on the host.
struct CannyReference {
  std::vector<Byte> marks;
  std::vector<Byte> edges;
};
CannyReference canny_reference(const Context& host, const Job& job);

std::vector<Step> canny_on_host();
std::vector<Step> thinning_on_host(const Context& ctx, const Job& job);
std::vector<Step> hysteresis_on_host(const Context& ctx, const Job& job);

std::vector<Step> canny_on_gpu(const Context& ctx);
std::vector<Step> thinning_on_gpu(const Context& ctx, const Job& job);
std::vector<Step> hysteresis_on_gpu(const Context& ctx, const Job& job);

}  // namespace whorl::studies::image_filters
