#include "whorl/trajectory/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trajectory/points.hpp"
#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// Times are sums of many steps, so a whole number of rasters may come out slightly larger.
constexpr double time_slack = 1e-9;

Index whole_steps(std::string_view operation, double duration, double step) {
  constexpr double most = 1e7;
  const double steps = duration / step;
  if (!(steps <= most)) {
    throw ValueError(
        fmt::format("{}: {:.3g} us in steps of {:.3g} us are more than {:.0e} steps", operation, duration, step, most));
  }
  return static_cast<Index>(std::ceil(steps - time_slack));
}

/// The path that a waveform plays, in cycles per pixel: its values are those at the centers of the raster's cells, linear
/// between them, and 0 at both ends.
class PlayedPath {
 public:
  PlayedPath(const Gradients& gradients, Index waveform, const GradientLimits& limits) {
    const double raster = gradients.raster_us;
    const auto g = gradients.mt_per_m.view<3>();
    const Index steps = g.extent(1);
    for (Index i = 0; i <= steps + 1; ++i) {
      KPoint speed{};
      for (Index axis = 0; i > 0 && i <= steps && axis < g.extent(2); ++axis) {
        speed[static_cast<std::size_t>(axis)] = g(waveform, i - 1, axis) / limits.amplitude_per_speed();
      }
      const double time = i == 0 ? 0 : (static_cast<double>(std::min(i, steps)) - (i <= steps ? 0.5 : 0)) * raster;
      if (i > 0) reached_.push_back(after(reached_.back(), speeds_.back(), speed, (time - times_.back()) / 2));
      if (i == 0) reached_.push_back({});
      speeds_.push_back(speed);
      times_.push_back(time);
    }
  }

  KPoint position(double t) const {
    const auto next = std::upper_bound(times_.begin(), times_.end(), t);
    if (next == times_.end()) return reached_.back();
    const auto i = static_cast<std::size_t>(next - times_.begin()) - 1;
    const double since = t - times_[i];
    const double part = since / (times_[i + 1] - times_[i]);
    const KPoint change = detail::plus(speeds_[i + 1], speeds_[i], -1);
    return after(reached_[i], speeds_[i], detail::plus(speeds_[i], change, part), since / 2);
  }

 private:
  static KPoint after(const KPoint& start, const KPoint& before, const KPoint& now, double half_time) {
    return detail::plus(detail::plus(start, before, half_time), now, half_time);
  }

  std::vector<double> times_;
  std::vector<KPoint> speeds_;
  std::vector<KPoint> reached_;
};

/// Samples of all shots along the paths of their waveforms.
Trajectory sample_paths(const Context& ctx, const Gradients& gradients, std::span<const Shot> shots, Index samples,
                        const DesignOptions& options, int dim) {
  Trajectory trajectory =
      detail::make_readouts(ctx, "designed trajectory", "shots", static_cast<Index>(shots.size()), samples, dim);
  const auto k = trajectory.points.view<2>();
  for (Index motion = 0; motion < gradients.mt_per_m.extent(0); ++motion) {
    ctx.check_cancel("designed trajectory");
    const PlayedPath played(gradients, motion, options.limits);
    std::vector<KPoint> path;
    for (Index i = 0; i < samples; ++i) path.push_back(played.position(static_cast<double>(i) * options.dwell_us));
    for (std::size_t shot = 0; shot < shots.size(); ++shot) {
      if (static_cast<Index>(shots[shot].motion) != motion) continue;
      for (Index i = 0; i < samples; ++i) {
        detail::ask_at(ctx, static_cast<Index>(shot) * samples + i);
        const KPoint point = detail::turned(path[static_cast<std::size_t>(i)], shots[shot].angle);
        for (Index axis = 0; axis < dim; ++axis) {
          k(static_cast<Index>(shot) * samples + i, axis) = point[static_cast<std::size_t>(axis)];
        }
      }
    }
  }
  return trajectory;
}

/// What goes beyond the edge of k-space by the raster's rounding is drawn back to it, waveforms and positions alike.
void keep_inside(Gradients& gradients, Trajectory& trajectory) {
  double largest = 0;
  for (const double value : trajectory.points.span()) largest = std::max(largest, std::abs(value));
  if (largest <= k_limit) return;
  for (double& value : trajectory.points.span()) value *= k_limit / largest;
  for (double& value : gradients.mt_per_m.span()) value *= k_limit / largest;
}

KPoint position_at(const Motion& motion, double t) { return motion.position(std::clamp(t, 0.0, motion.duration_us)); }

}  // namespace

