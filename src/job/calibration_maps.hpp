// Coil maps of the calibration lines that a file has beside its image.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/job/request.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// Gives a scan, as it is reconstructed, the maps of its calibration scan (read_calibration), for its coils as they were measured, and
/// the request the word that it has maps. Does nothing where maps were given or are of no use, where the caller says what they come
/// from, and without a calibration of each slice. `ctx`: on the host, so that every device has the same maps.
void take_calibration_maps(const Context& ctx, ReconRequest& request, Scan calibration, Scan& scan);

/// Whether it would do something with a calibration of each slice.
bool takes_calibration_maps(const ReconRequest& request, const Scan& scan);

}  // namespace whorl::job
