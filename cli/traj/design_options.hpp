// Options of the families whose readouts are designed under gradient limits.
#pragma once

#include "cli/options/table_options.hpp"
#include "cli/traj/traj.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl::cli {

/// Adds the options of a design, for a nucleus that is the default: --max-gradient, --max-slew, --nucleus, --raster and
/// --rewind. Behind --samples, which leaves nothing to design, if the family has it.
void add_design_options(App& app, DesignOptions& design, const std::string& nucleus);

/// The design for an image; a dwell time that was not given is 2 us. `axes`: along which pixels must be as long as
/// along x.
DesignOptions design_for(DesignOptions design, const TrajImage& image, int axes);

/// Takes over trajectory, waveforms and dwell time, and puts the limits among the parameters.
void take_design(MadeTrajectory& made, DesignedTrajectory&& found, const DesignOptions& design);

}  // namespace whorl::cli