Array<double> slew_rates(const Context& ctx, const Gradients& gradients) {
  const auto g = gradients.mt_per_m.view<3>();
  Array<double> slew(ctx, {g.extent(0), g.extent(1)});
  for (Index waveform = 0; waveform < g.extent(0); ++waveform) {
    for (Index i = 0; i < g.extent(1); ++i) {
      detail::ask_at(ctx, waveform * g.extent(1) + i);
      double square = 0;
      for (Index axis = 0; axis < g.extent(2); ++axis) {
        square += std::pow(g(waveform, i, axis) - (i > 0 ? g(waveform, i - 1, axis) : 0), 2);
      }
      // mT/m/us = 1000 T/m/s
      slew.view<2>()(waveform, i) = 1000 * std::sqrt(square) / gradients.raster_us;
    }
  }
  return slew;
}

GradientPeaks gradient_peaks(const Context& ctx, const Gradients& gradients) {
  GradientPeaks peaks;
  const auto g = gradients.mt_per_m.view<3>();
  for (Index row = 0; row < g.extent(0) * g.extent(1); ++row) {
    detail::ask_at(ctx, row);
    double square = 0;
    for (Index axis = 0; axis < g.extent(2); ++axis) {
      square += std::pow(g(row / g.extent(1), row % g.extent(1), axis), 2);
    }
    peaks.amplitude_mt_per_m = std::max(peaks.amplitude_mt_per_m, std::sqrt(square));
  }
  const Array<double> slews = slew_rates(ctx, gradients);
  for (const double slew : slews.span()) {
    peaks.slew_t_per_m_s = std::max(peaks.slew_t_per_m_s, slew);
  }
  return peaks;
}

Gradients make_gradients(const Context& ctx, std::span<const Motion> motions, const GradientLimits& limits,
                         double raster_us, int dim) {
  check_gradient_limits("gradient waveforms", limits);
  detail::check_positive("gradient waveforms", "raster in us", raster_us);
  if (motions.empty()) throw ValueError("gradient waveforms: there is no motion");
  Index steps = 1;
  for (const Motion& motion : motions) {
    steps = std::max(steps, whole_steps("gradient waveforms", motion.duration_us, raster_us));
  }
  Gradients gradients{Array<double>(ctx, {static_cast<Index>(motions.size()), steps, dim}), raster_us};
  const auto g = gradients.mt_per_m.view<3>();
  const double scale = limits.amplitude_per_speed() / raster_us;
  for (Index waveform = 0; waveform < g.extent(0); ++waveform) {
    ctx.check_cancel("gradient waveforms");
    const Motion& motion = motions[static_cast<std::size_t>(waveform)];
    KPoint before = position_at(motion, 0);
    for (Index i = 0; i < steps; ++i) {
      const KPoint after = position_at(motion, static_cast<double>(i + 1) * raster_us);
      for (Index axis = 0; axis < dim; ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        g(waveform, i, axis) = scale * (after[at] - before[at]);
      }
      before = after;
    }
  }
  return gradients;
}

DesignedTrajectory sample_motions(const Context& ctx, std::span<const Motion> motions, std::span<const Shot> shots,
                                  const DesignOptions& options, int dim) {
  detail::check_positive("designed trajectory", "dwell time in us", options.dwell_us);
  if (motions.empty()) throw ValueError("designed trajectory: there is no motion");
  double duration = 0;
  for (const Motion& motion : motions) duration = std::max(duration, motion.duration_us);
  std::vector<Motion> played;
  for (const Motion& motion : motions) {
    const Motion readout = slowed_to(motion, duration);
    played.push_back(options.end == GradientEnd::rewind ? with_rewinder(readout, options.limits)
                                                        : with_ramp_down(readout, options.limits));
  }
  Gradients gradients = make_gradients(ctx, played, options.limits, options.raster_us, dim);

  const Index samples = whole_steps("designed trajectory", duration, options.dwell_us);
  Trajectory trajectory = sample_paths(ctx, gradients, shots, samples, options, dim);
  keep_inside(gradients, trajectory);
  std::vector<PlayedWaveform> waveforms;
  for (const Shot& shot : shots) {
    const KPoint x = detail::turned({1, 0, 0}, shot.angle);
    const KPoint y = detail::turned({0, 1, 0}, shot.angle);
    waveforms.push_back({shot.motion, {x, y, KPoint{0, 0, 1}}});
  }
  return {std::move(trajectory), std::move(gradients), options.dwell_us, std::move(waveforms),
          options.limits.gamma_mhz_per_t};
}

}  // namespace whorl
