#include "io/pulseq/slices.hpp"

#include <algorithm>
#include <cmath>

namespace whorl::io::pulseq {

void SelectedSlices::excite(const Pulse& pulse, const std::array<double, 3>& gradient) {
  const double strength = std::hypot(gradient[0], gradient[1], gradient[2]);
  now_ = {};
  // Without a frequency of its own a pulse selects the middle, whatever its gradient.
  if (!(strength > 0) || (pulse.frequency_hz == 0 && pulse.frequency_ppm == 0)) return;
  now_ = {pulse.frequency_hz / strength, pulse.frequency_ppm / strength, gradient[0] / strength, gradient[1] / strength,
          gradient[2] / strength};
}

int SelectedSlices::take_readout() {
  // Files round frequencies and gradients to six digits; slices are 0.1 mm apart at least.
  constexpr double meters = 1e-5;
  constexpr double direction = 1e-3;
  const auto same = [&](const Place& other) {
    // A reversed gradient selects the same slice by the opposite offset, as the halves of a half pulse do.
    const double sign = other[2] * now_[2] + other[3] * now_[3] + other[4] * now_[4] < 0 ? -1 : 1;
    const auto differ_by = [&](std::size_t i) { return std::abs(other[i] - sign * now_[i]); };
    // Offsets in parts per million count as such: 1 ppm is about 100 Hz.
    return differ_by(0) < meters && differ_by(1) < meters / 100 && differ_by(2) < direction &&
           differ_by(3) < direction && differ_by(4) < direction;
  };
  const auto found = std::find_if(seen_.begin(), seen_.end(), same);
  if (found != seen_.end()) return static_cast<int>(found - seen_.begin());
  seen_.push_back(now_);
  return static_cast<int>(seen_.size()) - 1;
}

}  // namespace whorl::io::pulseq
