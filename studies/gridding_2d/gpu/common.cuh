// Helpers of the kernels: points and weights of a sample's window.
#pragma once

#include "studies/gridding_2d/layout.hpp"
#include "studies/gridding_2d/window.hpp"

namespace whorl::studies::gridding_2d {

/// Points of a window, each a thread of a block or of a part of one.
inline constexpr int window_threads = width * width;

/// The view of one of these threads: its point, and the distance from the sample.
struct PointOfWindow {
  int x, y;
  float dx, dy;

  __device__ PointOfWindow(int thread, float place_x, float place_y)
      : x(first_point(place_x) + thread % width),
        y(first_point(place_y) + thread / width),
        dx(static_cast<float>(x) - place_x),
        dy(static_cast<float>(y) - place_y) {}

  __device__ int on(const Extents& grid) const { return wrapped(y, grid.y) * grid.x + wrapped(x, grid.x); }
};

/// exp(scale (dx^2 + dy^2)), scale = -1/b.
inline __device__ float exponential(float scale, const PointOfWindow& at) {
  return expf(scale * (at.dx * at.dx + at.dy * at.dy));
}

inline __device__ float distance(const PointOfWindow& at) { return sqrtf(at.dx * at.dx + at.dy * at.dy); }

}  // namespace whorl::studies::gridding_2d
