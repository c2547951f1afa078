// Coil maps of the calibration lines that a file has beside its image.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/job/request.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// Whether the maps of a calibration scan have a use: no maps were given, and the caller does not say what they come from.
bool takes_calibration_maps(const ReconRequest& request, const Scan& scan);

/// Gives such a scan, as it is reconstructed, the maps of its calibration scan (read_calibration), for its coils as they were
/// measured, and the request the word that it has maps. Does nothing without a calibration of each slice. `ctx`: on the host, so
/// that every device has the same maps.
void take_calibration_maps(const Context& ctx, ReconRequest& request, Scan calibration, Scan& scan);

}  // namespace whorl::job
