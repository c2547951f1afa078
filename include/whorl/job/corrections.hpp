// Corrections that make the samples of a scan agree with the model before its reconstruction: positions by the gradients' response, delays,
// the center of k-space, the motion of the object; and where the field of view lies.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/option_table.hpp"
#include "whorl/correct/gradient_delays.hpp"
#include "whorl/correct/gradient_response.hpp"
#include "whorl/job/file_or.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

struct Corrections {
  FileOr<GradientResponse> response;  ///< impulse response of the gradients
  GradientLead lead;                  ///< of readouts, for that response

  bool find_delays = false;    ///< of the gradients, from the data
  std::vector<double> delays;  ///< given, in samples; empty: none

  FileOr<Array<double>> motion;  ///< poses of the object, as object_poses takes them
  int motion_readouts = 0;       ///< readouts for which a pose is estimated; 0: none

  bool find_k_shift = false;             ///< one shift of k-space, from the data
  bool find_readout_shifts = false;      ///< that of each readout first, from the data
  std::vector<double> k_shift;           ///< one shift, in cycles per field of view; empty: none
  FileOr<Array<double>> readout_shifts;  ///< of the readouts, [readout, dim or 3]

  std::vector<double> fov_shift;  ///< of the field of view, in pixels; empty: none
  bool fov_to_header = false;     ///< to the position that the header says

  /// Whether positions or samples change.
  bool any() const;
  /// Whether samples are asked for, which processes that share frames do not all have, or changed.
  bool needs_data() const;
};

template <>
WHORL_PUBLIC const OptionTable<Corrections>& option_table<Corrections>();

/// Form in which delays are given.
inline constexpr const char* delay_form = "X,Y[,XY], in 3D X,Y,Z[,XY,XZ,YZ]";

/// Delays from numbers in the order of delay_form. Throws ValueError for another count.
GradientDelays delays_from(const std::vector<double>& numbers, int dim);

/// Shifts of readouts from rows [readout, dim or 3], which `source` has. Throws ShapeError (another shape).
std::vector<std::array<double, 3>> readout_shifts_from(ArrayRef<const double> rows, int dim, const std::string& source);

/// Corrections that were made, in the form of Corrections.
struct Corrected {
  Array<double> poses;           ///< of the object, [pose, 6]; [0, 6]: none
  Array<double> readout_shifts;  ///< of k-space, [readout, dim] of each trajectory; [0, dim]: none
};

/// Moves the samples of a scan to where the gradients play them, then by their delays, and the center of k-space to 0; undoes
/// motion, then moves the field of view. Delays are estimated for each orientation, shifts of readouts for each trajectory.
/// Notes say what was done. `dwell_us`: time between samples, in place of the scan's.
///
/// Throws  as read_gradient_response, read_array, play_gradients, delays_from, delayed, estimate_delays,
///         estimate_readout_shifts, shift_readouts, k_space_center, shift_k_space, object_poses, estimate_motion,
///         undo_motion, shift_to_header and shift_field_of_view
Corrected correct(const Context& ctx, const Corrections& wanted, Scan& scan, std::optional<double> dwell_us);

}  // namespace whorl
