// Lines of pixels along x, and the differences that they have along each axis.
#pragma once

#include <algorithm>
#include <array>

#include "backend/cpu/parallel.hpp"
#include "kernels/penalties/differences.hpp"

namespace whorl::backend::cpu {

constexpr int along_x = 3;

/// The pixels first <= i < last of a line, counted from its start, whose neighbor is at i + step. Empty: first == last.
struct Neighbors {
  Index first = 0;
  Index last = 0;
  Index step = 0;
};

/// One line of pixels along x: where it starts and, for each axis, which of its pixels have a neighbor behind and before
/// them. The second part of each is the pixel at an end of the line whose neighbor along a cyclic x is at the other end.
struct Line {
  Index start = 0;
  std::array<std::array<Neighbors, 2>, 4> behind{};
  std::array<std::array<Neighbors, 2>, 4> before{};

  /// The first pixel from which on none has a neighbor behind it along an axis.
  Index last_with_neighbor(int axis) const {
    const auto& [most, end] = behind[static_cast<std::size_t>(axis)];
    return std::max(most.last, end.last);
  }
};

template <class Real>
Line line_at(const kernels::Differences<Real>& what, Index number) {
  const auto& extent = what.extent;
  const Index width = extent[along_x];
  const Index slice = extent[2] * width;
  const std::array<Index, 3> at{number / extent[2] / extent[1], number / extent[2] % extent[1], number % extent[2]};
  const std::array<Index, 3> step{extent[1] * slice, slice, width};
  Line line{.start = number * width};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index around = (extent[axis] - 1) * step[axis];
    const bool is_last = at[axis] + 1 == extent[axis];
    if (!is_last || what.cyclic[axis]) line.behind[axis][0] = {0, width, is_last ? -around : step[axis]};
    if (at[axis] > 0 || what.cyclic[axis]) line.before[axis][0] = {0, width, at[axis] > 0 ? -step[axis] : around};
  }
  line.behind[along_x][0] = {0, width - 1, 1};
  line.before[along_x][0] = {1, width, -1};
  if (what.cyclic[along_x]) {
    line.behind[along_x][1] = {width - 1, width, 1 - width};
    line.before[along_x][1] = {0, 1, width - 1};
  }
  return line;
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
  for (Index number = 0; number < lines; ++number) work(line_at(what, number));
}

}  // namespace whorl::backend::cpu
