// Lines of pixels along x, and the differences that they have along each axis.
#pragma once

#include <algorithm>
#include <array>

#include "backend/cpu/parallel.hpp"
#include "kernels/penalties/differences.hpp"

namespace whorl::backend::cpu {

constexpr int along_x = 3;

/// One line of pixels along x: where it starts and, for each axis, the step to the neighbor and whether its pixels have a
/// neighbor before and behind. Along x the two ends of the line have one neighbor each.
struct Line {
  Index start = 0;
  std::array<Index, 4> step{};
  std::array<bool, 4> before{};
  std::array<bool, 4> behind{};

  /// The pixels first <= i < last of the line, counted from its start, have a neighbor behind them along an axis.
  Index last_with_neighbor(int axis, Index width) const {
    return !behind[static_cast<std::size_t>(axis)] ? 0 : axis == along_x ? width - 1 : width;
  }
};

inline Line line_at(const std::array<Index, 4>& extent, Index number) {
  const Index y = number % extent[2];
  const Index z = number / extent[2] % extent[1];
  const Index frame = number / extent[2] / extent[1];
  const Index slice = extent[2] * extent[3];
  return {number * extent[3],
          {extent[1] * slice, slice, extent[3], 1},
          {frame > 0, z > 0, y > 0, true},
          {frame + 1 < extent[0], z + 1 < extent[1], y + 1 < extent[2], true}};
}

/// The axes that have differences, in order, with the number of each among them.
template <class Real, class Work>
void for_axes(const kernels::Differences<Real>& what, const Work& work) {
  int number = 0;
  for (int axis = 0; axis < 4; ++axis) {
    if (what.scale[axis] != 0) work(axis, number++);
  }
}

template <class Real>
int axes_of(const kernels::Differences<Real>& what) {
  return static_cast<int>(std::count_if(what.scale.begin(), what.scale.end(), [](Real scale) { return scale != 0; }));
}

template <class Real>
Index pixels_of(const kernels::Differences<Real>& what) {
  return what.extent[0] * what.extent[1] * what.extent[2] * what.extent[3];
}

/// Calls work(line) for every line, in parallel.
template <class Real, class Work>
void for_lines(const Context& ctx, const kernels::Differences<Real>& what, const Work& work) {
  const Index lines = what.extent[0] * what.extent[1] * what.extent[2];
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, axes_of(what) * lines * what.extent[3]))
  for (Index number = 0; number < lines; ++number) work(line_at(what.extent, number));
}

}  // namespace whorl::backend::cpu
