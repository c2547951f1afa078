// Private: gradient delays of spokes.
#pragma once

#include "correct/delays/readout_part.hpp"
#include "whorl/correct/delay_estimate.hpp"

namespace whorl::detail {

/// Where the steps of Gauss-Newton begin: at the places of the largest energy along the spokes, or at delays of 0.
enum class DelayStart { energy, none };

/// estimate_delays for the spokes of a part, with the standard error that the fit gives.
DelayEstimate estimate_spoke_delays(const Context& ctx, const DelayFrame& frame, const Shape& image,
                                    const ReadoutPart& part, DelayStart start);

}  // namespace whorl::detail
