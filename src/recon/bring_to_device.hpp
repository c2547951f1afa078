// A scan where the context's device reads it.
#pragma once

#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Brings the data of all frames, the noise and the maps to the context's device, once; nothing moves where they lie
/// there already. Trajectories and weights stay on the host: whoever plans with them takes them along.
void bring_to_device(const Context& ctx, Scan& scan);

}  // namespace whorl::recon
