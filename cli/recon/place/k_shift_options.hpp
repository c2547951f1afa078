// Where the center of k-space lies: for all readouts, or for each of them.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::cli {

struct KShiftOptions {
  bool find = false;           ///< one shift, from the data
  bool find_readouts = false;  ///< that of each readout first, from the data
  std::vector<double> given;   ///< one shift, in cycles per field of view; empty: none
  std::string readouts;        ///< file of the shifts of the readouts; empty: none
  std::string saved;           ///< file to write these to; empty: none

  bool any() const { return needs_data() || !given.empty() || !readouts.empty(); }
  /// Whether the samples say where the center is.
  bool needs_data() const { return find || find_readouts; }
};

/// --readout-shifts alone, for trajectories.
void add_readout_shifts(App& app, std::string& file);

/// --k-shift, --readout-shifts and --save-readout-shifts.
void add_k_shift_options(App& app, KShiftOptions& options);

/// The rows of a file of shifts, [readout, dim or 3]. Throws as read_array, ShapeError (another shape).
std::vector<std::array<double, 3>> read_readout_shifts(const Context& ctx, const std::string& file, int dim);

/// Moves the center of k-space to 0: of each readout, then of all. Returns the shifts of the readouts, [readout, dim] of
/// each trajectory; [0, dim] where none were moved. Throws as read_readout_shifts, estimate_readout_shifts, shift_readouts,
/// k_space_center and shift_k_space.
Array<double> apply_k_shift(const Context& ctx, const KShiftOptions& options, Scan& scan);

}  // namespace whorl::cli
