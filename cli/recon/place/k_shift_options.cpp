#include "cli/recon/place/k_shift_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/output/file_name.hpp"
#include "whorl/calib/estimate_readout_shifts.hpp"
#include "whorl/core/error.hpp"
#include "whorl/doctor/k_space_center.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/scan/shift_k_space.hpp"

namespace whorl::cli {

namespace {

constexpr const char* trajectory_group = "Trajectory";

using Shifts = std::vector<std::array<double, 3>>;

void take_k_shift(KShiftOptions& options, const std::string& text) {
  options.find_readouts = text == "readouts";
  options.find = options.find_readouts || text == "auto";
  options.given.clear();
  if (options.find) return;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (!is_number(word)) {
      refuse_option("--k-shift", fmt::format("is '{}', expected auto, readouts, or numbers with commas between", text));
    }
    options.given.push_back(std::stod(word));
  }
  if (options.given.size() < 2 || options.given.size() > 3) {
    refuse_option("--k-shift", "takes two or three numbers, auto, or readouts");
  }
}

// Shifts of each trajectory, by the first frame that has it. Where they are no more than noise, they are 0.
Shifts found_shifts(const Context& ctx, Scan& scan) {
  std::vector<const Trajectory*> known;
  Shifts all;
  for (const ScanFrame& frame : scan.frames) {
    if (std::find(known.begin(), known.end(), frame.trajectory.get()) != known.end()) continue;
    known.push_back(frame.trajectory.get());
    ReadoutShifts found = estimate_readout_shifts(ctx, *frame.trajectory, frame.data, scan.image_shape());
    if (found.is_significant && !found.is_borne_out) {
      found.shifts.assign(found.shifts.size(), {});
      scan.notes.push_back(fmt::format(
          "K-space: shifts of the readouts of slice {} were found and not undone: readouts that are left out "
          "are foretold worse with them.",
          frame.index.slice));
    } else if (!found.is_significant) {
      found.shifts.assign(found.shifts.size(), {});
      scan.notes.push_back(
          fmt::format("K-space: the readouts of slice {} agree but for noise (standard error of their shifts {:.2g} "
                      "cycles per field "
                      "of view); none was moved.",
                      frame.index.slice, found.standard_error));
    } else {
      scan.notes.push_back(
          fmt::format("K-space: shifts of {} readouts, estimated from {} samples near its center of slice {}, standard "
                      "error {:.2g} "
                      "cycles per field of view; what contradicts falls from {:.2g} to {:.2g} % of the signal.",
                      found.shifts.size(), found.samples, frame.index.slice, found.standard_error, 100 * found.before,
                      100 * found.after));
    }
    all.insert(all.end(), found.shifts.begin(), found.shifts.end());
  }
  return all;
}

Array<double> rows_of(const Context& ctx, const Shifts& shifts, int dim) {
  Array<double> rows(ctx.host(), {static_cast<Index>(shifts.size()), dim});
  double* to = rows.data();
  for (const auto& shift : shifts) to = std::copy_n(shift.begin(), dim, to);
  return rows;
}

}  // namespace

void add_readout_shifts(App& app, std::string& file) {
  app.add_input(
         "--readout-shifts", file,
         "Where the center of k-space lies in each readout: rows x, y(, z) of this array file (or FILE:NAME), in "
         "cycles per field of view; it is moved to 0")
      ->group(trajectory_group);
}

void add_k_shift_options(App& app, KShiftOptions& options) {
  app.add_list_function(
         "--k-shift",
         {"auto|readouts|X,Y[,Z]", 3,
          [](const std::string& word) { return word == "auto" || word == "readouts" || is_number(word); }},
         [&options](const std::string& text) { take_k_shift(options, text); },
         "Where the center of k-space lies along x, y and z, in cycles per field of view; it is moved to 0; "
         "auto: from the data; readouts: from the data, that of each readout first")
      ->group(trajectory_group);
  add_readout_shifts(app, options.readouts);
  app.get_option("--readout-shifts")->when("shifts that are given, no --k-shift readouts", [&options] {
    return !options.find_readouts;
  });
  app.add_output("--save-readout-shifts", options.saved, array_output(),
                 "Write the shifts of the readouts, [readout, axis], as --readout-shifts takes them")
      ->group(trajectory_group)
      ->when("--k-shift readouts or --readout-shifts",
             [&options] { return options.find_readouts || !options.readouts.empty(); });
}

Shifts read_readout_shifts(const Context& ctx, const std::string& file, int dim) {
  const auto rows = converted<double>(ctx, read_array(ctx, file).values, file);
  if (rows.rank() != 2 || rows.extent(0) == 0 || (rows.extent(1) != dim && rows.extent(1) != 3)) {
    throw ShapeError(fmt::format("'{}': shifts of readouts of shape {}, expected [readout, {}]", file,
                                 to_string(rows.shape()), dim == 2 ? "2 or 3" : "3"));
  }
  Shifts shifts;
  for (Index row = 0; row < rows.extent(0); ++row) {
    std::array<double, 3> shift{};
    std::copy_n(rows.data() + row * rows.extent(1), rows.extent(1), shift.begin());
    shifts.push_back(shift);
  }
  return shifts;
}

Array<double> apply_k_shift(const Context& ctx, const KShiftOptions& options, Scan& scan) {
  Shifts shifts;
  if (!options.readouts.empty()) shifts = read_readout_shifts(ctx, options.readouts, scan.dim());
  if (options.find_readouts) shifts = found_shifts(ctx, scan);
  const auto is_moved = [](const std::array<double, 3>& shift) { return shift != std::array<double, 3>{}; };
  if (std::any_of(shifts.begin(), shifts.end(), is_moved)) shift_readouts(ctx, scan, shifts);
  if (options.find) shift_k_space(ctx, scan, k_space_center(ctx, scan));
  if (!options.given.empty()) {
    shift_k_space(ctx, scan, {options.given[0], options.given[1], options.given.size() > 2 ? options.given[2] : 0});
  }
  return rows_of(ctx, shifts, scan.dim());
}

}  // namespace whorl::cli
