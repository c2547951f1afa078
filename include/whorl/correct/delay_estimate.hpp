// Estimate of gradient delays.
#pragma once

#include <complex>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/correct/gradient_delays.hpp"

namespace WHORL_PUBLIC whorl {

/// One frame of a scan.
struct DelayFrame {
  const Trajectory* trajectory = nullptr;
  ArrayRef<const std::complex<float>> data;  ///< [coil, sample] on the host
};

struct DelayEstimate {
  GradientDelays delays;
  double standard_error =
      0;              ///< the largest of the delays', in samples: from what the fit leaves of the data, or from the
                      ///< scatter between parts of the data, whichever is larger
  Index samples = 0;  ///< that were used, near the center of k-space
  double before = 0;  ///< |y - predicted| / |y| near the center without the delays: each readout by the others
  double after = 0;   ///< and with them
  bool is_significant = true;  ///< whether one is above 0.01 samples and twice the standard error; else all are noise
  std::string doubt{};         ///< why they should not be applied; empty: they hold
};

}  // namespace whorl
