#include "whorl/correct/estimate_delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "correct/delays/readout_prediction.hpp"
#include "correct/delays/spoke_delays.hpp"
#include "correct/delays/time_delays.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using detail::ReadoutPart;

constexpr double most_delay = 3;          // samples: beyond, no test has been made
constexpr double most_delay_error = 0.1;  // samples
constexpr double most_time_error = 0.25;  // of readouts that are no spokes, whose samples lie closer near the center
constexpr Index readout_groups = 4;       // of readouts, each of which is left out in turn
constexpr double suspicious = 1;          // samples: larger delays are compared with those found from 0 on
constexpr double no_change = 0.01;        // samples: what leaves the data as they are
constexpr double sure_errors = 2;         // standard errors

constexpr std::array delay_members{&GradientDelays::x,  &GradientDelays::y,  &GradientDelays::z,
                                   &GradientDelays::xy, &GradientDelays::xz, &GradientDelays::yz};

double largest_delay(const GradientDelays& d) {
  double most = 0;
  for (const auto member : delay_members) most = std::max(most, std::abs(d.*member));
  return most;
}

void check_delay_frame(const DelayFrame& frame, const Shape& image) {
  const Trajectory& trajectory = *frame.trajectory;
  const ArrayRef<const std::complex<float>>& data = frame.data;
  if (data.rank() != 2 || data.extent(0) < 1 || data.extent(1) != trajectory.samples() ||
      image.rank() != trajectory.dim()) {
    throw ShapeError(
        fmt::format("gradient delays: data {} and an image {} for {} samples in {} dimensions; expected "
                    "[coil, sample] and as many axes",
                    to_string(data.shape()), to_string(image), trajectory.samples(), trajectory.dim()));
  }
  const auto is_signal = [](const std::complex<float>& value) { return std::abs(value) > 0; };
  if (std::none_of(data.span().begin(), data.span().end(), is_signal)) {
    throw ValueError("gradient delays: all data is zero");
  }
}

// How well the frames predict their own readouts.
class Predictions {
 public:
  Predictions(std::span<const DelayFrame> frames, const Shape& image) : frames_(frames) {
    for (const DelayFrame& frame : frames) {
      all_.emplace_back(frame, image);
      energy_ += all_.back().energy();
    }
  }

  // |y - predicted| / |y| with these delays; none: too few samples near the center.
  std::optional<double> left(const Context& ctx, const GradientDelays& delays) const {
    if (energy_ == 0) return {};
    double square = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].is_known()) square += all_[i].left(ctx, delayed(ctx, *frames_[i].trajectory, delays));
    }
    return std::sqrt(square / energy_);
  }

 private:
  std::span<const DelayFrame> frames_;
  std::vector<detail::ReadoutPrediction> all_;
  double energy_ = 0;
};

// The steps may end in a wrong minimum far away. That from delays of 0 is taken where readouts predict each other better so.
DelayEstimate estimate_part(const Context& ctx, const DelayFrame& frame, const Shape& image, const ReadoutPart& part) {
  if (frame.trajectory->readout_length >= 2 && !has_spokes(*frame.trajectory)) {
    return detail::estimate_time_delays(ctx, frame, image, part);
  }
  DelayEstimate found;
  try {
    found = detail::estimate_spoke_delays(ctx, frame, image, part, detail::DelayStart::energy);
    if (largest_delay(found.delays) <= suspicious) return found;
  } catch (const ValueError&) {
    return detail::estimate_spoke_delays(ctx, frame, image, part, detail::DelayStart::none);
  }
  try {
    DelayEstimate other = detail::estimate_spoke_delays(ctx, frame, image, part, detail::DelayStart::none);
    const Predictions predictions({&frame, 1}, image);
    const std::optional<double> left = predictions.left(ctx, found.delays);
    const std::optional<double> left_by_other = predictions.left(ctx, other.delays);
    return left && left_by_other && *left_by_other < *left ? other : found;
  } catch (const ValueError&) {
    return found;  // there is no such minimum
  }
}

