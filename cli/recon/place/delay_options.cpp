#include "cli/recon/place/delay_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/gradient_response_file.hpp"
#include "whorl/recon/estimate_motion.hpp"
#include "whorl/scan/object_motion.hpp"
#include "whorl/scan/play_gradients.hpp"
#include "whorl/scan/shift_field_of_view.hpp"
#include "whorl/scan/undo_delays.hpp"

namespace whorl::cli {

namespace {

std::vector<double> numbers_in(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (!is_number(word)) refuse_option(option, fmt::format("is '{}', expected numbers with commas between", text));
    numbers.push_back(std::stod(word));
  }
  return numbers;
}

const OptionTable<PlaceOptions>& motion_table() {
  static const OptionTable<PlaceOptions> table =
      OptionTable<PlaceOptions>("motion")
          .group("Trajectory")
          .integer("estimate-motion", &PlaceOptions::motion_readouts, {0, 1000000}, "",
                   "Estimate where the object lies during each group of this many readouts, from the center of "
                   "k-space, and undo it "
                   "(0: no)");
  return table;
}

}  // namespace

GradientDelays delays_from(const std::vector<double>& numbers, int dim) {
  const auto n = numbers.size();
  if (dim == 2 && (n == 2 || n == 3)) return {.x = numbers[0], .y = numbers[1], .xy = n == 3 ? numbers[2] : 0};
  if (dim == 3 && (n == 3 || n == 6)) {
    GradientDelays delays{.x = numbers[0], .y = numbers[1], .z = numbers[2]};
    if (n == 6) std::tie(delays.xy, delays.xz, delays.yz) = std::tie(numbers[3], numbers[4], numbers[5]);
    return delays;
  }
  throw ValueError(fmt::format("gradient delays: {} numbers for an image in {}D, expected {}", n, dim, delay_form));
}

void add_response_options(App& app, std::string& file, GradientLead& lead) {
  app.add_input("--girf", file,
                "Impulse response of the gradients: arrays frequency_hz, response and field of this file (.npz, .h5, "
                ".mat); samples are moved to where it plays them (docs/howto/gradients.md)")
      ->group("Trajectory");
  add_options(app, lead);
  for (const OptionDescriptor& option : option_table<GradientLead>().descriptors()) {
    app.get_option("--" + option.name)->when("--girf", [&file] { return !file.empty(); });
  }
}

void add_place_options(App& app, PlaceOptions& options) {
  add_response_options(app, options.response, options.lead);
  app.add_list_function(
         "--delays",
         {fmt::format("auto|{}", delay_form), 6,
          [](const std::string& word) { return word == "auto" || is_number(word); }},
         [&options](const std::string& text) {
           options.estimate_delays = text == "auto";
           options.delays = options.estimate_delays ? std::vector<double>() : numbers_in("--delays", text);
         },
         "Delays of the gradients in samples of the readout: those by which samples are farther along than nominal "
         "(docs/howto/gradients.md); auto: from the data")
      ->group("Trajectory");

  app.add_input("--motion", options.motion,
                "Undo rigid motion: rows of this array file (or FILE:NAME), one for each readout or for each group of "
                "equally many; in 2D x, y, angle, in 3D x, y, z and the angles about them, in mm and degrees "
                "(docs/howto/gradients.md)")
      ->group("Trajectory");
  add_options(app, options, motion_table());
  app.get_option("--estimate-motion")->excludes("--motion");
  app.add_output("--save-motion", options.saved_motion, array_output(),
                 "Write the poses that were undone, [pose, 6], as --motion takes them")
      ->group("Trajectory")
      ->when("--motion or --estimate-motion",
             [&options] { return !options.motion.empty() || options.motion_readouts > 0; });

  add_k_shift_options(app, options.k_shift);

  app.add_list_function(
         "--shift-fov",
         {"header|X,Y[,Z]", 3, [](const std::string& text) { return text == "header" || is_number(text); }},
         [&options](const std::string& text) {
           options.shift_to_header = text == "header";
           if (options.shift_to_header) return;
           options.shift = numbers_in("--shift-fov", text);
           if (options.shift.size() < 2 || options.shift.size() > 3)
             refuse_option("--shift-fov", "takes two or three numbers");
         },
         "Move the center of the images by this many pixels along x, y and z, for objects off center; header: to the "
         "position of the header, for data about the isocenter")
      ->group("Trajectory");
}

namespace {

void apply_delays(const Context& ctx, const PlaceOptions& options, Scan& scan) {
  if (options.estimate_delays) return undo_estimated_delays(ctx, scan);
  if (options.delays.empty()) return;
  const GradientDelays given = delays_from(options.delays, scan.dim());
  scan.notes.push_back(fmt::format("Gradient delays: {} samples, as given.", text_of(given, scan.dim())));
  undo_delays(ctx, scan, given);
}

std::vector<ObjectPose> apply_motion(const Context& ctx, const PlaceOptions& options, Scan& scan) {
  std::vector<ObjectPose> poses;
  if (!options.motion.empty()) {
    const auto rows = converted<double>(ctx, read_array(ctx, options.motion).values, options.motion);
    poses = object_poses(rows, scan.dim());
  } else if (options.motion_readouts > 0) {
    MotionEstimate found = estimate_motion(ctx, scan, options.motion_readouts);
    scan.notes.push_back(fmt::format(
        "Motion: estimated from images of {:.3g} mm, standard errors of at most {:.2g} mm and {:.2g} degrees.",
        found.resolution_mm, found.standard_error_mm, found.standard_error_degrees));
    poses = std::move(found.poses);
  }
  if (!poses.empty()) undo_motion(ctx, scan, poses);
  return poses;
}

Array<double> rows_of(const Context& ctx, const std::vector<ObjectPose>& poses) {
  Array<double> rows(ctx.host(), {static_cast<Index>(poses.size()), 6});
  double* to = rows.data();
  for (const ObjectPose& pose : poses) {
    to = std::copy(pose.shift_mm.begin(), pose.shift_mm.end(), to);
    to = std::copy(pose.rotation_degrees.begin(), pose.rotation_degrees.end(), to);
  }
  return rows;
}

}  // namespace

UndonePlaces apply_place(const Context& ctx, const PlaceOptions& options, Scan& scan, std::optional<double> dwell_us) {
  if (!options.response.empty()) {
    play_gradients(ctx, scan, read_gradient_response(ctx, options.response), dwell_us, options.lead);
  }
  apply_delays(ctx, options, scan);
  Array<double> shifts = apply_k_shift(ctx, options.k_shift, scan);
  Array<double> poses = rows_of(ctx, apply_motion(ctx, options, scan));
  if (options.shift_to_header) shift_to_header(scan);
  if (!options.shift.empty()) {
    shift_field_of_view(scan, {options.shift[0], options.shift[1], options.shift.size() > 2 ? options.shift[2] : 0});
  }
  return {std::move(poses), std::move(shifts)};
}

}  // namespace whorl::cli
