// Lines that run the other way than their flags say.
#pragma once

#include "io/ismrmrd/probe.hpp"

namespace whorl::io {

/// Flags readouts of a Cartesian scan as reversed, or no longer so, and says so in the header. The image shows that every second line,
/// all of those that are flagged, or those of a contrast run the other way.
void settle_reversal(const Context& ctx, Measurement& measurement, const AcquisitionPlan& plan, EncodingHeader& header);

}  // namespace whorl::io
