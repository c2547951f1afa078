#include "recon/encoding/central_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

namespace {

using Frequency = std::array<Index, 3>;  // x first, in cycles per field of view

// The frequencies of an image's grid up to a radius along each axis, and whether a sample lies within 3/4 of a cycle of each.
class SampledFrequencies {
 public:
  SampledFrequencies(const Context& ctx, const Trajectory& trajectory, const Shape& image, Index radius)
      : dim_(image.rank()), radius_(radius), side_(2 * radius + 1) {
    std::vector<double> zoom;  // to pixels that resolve frequencies up to radius + 1
    Index places = 1;
    for (int axis = image.rank() - 1; axis >= 0; --axis) {
      extents_.push_back(static_cast<double>(image[axis]));
      zoom.push_back(extents_.back() / static_cast<double>(2 * radius + 2));
      places *= side_;
    }
    has_sample_.resize(static_cast<std::size_t>(places), false);
    const auto k = trajectory.points.view<2>();
    for (const Index j : samples_inside(ctx, trajectory, zoom)) mark(&k(j, 0));
  }

  // Calls use(frequency, whether it has a sample) for those that the image resolves.
  template <class Use>
  void each(const Use& use) const {
    for (Index place = 0; place < std::ssize(has_sample_); ++place) {
      Index rest = place;
      Frequency frequency{};
      bool in_image = true;
      for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
        frequency[axis] = rest % side_ - radius_;
        rest /= side_;
        in_image &= 2 * static_cast<double>(std::abs(frequency[axis])) < extents_[axis];
      }
      if (in_image) use(frequency, has_sample_[static_cast<std::size_t>(place)]);
    }
  }

 private:
  void mark(const double* k) {
    constexpr double reach = 0.75;
    const Index neighbors = dim_ == 3 ? 27 : 9;
    for (Index n = 0; n < neighbors; ++n) {
      Index rest = n;
      Index place = 0;
      Index stride = 1;
      double squared = 0;
      bool in_grid = true;
      for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
        const double at = k[axis] * extents_[axis];
        const Index frequency = std::lround(at) + rest % 3 - 1;
        rest /= 3;
        const double apart = at - static_cast<double>(frequency);
        squared += apart * apart;
        in_grid &= std::abs(frequency) <= radius_;
        place += (frequency + radius_) * stride;
        stride *= side_;
      }
      if (in_grid && squared < reach * reach) has_sample_[static_cast<std::size_t>(place)] = true;
    }
  }

  int dim_;
  Index radius_;
  Index side_;
  std::vector<double> extents_;
  std::vector<bool> has_sample_;
};

}  // namespace

double part_without_samples(const Context& ctx, const Trajectory& trajectory, const Shape& image) {
  constexpr Index radius = 2;
  Index all = 0;
  Index without = 0;
  SampledFrequencies(ctx, trajectory, image, radius).each([&](const Frequency& f, bool has_sample) {
    if (f[0] * f[0] + f[1] * f[1] + f[2] * f[2] > radius * radius) return;
    ++all;
    if (!has_sample) ++without;
  });
  return static_cast<double>(without) / static_cast<double>(all);  // the center itself is always one
}

double radius_without_gaps(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                           const std::array<double, 3>& unit, Index radius) {
  double least = std::numeric_limits<double>::infinity();
  SampledFrequencies(ctx, trajectory, image, radius).each([&](const Frequency& f, bool has_sample) {
    if (has_sample) return;
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) squared += std::pow(unit[axis] * static_cast<double>(f[axis]), 2);
    least = std::min(least, std::sqrt(squared));
  });
  return least;
}

}  // namespace whorl::recon
