// What mends a trajectory or moves the image: gradient delays of radial scans, given or estimated, the motion of the object,
// and the field of view.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/recon/place/k_shift_options.hpp"
#include "whorl/scan/scan.hpp"
#include "whorl/trajectory/gradient_delays.hpp"
#include "whorl/trajectory/gradient_response.hpp"

namespace whorl::cli {

struct PlaceOptions {
  std::string response;  ///< file of the gradients' impulse response; empty: none
  GradientLead lead;     ///< of readouts, for that response
  bool estimate_delays = false;
  std::vector<double> delays;  ///< given; empty: none
  std::string motion;          ///< file of the object's poses; empty: none
  std::string saved_motion;    ///< file to write the poses to; empty: none
  int motion_readouts = 0;     ///< readouts for which a pose is estimated; 0: none
  KShiftOptions k_shift;
  std::vector<double> shift;  ///< of the field of view, in pixels; empty: none
  bool shift_to_header = false;

  /// Whether positions or samples change.
  bool any() const { return needs_data() || !response.empty() || !delays.empty() || k_shift.any(); }
  /// Whether samples are asked for, which processes that share frames do not all have, or changed.
  bool needs_data() const {
    return estimate_delays || !motion.empty() || motion_readouts > 0 || k_shift.needs_data() || !shift.empty() ||
           shift_to_header;
  }
};

/// How they are given on the command line.
inline constexpr const char* delay_form = "X,Y[,XY], in 3D X,Y,Z[,XY,XZ,YZ]";

/// What was undone, as the options take it.
struct UndonePlaces {
  Array<double> poses;           ///< of the object, [pose, 6]; [0, 6]: none
  Array<double> readout_shifts;  ///< of k-space, [readout, dim]; [0, dim]: none
};

/// Delays from numbers in the order of delay_form. Throws ValueError for another count.
GradientDelays delays_from(const std::vector<double>& numbers, int dim);

/// --girf FILE, and --girf-flat and --girf-ramp, which apply with it.
void add_response_options(App& app, std::string& file, GradientLead& lead);

/// --girf, --delays, --motion, --estimate-motion, --save-motion, those of k_shift_options.hpp, and --shift-fov.
void add_place_options(App& app, PlaceOptions& options);

/// Moves the samples of a scan to where the gradients play them, and by their delays, and the center of k-space to 0; undoes motion, then moves the field of view. Estimated delays are those of
/// the first frame of each orientation. Notes say which they are. Throws as read_gradient_response, play_gradients,
/// delays_from, delayed, estimate_delays, apply_k_shift,
/// read_array, object_poses, estimate_motion, undo_motion, shift_to_header and shift_field_of_view.
/// dwell_us: time between samples, in place of the scan's.
UndonePlaces apply_place(const Context& ctx, const PlaceOptions& options, Scan& scan, std::optional<double> dwell_us);

}  // namespace whorl::cli
