#include "recon/encoding/central_samples.hpp"

#include <algorithm>
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

}  // namespace whorl::recon
