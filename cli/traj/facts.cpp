// What `whorl traj` says of what it made.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/traj/traj.hpp"

namespace whorl::cli {

namespace {

constexpr Index samples_between_questions = 1 << 16;  // whether to stop

std::string line(const char* name, const std::string& value) { return fmt::format("{:<14}{}\n", name, value); }

std::string samples_text(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length;
  if (length == 0) return fmt::format("{}", trajectory.samples());
  return fmt::format("{} in {} readouts of {}", trajectory.samples(), trajectory.samples() / length, length);
}

std::string largest_k_text(const Context& ctx, const Trajectory& trajectory) {
  std::string text;
  const auto k = trajectory.points.view<2>();
  for (Index axis = 0; axis < k.extent(1); ++axis) {
    double largest = 0;
    for (Index sample = 0; sample < k.extent(0); ++sample) {
      if (sample % samples_between_questions == 0) ctx.check_cancel("trajectory");
      largest = std::max(largest, std::abs(k(sample, axis)));
    }
    text += fmt::format("{}{:.4g} ({})", axis > 0 ? ", " : "", largest, "xyz"[axis]);
  }
  return text + " cycles per pixel";
}

// "3.20 times"; decimals of many say nothing more.
std::string times_text(double times) {
  constexpr double many = 1e6;
  return times < many ? fmt::format("{:.2f} times", times) : fmt::format("{:.3g} times", times);
}

std::string gap_text(const SamplingGap& gap) {
  const double times = gap.gap / gap.nyquist;
  // A spoke more or less is within the rounding of their number.
  constexpr double rounding = 1e-6;
  return fmt::format("{:.4g} cycles per pixel between {}; 1/N is {:.4g}: {}", gap.gap, gap.between, gap.nyquist,
                     times <= 1 + rounding ? "fully sampled" : "undersampled " + times_text(times));
}

std::string gradients_text(const Context& ctx, const Gradients& gradients) {
  const GradientPeaks peaks = gradient_peaks(ctx, gradients);
  return fmt::format("{} waveform{} of {:.3f} ms, up to {:.4g} mT/m and {:.4g} T/m/s", gradients.mt_per_m.extent(0),
                     gradients.mt_per_m.extent(0) > 1 ? "s" : "",
                     static_cast<double>(gradients.mt_per_m.extent(1)) * gradients.raster_us / 1000,
                     peaks.amplitude_mt_per_m, peaks.slew_t_per_m_s);
}

}  // namespace

std::string facts_text(const Context& ctx, const MadeTrajectory& made, const TrajImage& image) {
  std::string matrix = fmt::format("{} x {}", image.matrix[0], image.matrix[1]);
  if (image.dim() == 3) matrix += fmt::format(" x {}", image.matrix[2]);
  std::string text = line("matrix", matrix);
  text += line("samples", samples_text(made.trajectory));
  const Index length = made.trajectory.readout_length;
  if (made.dwell_us > 0 && length > 0) {
    text += line("readout", fmt::format("{:.4g} ms, a sample every {:g} us",
                                        static_cast<double>(length) * made.dwell_us / 1000, made.dwell_us));
  }
  text += line("largest |k|", largest_k_text(ctx, made.trajectory));
  for (const SamplingGap& gap : made.gaps) text += line("distance", gap_text(gap));
  if (made.gradients) text += line("gradient", gradients_text(ctx, *made.gradients));
  return text;
}

}  // namespace whorl::cli
