#include "correct/delays/time_delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "correct/center_fit.hpp"
#include "whorl/core/error.hpp"

namespace whorl::detail {

namespace {

constexpr double searched = 4;  // samples
constexpr double coarse = 1;
constexpr double first_reach = 0.5;
constexpr int rounds = 5;
constexpr double model_error = 0.003;  // of the signal: what fits of good scans without noise leave
constexpr Index most_samples = 1500;

// The contradiction of the samples near the center for given delays. The samples are those near the center nominally,
// so that the delays do not choose them.
class Contradiction {
 public:
  Contradiction(const DelayFrame& frame, const Shape& image, const ReadoutPart& part) : trajectory_(frame.trajectory) {
    const Trajectory& trajectory = *frame.trajectory;
    const ArrayRef<const std::complex<float>> data = frame.data;
    center_.dim = trajectory.dim();
    radius_ = center_radius(center_.dim);
    for (int axis = 0; axis < center_.dim; ++axis) {
      extent_[static_cast<std::size_t>(axis)] = static_cast<double>(image[-1 - axis]);
    }
    const auto k = trajectory.points.view<2>();
    std::vector<Index> near;
    for (Index j = 0; j < trajectory.samples(); ++j) {
      if (!part.has(j / trajectory.readout_length)) continue;
      double square = 0;
      for (Index axis = 0; axis < k.extent(1); ++axis) {
        square += std::pow(k(j, axis) * extent_[static_cast<std::size_t>(axis)], 2);
      }
      if (square <= radius_ * radius_) near.push_back(j);
    }
    const auto count = static_cast<Index>(near.size());
    const Index used = std::min(count, most_samples);
    for (Index i = 0; i < used; ++i) samples_.push_back(near[static_cast<std::size_t>(i * count / used)]);
    center_.places.resize(samples_.size());
    center_.values.resize(used, data.extent(0));
    for (Index i = 0; i < used; ++i) {
      for (Index c = 0; c < data.extent(0); ++c) {
        center_.values(i, c) =
            std::complex<double>(data.data()[c * data.extent(1) + samples_[static_cast<std::size_t>(i)]]);
      }
    }
  }

  Index samples() const { return static_cast<Index>(samples_.size()); }
  // Real numbers that are predicted.
  double numbers() const { return 2 * static_cast<double>(held_ * center_.values.cols()); }

  double square(const Context& ctx, const std::array<double, 3>& delays) {
    const auto k = trajectory_->points.view<2>();
    const Index length = trajectory_->readout_length;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Index first = samples_[i] - samples_[i] % length;
      for (Index axis = 0; axis < k.extent(1); ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double time =
            std::clamp(static_cast<double>(samples_[i] - first) + delays[a], 0.0, static_cast<double>(length - 1));
        const Index before = std::min(static_cast<Index>(time), length - 2);
        const double part = time - static_cast<double>(before);
        center_.places[i][a] = extent_[a] * ((1 - part) * k(first + before, axis) + part * k(first + before + 1, axis));
      }
    }
    const CenterFit fit = fit_center(ctx, center_);
    held_ = fit.held;
    return fit.residual * fit.residual;
  }

 private:
  const Trajectory* trajectory_;
  std::array<double, 3> extent_{1, 1, 1};
  double radius_ = 0;
  std::vector<Index> samples_;
  CenterSamples center_;
  Index held_ = 0;
};

}  // namespace

DelayEstimate estimate_time_delays(const Context& ctx, const DelayFrame& frame, const Shape& image,
                                   const ReadoutPart& part) {
  Contradiction contradiction(frame, image, part);
  const auto dim = static_cast<std::size_t>(frame.trajectory->dim());
  std::array<double, 3> delays{};
  double least = contradiction.square(ctx, delays);
  for (double common = -searched; common <= searched; common += coarse) {
    std::array<double, 3> other{};
    std::fill_n(other.begin(), dim, common);
    const double square = contradiction.square(ctx, other);
    if (square < least) {
      least = square;
      delays = other;
    }
  }
  // A parabola through three points of each axis in turn, ever closer together.
  std::array<double, 3> curvature{};
  double reach = first_reach;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t axis = 0; axis < dim; ++axis) {
      std::array<double, 3> beside = delays;
      beside[axis] = delays[axis] - reach;
      const double below = contradiction.square(ctx, beside);
      beside[axis] = delays[axis] + reach;
      const double above = contradiction.square(ctx, beside);
      curvature[axis] = (below - 2 * least + above) / (reach * reach);
      const double slope = (above - below) / (2 * reach);
      double step = curvature[axis] > 0 ? -slope / curvature[axis] : (above < below ? reach : -reach);
      step = std::clamp(step, -2 * reach, 2 * reach);
      beside[axis] = delays[axis] + step;
      const double there = contradiction.square(ctx, beside);
      if (there > least && below >= least && above >= least) continue;
      if (there <= std::min(below, above)) {
        delays[axis] += step;
        least = there;
      } else {
        delays[axis] += below < above ? -reach : reach;
        least = std::min(below, above);
      }
    }
    if (round % 2 == 1) reach /= 2;
  }
  // For N numbers with the mean square `least`, the covariance of what a parabola is fitted to: 2 variance / (second
  // derivative of the sum of squares).
  double error = 0;
  for (std::size_t axis = 0; axis < dim; ++axis) {
    const double square = curvature[axis] > 0 ? 2 * std::max(least, model_error * model_error) /
                                                    (contradiction.numbers() * curvature[axis])
                                              : 4 * searched * searched;
    error = std::max(error, std::sqrt(square));
  }
  const auto is_beyond = [](double delay) { return std::abs(delay) > searched; };
  if (std::any_of(delays.begin(), delays.end(), is_beyond)) {
    throw ValueError(
        fmt::format("gradient delays: the best are {:.1f}, {:.1f}, {:.1f} samples, expected {} at most; the center of "
                    "k-space does not determine them, or the trajectory is another one",
                    delays[0], delays[1], delays[2], searched));
  }
  return {{.x = delays[0], .y = delays[1], .z = delays[2]}, error, contradiction.samples()};
}

}  // namespace whorl::detail
