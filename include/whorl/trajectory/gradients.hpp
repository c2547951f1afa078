// Gradient waveforms, and trajectories with their waveforms.
#pragma once

#include <span>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/motion.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Gradient waveforms that start at k = 0. Value i of a waveform is the mean of the motion's gradient from i to i + 1
/// rasters, so neither amplitude nor slew rate exceeds that of the motion. It is played as the gradient at the center of
/// that cell, linear from one to the next, and 0 at both ends, as Pulseq has it.
///
/// Shapes  mt_per_m [waveform, time, dim]
/// Units   mT/m
struct Gradients {
  Array<double> mt_per_m;
  double raster_us = 0;
};

/// Slew rate |g_i - g_(i-1)| / raster of each waveform, in T/m/s, [waveform, time]. The value before the first is zero.
Array<double> slew_rates(const Context& ctx, const Gradients& gradients);

/// Largest |g| in mT/m and largest slew rate in T/m/s.
struct GradientPeaks {
  double amplitude_mt_per_m = 0;
  double slew_t_per_m_s = 0;
};
GradientPeaks gradient_peaks(const Context& ctx, const Gradients& gradients);

/// The waveforms for motions that begin at k = 0, on a common raster. Shorter waveforms end with zeros.
///
/// Shapes  mt_per_m [motion, time, dim]
/// Throws  ValueError (no motion, a raster that is not above 0, more than 1e7 time steps, limits), Cancelled
Gradients make_gradients(const Context& ctx, std::span<const Motion> motions, const GradientLimits& limits,
                         double raster_us, int dim);

/// The end of a gradient waveform, after the readout.
enum class GradientEnd {
  ramp_down,  ///< to zero at the largest slew rate
  rewind,     ///< to zero, then the fastest way back to the center of k-space
};

/// Options for the samples and waveforms of motions.
struct DesignOptions {
  GradientLimits limits{};
  double dwell_us = 2;    ///< time between samples
  double raster_us = 10;  ///< time between values of the gradient
  GradientEnd end = GradientEnd::ramp_down;
};

/// The waveform of a readout: axis d of it is played along the vector axes[d] (x, y, z). So the gradient is the sum
/// over d of mt_per_m[waveform, time, d] axes[d].
struct PlayedWaveform {
  std::size_t waveform = 0;
  std::array<KPoint, 3> axes{};
};

/// A trajectory and its gradient waveforms. The readout begins with the waveform: sample i of a readout is at i
/// dwell_us.
struct DesignedTrajectory {
  Trajectory trajectory;
  Gradients gradients;
  double dwell_us = 0;
  std::vector<PlayedWaveform> played;  ///< of each readout
  double gamma_mhz_per_t = 0;
};

/// A readout of a designed trajectory: a motion turned about kz.
struct Shot {
  std::size_t motion = 0;
  double angle = 0;
};

/// Samples the motions of shots. All motions are slowed to the time of the longest, so all readouts have the same
/// number of samples. The last sample is at most one dwell time before the end. The positions are those that the
/// waveforms play: their integral, gradients being linear between raster cells. They differ from the motion's by up to
/// gamma slew raster^2 / 2. Where they pass the edge of k-space by that, waveforms and positions are scaled to it.
///
/// Shapes  points [shot * readout, dim], gradients [motion, time, dim]
/// Units   cycles per pixel; mT/m
/// Throws  ValueError (no motion or shot, a dwell time or raster that is not above 0, fewer than 2 samples, limits),
///         Cancelled
DesignedTrajectory sample_motions(const Context& ctx, std::span<const Motion> motions, std::span<const Shot> shots,
                                  const DesignOptions& options, int dim);

}  // namespace whorl