// Frames, or for a single one its readouts without each group in turn (jackknife).
std::vector<DelayEstimate> estimate_parts(const Context& ctx, std::span<const DelayFrame> frames, const Shape& image) {
  std::vector<DelayEstimate> parts;
  if (frames.size() > 1) {
    for (const DelayFrame& frame : frames) parts.push_back(estimate_part(ctx, frame, image, {}));
    return parts;
  }
  const Trajectory& trajectory = *frames.front().trajectory;
  const Index readouts = trajectory.readout_length > 0 ? trajectory.samples() / trajectory.readout_length : 0;
  if (readouts < readout_groups) return parts;
  for (Index g = 0; g < readout_groups; ++g)
    parts.push_back(estimate_part(ctx, frames.front(), image, {readout_groups, g}));
  return parts;
}

// The largest standard error of the delays that the parts scatter by: of their mean for frames; for a jackknife the
// deviations are those of means that share all but one group.
double scatter_of_parts(const std::vector<DelayEstimate>& parts, bool is_jackknife) {
  const auto count = static_cast<double>(parts.size());
  double most = 0;
  for (const auto member : delay_members) {
    double sum = 0;
    for (const DelayEstimate& part : parts) sum += part.delays.*member;
    double square = 0;
    for (const DelayEstimate& part : parts) square += std::pow(part.delays.*member - sum / count, 2);
    most = std::max(most, square * (is_jackknife ? (count - 1) / count : 1 / (count * (count - 1))));
  }
  return std::sqrt(most);
}

void check_fit(const DelayEstimate& estimate) {
  if (estimate.standard_error <= most_delay_error) return;
  throw ValueError(
      fmt::format("gradient delays: the data leave them uncertain by {:.2f} samples, expected {} at most; give the "
                  "delays, or take more readouts",
                  estimate.standard_error, most_delay_error));
}

std::string doubt_about(const DelayEstimate& estimate, double limit) {
  const double most = largest_delay(estimate.delays);
  if (most > most_delay) {
    return fmt::format("{:.2f} samples, and more than {} were never tested", most, most_delay);
  }
  if (std::isinf(estimate.standard_error)) return "parts of the data do not determine them";
  if (!(estimate.standard_error <= limit)) {
    return fmt::format("parts of the data leave them uncertain by {:.2g} samples, expected {} at most",
                       estimate.standard_error, limit);
  }
  if (most > no_change && estimate.after >= estimate.before) {
    return fmt::format("readouts predict each other worse with them (to {:.3g} of the signal, without to {:.3g})",
                       estimate.after, estimate.before);
  }
  return {};
}

}  // namespace

DelayEstimate estimate_delays(const Context& ctx, std::span<const DelayFrame> frames, const Shape& image) {
  if (frames.empty()) throw ValueError("gradient delays: no frames, expected one or more");
  for (const DelayFrame& frame : frames) check_delay_frame(frame, image);
  const bool is_single = frames.size() == 1;
  DelayEstimate estimate;
  if (is_single) estimate = estimate_part(ctx, frames.front(), image, {});
  check_fit(estimate);
  std::vector<DelayEstimate> parts;
  try {
    parts = estimate_parts(ctx, frames, image);
  } catch (const ValueError&) {
    if (!is_single) throw;
    estimate.standard_error = std::numeric_limits<double>::infinity();
  }
  if (!is_single) {
    for (const DelayEstimate& part : parts) {
      for (const auto member : delay_members) {
        estimate.delays.*member += part.delays.*member / static_cast<double>(parts.size());
      }
      estimate.standard_error += std::pow(part.standard_error / static_cast<double>(parts.size()), 2);
      estimate.samples += part.samples;
    }
    estimate.standard_error = std::sqrt(estimate.standard_error);
    check_fit(estimate);
  }
  if (parts.size() > 1) estimate.standard_error = std::max(estimate.standard_error, scatter_of_parts(parts, is_single));
  const Predictions predictions(frames, image);
  estimate.before = predictions.left(ctx, {}).value_or(0);
  estimate.after = predictions.left(ctx, estimate.delays).value_or(0);
  const double most = largest_delay(estimate.delays);
  estimate.is_significant = most > std::max(no_change, sure_errors * estimate.standard_error);
  const bool are_spokes = has_spokes(*frames.front().trajectory);
  estimate.doubt = doubt_about(estimate, are_spokes ? most_delay_error : most_time_error);
  return estimate;
}

DelayEstimate estimate_delays(const Context& ctx, const Trajectory& trajectory,
                              ArrayRef<const std::complex<float>> data, const Shape& image) {
  const DelayFrame frame{&trajectory, data};
  return estimate_delays(ctx, {&frame, 1}, image);
}

}  // namespace whorl
