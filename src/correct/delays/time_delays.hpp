// Private: gradient delays of readouts that are no spokes.
#pragma once

#include "correct/delays/readout_part.hpp"
#include "whorl/correct/delay_estimate.hpp"

namespace whorl::detail {

/// estimate_delays for other readouts of a part, with the standard error that the fit gives.
DelayEstimate estimate_time_delays(const Context& ctx, const DelayFrame& frame, const Shape& image,
                                   const ReadoutPart& part);

}  // namespace whorl::detail
