// Options of the families whose readouts are designed under gradient limits.
#pragma once

#include "cli/traj/traj.hpp"

namespace whorl::cli {

struct DesignFlags {
  double max_gradient = 40;
  double max_slew = 150;
  double gamma_mhz_per_t = 42.577;
  double raster_us = 10;
  bool rewind = false;
};

/// Adds --max-gradient, --max-slew, --nucleus, --raster and --rewind.
void add_design_options(App& app, DesignFlags& flags, const std::string& nucleus);

/// The options of a design for an image; a dwell time that was not given is 2 us. `axes`: along which pixels must be
/// as long as along x.
DesignOptions design_options(const DesignFlags& flags, const TrajImage& image, int axes);

/// Takes over trajectory, waveforms and dwell time, and puts the limits among the parameters.
void take_design(MadeTrajectory& made, DesignedTrajectory&& design, const DesignFlags& flags);

}  // namespace whorl::cli
