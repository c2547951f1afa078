// Private: gradient delays of readouts that are no spokes.
#pragma once

#include "whorl/calib/estimate_delays.hpp"

namespace whorl::detail {

/// The delays along the axes, in samples, that make the samples near the center of k-space agree best with an object
/// within the field of view (center_fit.hpp). Throws ValueError where the data leave a standard error above
/// `most_error`.
DelayEstimate estimate_time_delays(const Context& ctx, const Trajectory& trajectory,
                                   ArrayRef<const std::complex<float>> data, const Shape& image, double most_error);

}  // namespace whorl::detail
