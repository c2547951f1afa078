#include "studies/fmri/field_drift.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace whorl::studies::fmri {

namespace {

constexpr double full_turn = 2 * std::numbers::pi;

}  // namespace

FieldDrift::FieldDrift(const Protocol& protocol) : protocol_(protocol) {
  const double reach = 1.5 / static_cast<double>(protocol.size);
  for (Index i = 0; i < protocol.trajectory.samples(); ++i) {
    const double* k = protocol.trajectory.points.data() + 3 * i;
    if (std::max({std::abs(k[0]), std::abs(k[1]), std::abs(k[2])}) > reach) continue;
    central_.push_back(i);
    time_s_ += protocol.times_s[static_cast<std::size_t>(i)];
  }
  time_s_ /= static_cast<double>(central_.size());
}

double FieldDrift::estimate(ArrayRef<const std::complex<float>> samples) {
  const auto data = samples.view<2>();
  const bool is_first = first_.empty();
  std::complex<double> sum = 0;
  std::size_t next = 0;
  for (Index coil = 0; coil < data.extent(0); ++coil) {
    for (const Index i : central_) {
      if (is_first) {
        first_.push_back(data(coil, i));
      } else {
        sum += std::complex<double>(data(coil, i)) * std::conj(std::complex<double>(first_[next++]));
      }
    }
  }
  if (is_first) return 0;
  const double angle = std::arg(sum);
  angle_ = angle + full_turn * std::round((angle_ - angle) / full_turn);
  return angle_ / (full_turn * time_s_);
}

void FieldDrift::undo(double field_hz, ArrayRef<std::complex<float>> samples) const {
  const auto data = samples.view<2>();
  for (Index i = 0; i < data.extent(1); ++i) {
    const std::complex<float> phase(
        std::polar(1.0, -full_turn * field_hz * protocol_.times_s[static_cast<std::size_t>(i)]));
    for (Index coil = 0; coil < data.extent(0); ++coil) data(coil, i) *= phase;
  }
}

}  // namespace whorl::studies::fmri
