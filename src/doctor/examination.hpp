// Private: a scan under examination, and what several checks ask of it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "correct/center_fit.hpp"
#include "whorl/doctor/examine.hpp"

namespace whorl::doctor {

/// The place of a sample in cycles per field of view.
using Place = std::function<std::array<double, 3>(Index sample)>;

class Examination {
 public:
  explicit Examination(Scan scan) : scan_(std::move(scan)) {}

  const Scan& scan() const { return scan_; }
  Scan take() { return std::move(scan_); }
  /// The first frame, by which the trajectory is judged.
  const ScanFrame& frame() const { return scan_.frames.front(); }
  Index readout_length() const { return frame().trajectory->readout_length; }

  /// Changes the scan; what was found out about it is forgotten.
  void apply(const Context& ctx, const Finding& finding);

  /// The place that a trajectory gives a sample, and that of the first frame.
  std::array<double, 3> place_in(const Trajectory& trajectory, Index sample) const;
  std::array<double, 3> nominal(Index sample) const { return place_in(*frame().trajectory, sample); }
  /// The samples that `place` puts within a radius, at most 3000, evenly chosen.
  std::vector<Index> samples_within(const Place& place, double radius) const;
  /// Places and values of samples; the values are those of up to three virtual coils.
  detail::CenterSamples center_samples(const Context& ctx, const std::vector<Index>& samples, const Place& place);
  /// The fit of the samples that `place` puts near the center.
  detail::CenterFit fit(const Context& ctx, const Place& place);
  /// The fit as the trajectory stands.
  const detail::CenterFit& nominal_fit(const Context& ctx);

  /// Standard deviation of the noise of the samples near the center over their root mean square; 0: not known.
  double relative_noise(const Context& ctx);
  /// Variance of each coil's noise from the data of the first frame (noise_level.hpp), or from the noise scan; 0: not
  /// known.
  const std::vector<double>& noise_power(const Context& ctx);
  /// The virtual coils: [coil, virtual coil].
  const detail::Matrix<double>& virtual_coils(const Context& ctx);

  /// Whether a fit with this residual leaves noise, or 2 % of the signal.
  bool is_consistent(const Context& ctx, double residual);
  /// Whether a change of the residual explains what is wrong: the square falls to a quarter; or it falls to that of the
  /// noise, and by so much that chance does not do it.
  bool explains(const Context& ctx, double before, const detail::CenterFit& after);

  std::vector<std::string> undecided;

 private:
  Scan scan_;
  std::optional<detail::CenterFit> nominal_fit_;
  std::optional<std::vector<double>> noise_power_;
  std::optional<detail::Matrix<double>> virtual_coils_;
};

/// 1 - (after / before)^2: the part of the contradiction that a change explains.
double explained(double before, double after);

}  // namespace whorl::doctor
