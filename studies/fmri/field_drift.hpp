// Drift of the field from volume to volume, which the phase at the center of k-space shows.
#pragma once

#include <complex>
#include <vector>

#include "studies/fmri/scan.hpp"

namespace whorl::studies::fmri {

/// The field of each volume against the first, in Hz: the angle of sum d conj(d_first) over the samples of all coils within a cycle
/// and a half of the center, over 2 pi times their mean time from the excitation. An angle is taken nearest to that of the volume
/// before, so that a step of up to 1 / (2 echo time) is found. Motion turns samples at k and -k to both sides.
class FieldDrift {
 public:
  explicit FieldDrift(const Protocol& protocol);

  /// The first call takes the reference, and gives 0.
  double estimate(ArrayRef<const std::complex<float>> samples);
  /// Turns the samples back.
  void undo(double field_hz, ArrayRef<std::complex<float>> samples) const;

 private:
  const Protocol& protocol_;
  std::vector<Index> central_;
  double time_s_ = 0;  // mean of the central samples
  std::vector<std::complex<float>> first_;
  double angle_ = 0;
};

}  // namespace whorl::studies::fmri
