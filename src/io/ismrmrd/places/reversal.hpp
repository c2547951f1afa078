// Lines that run the other way than their flags say.
#pragma once

#include "io/ismrmrd/probe.hpp"

namespace whorl::io {

/// Flags readouts of a Cartesian scan as reversed, or no longer so, where the image shows that every second line, or all of those
/// that are flagged, or those of a contrast, run the other way. Says so in the header.
void settle_reversal(const Context& ctx, Measurement& measurement, const AcquisitionPlan& plan, EncodingHeader& header);

}  // namespace whorl::io
