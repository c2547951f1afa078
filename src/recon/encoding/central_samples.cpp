#include "recon/encoding/central_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::recon {

std::vector<double> zoom_to(const Shape& image, const Shape& smaller) {
  std::vector<double> zoom;
  for (int axis = image.rank() - 1; axis >= 0; --axis) {
    zoom.push_back(static_cast<double>(image[axis]) / static_cast<double>(smaller[axis]));
  }
  return zoom;
}

std::vector<Index> samples_inside(const Context& ctx, const Trajectory& trajectory, const std::vector<double>& zoom) {
  constexpr Index part = 1 << 16;
  const auto dim = static_cast<Index>(zoom.size());
  const Index samples = trajectory.samples();
  const double* const points = trajectory.points.data();
  std::vector<std::vector<Index>> found(static_cast<std::size_t>(divide_up(samples, part)));
  const auto search = [&](Index number) {
    std::vector<Index>& inside = found[static_cast<std::size_t>(number)];
    for (Index j = number * part; j < std::min(samples, (number + 1) * part); ++j) {
      bool in = true;
      for (Index axis = 0; axis < dim; ++axis) {
        in &= std::abs(points[j * dim + axis] * zoom[static_cast<std::size_t>(axis)]) <= k_limit;
      }
      if (in) inside.push_back(j);
    }
  };
  detail::parallel_for(ctx, "samples of the center", 0, static_cast<Index>(found.size()), search);
  std::vector<Index> inside;
  for (const std::vector<Index>& some : found) inside.insert(inside.end(), some.begin(), some.end());
  return inside;
}

void zoom_points(const Trajectory& trajectory, const std::vector<Index>& samples, const std::vector<double>& zoom,
                 double* to) {
  const auto k = trajectory.points.view<2>();
  const auto dim = static_cast<Index>(zoom.size());
  for (const Index j : samples) {
    for (Index axis = 0; axis < dim; ++axis) *to++ = k(j, axis) * zoom[static_cast<std::size_t>(axis)];
  }
}

double part_without_samples(const Context& ctx, const Trajectory& trajectory, const Shape& image) {
  constexpr Index radius = 2;
  constexpr Index side = 2 * radius + 1;
  constexpr double reach = 0.75;
  const auto dim = static_cast<Index>(image.rank());
  std::vector<double> zoom;  // to pixels that resolve frequencies up to radius + 1
  std::vector<double> extents;
  for (int axis = image.rank() - 1; axis >= 0; --axis) {
    extents.push_back(static_cast<double>(image[axis]));
    zoom.push_back(extents.back() / (2 * radius + 2));
  }
  const std::vector<Index> inside = samples_inside(ctx, trajectory, zoom);
  Index places = 1;
  for (Index axis = 0; axis < dim; ++axis) places *= side;
  std::vector<bool> has_sample(static_cast<std::size_t>(places), false);
  const auto k = trajectory.points.view<2>();
  for (const Index j : inside) {
    std::array<double, 3> at{};
    std::array<Index, 3> nearest{};
    for (Index axis = 0; axis < dim; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      at[a] = k(j, axis) * extents[a];
      nearest[a] = std::lround(at[a]);
    }
    const Index neighbors = dim == 3 ? 27 : 9;
    for (Index n = 0; n < neighbors; ++n) {
      Index rest = n;
      Index place = 0;
      Index stride = 1;
      double squared = 0;
      bool in_grid = true;
      for (Index axis = 0; axis < dim; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const Index frequency = nearest[a] + rest % 3 - 1;
        rest /= 3;
        const double apart = at[a] - static_cast<double>(frequency);
        squared += apart * apart;
        in_grid &= std::abs(frequency) <= radius;
        place += (frequency + radius) * stride;
        stride *= side;
      }
      if (in_grid && squared < reach * reach) has_sample[static_cast<std::size_t>(place)] = true;
    }
  }
  Index all = 0;
  Index without = 0;
  for (Index place = 0; place < places; ++place) {
    Index rest = place;
    Index squared = 0;
    bool in_image = true;
    for (const double extent : extents) {
      const Index frequency = rest % side - radius;
      rest /= side;
      squared += frequency * frequency;
      in_image &= 2 * static_cast<double>(std::abs(frequency)) < extent;
    }
    if (squared > radius * radius || !in_image) continue;
    ++all;
    if (!has_sample[static_cast<std::size_t>(place)]) ++without;
  }
  return static_cast<double>(without) / static_cast<double>(all);  // the center itself is always one
}

}  // namespace whorl::recon
