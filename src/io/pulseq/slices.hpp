// Slices of a sequence that does not label them.
#pragma once

#include <array>
#include <vector>

#include "io/pulseq/sequence.hpp"

namespace whorl::io::pulseq {

/// Tells slices apart by what the pulses select: the frequency over the gradient is the distance of the slice along that
/// gradient.
class SelectedSlices {
 public:
  /// A pulse excites, with this gradient (Hz/m) at its center.
  void excite(const Pulse& pulse, const std::array<double, 3>& gradient);

  /// The slice of a readout that begins now, counted from 0 in the order of their first readouts.
  int take_readout();

 private:
  /// Offset in m, part per million of the main frequency over the gradient, and the gradient's direction.
  using Place = std::array<double, 5>;

  Place now_{};
  std::vector<Place> seen_;
};

}  // namespace whorl::io::pulseq
