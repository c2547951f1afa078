#include "io/pulseq/pulses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string_view>

#include "whorl/core/error.hpp"

namespace whorl::io::pulseq {

namespace {

/// The middle of what is as high as the peak.
double center_of(const std::vector<double>& magnitude, const std::vector<double>& times) {
  double peak = 0;
  for (const double value : magnitude) peak = std::max(peak, std::abs(value));
  constexpr double alike = 0.99999;
  const auto is_high = [&](double value) { return std::abs(value) >= alike * peak; };
  const auto first = std::find_if(magnitude.begin(), magnitude.end(), is_high) - magnitude.begin();
  const auto last = std::find_if(magnitude.rbegin(), magnitude.rend(), is_high).base() - magnitude.begin() - 1;
  return (times[static_cast<std::size_t>(first)] + times[static_cast<std::size_t>(last)]) / 2;
}

}  // namespace

std::optional<PulseTime> PulseTimes::get(Id id) {
  const auto found = known_.find(id);
  if (found != known_.end()) return found->second;
  return known_.emplace(id, make(id, event_of(*sequence_, sequence_->pulses, id, "RF pulse"))).first->second;
}
double PulseTimes::duration(Id id) const {
  const Pulse& pulse = event_of(*sequence_, sequence_->pulses, id, "RF pulse");
  return pulse.delay + static_cast<double>(shapes_->get(pulse.magnitude).size()) * sequence_->pulse_raster;
}

std::optional<PulseTime> PulseTimes::make(Id id, const Pulse& pulse) {
  const std::string_view excites = "eu";
  if (pulse.use != 0) {
    if (excites.find(pulse.use) == std::string_view::npos && pulse.use != 'r') return std::nullopt;
    return PulseTime{pulse.use == 'r', pulse.delay + pulse.center};
  }
  ++guessed_;
  const std::vector<double>& magnitude = shapes_->get(pulse.magnitude);
  const std::vector<double> times = times_of(id, pulse, magnitude.size());
  if (magnitude.empty()) return std::nullopt;
  // Pulseq's own rule: what turns by up to 90 degrees excites, but for rounding.
  constexpr double most_degrees = 90.01;
  return PulseTime{flip_angle(id, pulse, magnitude, times) > most_degrees, pulse.delay + center_of(magnitude, times)};
}

std::vector<double> PulseTimes::times_of(Id id, const Pulse& pulse, std::size_t count) {
  std::vector<double> times(count);
  if (pulse.time > 0) {
    times = shapes_->get(pulse.time);
    if (times.size() != count) {
      throw IoError(
          fmt::format("'{}': RF pulse {}: {} values, but {} times", sequence_->source, id, count, times.size()));
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) times[i] = static_cast<double>(i) + 0.5;
  }
  for (double& time : times) time *= sequence_->pulse_raster;
  return times;
}

double PulseTimes::flip_angle(Id id, const Pulse& pulse, const std::vector<double>& magnitude,
                              const std::vector<double>& times) {
  std::vector<double> phase(magnitude.size(), 0.0);
  if (pulse.phase > 0) phase = shapes_->get(pulse.phase);
  if (phase.size() != magnitude.size()) {
    throw IoError(fmt::format("'{}': RF pulse {}: {} magnitudes, but {} phases", sequence_->source, id,
                              magnitude.size(), phase.size()));
  }
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i + 1 < magnitude.size(); ++i) {
    sum += (times[i + 1] - times[i]) * std::polar(magnitude[i], 2 * std::numbers::pi * phase[i]);
  }
  return 360 * std::abs(pulse.amplitude_hz * sum);
}

}  // namespace whorl::io::pulseq
