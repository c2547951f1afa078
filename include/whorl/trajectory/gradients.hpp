// Gradient waveforms, and trajectories that come with theirs.
#pragma once

#include <span>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/motion.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Gradient waveforms, each from k = 0. Value i of a waveform is the mean over the time from i to i + 1 rasters, so
/// that gamma times the sum times the raster is k exactly, and neither amplitude nor slew rate is above that of the
/// motion it is from.
///
/// Shapes  mt_per_m [waveform, time, dim]
/// Units   mT/m
struct Gradients {
  Array<double> mt_per_m;
  double raster_us = 0;
};

/// Slew rate |g_i - g_(i-1)| / raster of each waveform, T/m/s [waveform, time], from zero before the first value.
Array<double> slew_rates(const Context& ctx, const Gradients& gradients);

/// Largest |g| in mT/m and largest slew rate in T/m/s.
struct GradientPeaks {
  double amplitude_mt_per_m = 0;
  double slew_t_per_m_s = 0;
};
GradientPeaks gradient_peaks(const Context& ctx, const Gradients& gradients);

/// The waveforms that drive motions which begin at k = 0, on a common raster. Shorter ones end with zeros.
///
/// Shapes  mt_per_m [motion, time, dim]
/// Throws  ValueError (no motion, a raster that is not above 0, more than 1e7 steps of time, limits), Cancelled
Gradients make_gradients(const Context& ctx, std::span<const Motion> motions, const GradientLimits& limits,
                         double raster_us, int dim);

/// What a gradient waveform does after the readout.
enum class GradientEnd {
  ramp_down,  ///< to zero at the largest slew rate
  rewind,     ///< to zero, and the shortest way back to the center of k-space
};

/// How motions become samples and waveforms.
struct DesignOptions {
  GradientLimits limits{};
  double dwell_us = 2;    ///< time between samples
  double raster_us = 10;  ///< time between values of the gradient
  GradientEnd end = GradientEnd::ramp_down;
};

/// A trajectory, and waveforms that the scanner plays for it. The readout begins with the waveform: sample i of a
/// readout is at i dwell_us.
struct DesignedTrajectory {
  Trajectory trajectory;
  Gradients gradients;
  double dwell_us = 0;
};

/// A readout of a designed trajectory: a motion turned about kz.
struct Shot {
  std::size_t motion = 0;
  double angle = 0;
};

/// Samples motions along their shots. All motions are slowed to the time of the longest, so that the readouts have the
/// same number of samples, the last one at most one dwell time before the end.
///
/// Shapes  points [shot * readout, dim], gradients [motion, time, dim]
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (no motion or shot, times that are not above 0, fewer than 2 samples, limits), Cancelled
DesignedTrajectory sample_motions(const Context& ctx, std::span<const Motion> motions, std::span<const Shot> shots,
                                  const DesignOptions& options, int dim);

}  // namespace whorl
