// whorl traj: trajectories of every family, as scans without data.
#include "cli/traj/traj.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "cli/output/run_notes.hpp"
#include "cli/recon/recon_options.hpp"
#include "core/close_words.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/shift_k_space.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/gradient_response_file.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

double TrajImage::in_plane() const { return static_cast<double>(std::max(matrix[0], matrix[1])); }

double TrajImage::largest() const { return static_cast<double>(*std::max_element(matrix.begin(), matrix.end())); }

double TrajImage::pixel_mm(int axes) const {
  const auto pixel = [&](std::size_t axis) { return field_of_view_mm[axis] / static_cast<double>(matrix[axis]); };
  if (!(pixel(0) > 0)) {
    throw ValueError("trajectory: gradients depend on the size of the pixels; give the field of view with --fov");
  }
  for (std::size_t axis = 1; axis < static_cast<std::size_t>(axes); ++axis) {
    // The field of view of people has few digits.
    constexpr double same = 1e-3;
    if (!(std::abs(pixel(axis) / pixel(0) - 1) < same)) {
      throw ValueError(fmt::format(
          "trajectory: gradient limits need pixels of one size, got {:.4g} mm along x and {:.4g} mm along {}; change "
          "--fov or --matrix",
          pixel(0), pixel(axis), "xyz"[axis]));
    }
  }
  return pixel(0);
}

namespace {

struct Options {
  std::vector<Index> matrix;
  std::vector<double> field_of_view_mm;
  double dwell_us = 0;
  std::vector<double> delays;
  Corrections corrections;  // girf and readout shifts
  std::string output;
  std::string plot;
  std::string gradients;
  std::string sequence;
  PulseqShot shot;
};

// Numbers that are left out are as those along x: the matrix by its size, the field of view by that of the pixels.
TrajImage image_of(const Options& options, const TrajFamily& family) {
  TrajImage image;
  image.dwell_us = options.dwell_us;
  const auto given = options.matrix.size();
  const bool volume = given == 3 ? options.matrix[2] > 1 : family.least_dim == 3;
  for (std::size_t axis = 0; axis < (volume ? 3 : 2); ++axis) {
    image.matrix[axis] = options.matrix[axis < given ? axis : 0];
  }
  if (image.dim() < family.least_dim || image.dim() > family.most_dim) {
    throw ValueError(fmt::format("{} trajectory: expected a matrix in {}D, got {}", family.name,
                                 image.dim() < family.least_dim ? family.least_dim : family.most_dim,
                                 fmt::join(options.matrix, " x ")));
  }
  if (options.field_of_view_mm.empty()) return image;
  const double pixel = options.field_of_view_mm[0] / static_cast<double>(image.matrix[0]);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis < options.field_of_view_mm.size()) {
      image.field_of_view_mm[axis] = options.field_of_view_mm[axis];
    } else if (image.matrix[axis] > 1) {
      image.field_of_view_mm[axis] = pixel * static_cast<double>(image.matrix[axis]);
    }
  }
  return image;
}

Scan make_scan(const Context& ctx, MadeTrajectory& made, const TrajImage& image) {
  Scan scan;
  scan.matrix = image.matrix;
  scan.trajectory_kind = made.kind;
  scan.trajectory_unit = "cycles per pixel";
  scan.dwell_us = made.dwell_us;
  ScanFrame frame;
  frame.data = Array<std::complex<float>>(ctx, {0, made.trajectory.samples()});
  frame.geometry.field_of_view_mm = image.field_of_view_mm;
  frame.trajectory = std::make_shared<const Trajectory>(std::move(made.trajectory));
  scan.frames.push_back(std::move(frame));
  return scan;
}

RunRecord make_record(const Session& session, const TrajImage& image, const MadeTrajectory& made) {
  RunRecord record = begin_record(session);
  record.parameters = {{"matrix", fmt::format("{}", fmt::join(image.matrix, " x "))},
                       {"field_of_view_mm", fmt::format("{}", fmt::join(image.field_of_view_mm, " x "))},
                       {"dwell_us", made.dwell_us},
                       {"trajectory_kind", made.kind},
                       {"samples", static_cast<std::int64_t>(made.trajectory.samples())},
                       {"readout_length", static_cast<std::int64_t>(made.trajectory.readout_length)}};
  record.parameters.insert(record.parameters.end(), made.parameters.begin(), made.parameters.end());
  for (const SamplingGap& gap : made.gaps) {
    record.parameters.emplace_back("distance between " + gap.between, gap.gap);
  }
  return record;
}

// The gradients of the image's axes are those of the scanner.
void play(const Context& ctx, const Options& options, const TrajImage& image, MadeTrajectory& made) {
  ReadoutPlay play{.dwell_us = made.dwell_us};
  for (std::size_t axis = 0; axis < 3 && image.field_of_view_mm[axis] > 0; ++axis) {
    play.pixel_mm[axis] = image.field_of_view_mm[axis] / static_cast<double>(image.matrix[axis]);
  }
  const GradientResponse response = read_gradient_response(ctx, options.corrections.response.file);
  made.trajectory = played(ctx, made.trajectory, response, play, options.corrections.lead).trajectory;
  made.parameters.emplace_back("girf", options.corrections.response.file);
  append(made.parameters, parameters_of(options.corrections.lead));
}

MadeTrajectory make_moved(const Context& ctx, const Options& options, const TrajImage& image,
                          const MakeTrajectory& make) {
  MadeTrajectory made = make(ctx, image);
  if (options.corrections.response.given()) play(ctx, options, image, made);
  if (!options.delays.empty()) {
    made.trajectory = delayed(ctx, made.trajectory, delays_from(options.delays, image.dim()));
  }
  const std::string& shifts = options.corrections.readout_shifts.file;
  if (!shifts.empty()) {
    const auto rows = converted<double>(ctx, read_array(ctx, shifts).values, shifts);
    made.trajectory =
        shifted_readouts(ctx, made.trajectory, image.matrix, readout_shifts_from(rows, image.dim(), shifts));
  }
  check_trajectory(ctx, made.trajectory.points);
  return made;
}

void run(const Options& options, const TrajFamily& family, const MakeTrajectory& make, const Session& session) {
  const TrajImage image = image_of(options, family);
  MadeTrajectory made = make_moved(session.ctx, options, image, make);
  const std::string& shifts = options.corrections.readout_shifts.file;
  std::string text = facts_text(session.ctx, made, image);
  RunRecord record = make_record(session, image, made);
  if (!options.delays.empty()) {
    record.parameters.emplace_back("delays", fmt::format("{}", fmt::join(options.delays, ",")));
  }
  if (!shifts.empty()) record.parameters.emplace_back("readout_shifts", shifts);
  if (!options.plot.empty()) plot_trajectory(session.ctx, made, family.name, options.plot);
  if (!options.gradients.empty() && made.gradients) {
    write_gradients(session.ctx, *made.gradients, options.gradients);
  }
  if (!options.sequence.empty() && made.gradients) {
    write_sequence(session.ctx, made, options.shot, image, options.sequence);
    append(record.parameters, parameters_of(options.shot));
  }
  write_scan(session.ctx, make_scan(session.ctx, made, image), options.output);
  write_record(session.ctx, record, record_path(options.output));
  if (session.quiet) return;
  for (const std::string& path : record.outputs) text += fmt::format("wrote {}\n", path);
  print(text);
}

OptionTable<Options> image_table(std::size_t most_dim) {
  constexpr Index most_pixels = 65535;
  return OptionTable<Options>("trajectory")
      .list("matrix", &Options::matrix, 1, most_dim, {Index{1}, most_pixels}, "pixels", "The image to be made")
      .list("fov", &Options::field_of_view_mm, 1, 3, OptionRange{1e-6, 1e9}, "mm",
            "Field of view along x; along y and z too if pixels differ")
      .real("dwell", &Options::dwell_us, OptionRange::at_least(0), "us",
            "Time between samples (0: not known, or 2 with gradient limits)")
      .list("delays", &Options::delays, 2, 6, OptionRange{-100, 100}, "samples",
            "Move the readouts by these delays of the gradients: X,Y[,XY], in 3D X,Y,Z[,XY,XZ,YZ] (those "
            "after a bracket for straight spokes alone)");
}

// Formats of scans take no less.
void check_matrix(const Options& options) {
  for (std::size_t axis = 0; axis < std::min<std::size_t>(2, options.matrix.size()); ++axis) {
    if (options.matrix[axis] < 2) {
      refuse(fmt::format("--matrix is {}, expected 2 pixels or more along {}", fmt::join(options.matrix, ","),
                         "xy"[axis]));
    }
  }
}

void add_image_options(App& app, const TrajFamily& family, Options& options) {
  static const OptionTable<Options> planes = image_table(2);
  static const OptionTable<Options> volumes = image_table(3);
  const char* numbers = family.most_dim == 2    ? "one number for square images, or x y"
                        : family.least_dim == 3 ? "one number for cubes, or x y z"
                                                : "one number for square images, x y, or x y z for volumes";
  add_options(app, options, family.most_dim == 2 ? planes : volumes,
              {.changed = {{.name = "matrix", .summary = fmt::format("The image to be made: {}", numbers)}}});
  app.get_option("--matrix")->required();
  app.callback([&options] { check_matrix(options); });
  add_options(app, options.corrections,
              Shown{.only = {"girf", "girf-flat", "girf-ramp", "readout-shifts"},
                    .changed = {{.name = "readout-shifts", .applies = ""}}});
}

void add_trajectory_outputs(App& app, Options& options) {
  app.add_output("-o,--output", options.output, with_record(scan_output()),
                 fmt::format("Trajectory to write ({}): a scan without data", scan_extensions()))
      ->required();
  app.add_output("--plot", options.plot, png_output(), "Also draw k-space, the first readout and its gradients (.png)");
}

void add_sequence_options(App& app, Options& options) {
  app.add_output("--pulseq", options.sequence, output_ending_in({".seq"}, "the name of a Pulseq sequence"),
                 "Also write a Pulseq sequence that plays it (.seq): a block pulse before each readout");
  add_options(app, options.shot);
  for (const OptionDescriptor& option : option_table<PulseqShot>().descriptors()) {
    app.get_option("--" + option.name)->when("--pulseq", [&options] { return !options.sequence.empty(); });
  }
}

Command family_command(const TrajFamily& family) {
  return {family.name, family.summary, family.text, [family](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            add_image_options(app, family, *options);
            add_trajectory_outputs(app, *options);
            const MakeTrajectory make = family.define(app);
            if (app.has_option("--max-gradient")) {
              Option* gradients = app.add_output("--gradients", options->gradients,
                                                 output_ending_in({".csv", ".npz"}, "the name of gradient waveforms"),
                                                 "Also write the gradient waveforms (.csv or .npz)");
              // The steps of a stack along kz take gradients that are not designed.
              if (!app.has_option("--kz-order")) add_sequence_options(app, *options);
              if (app.has_option("--samples")) {
                const Option* samples = app.get_option("--samples");
                gradients->when(designed_readouts, [samples] { return samples->count() == 0; });
                if (app.has_option("--pulseq")) {
                  app.get_option("--pulseq")->when(designed_readouts, [samples] { return samples->count() == 0; });
                }
              }
            }
            return [options, family, make](const Session& session) { run(*options, family, make, session); };
          }};
}

constexpr const char* text = R"(Every family explains itself: whorl traj FAMILY --help

What comes of it is a scan without data. Positions are in cycles per pixel, |k| <= 0.5.

Examples:
  whorl traj radial --matrix 192 --spokes 89 --order golden -o traj.h5 --plot traj.png
                                        89 golden-angle spokes for an image of 192 x 192
  whorl traj spiral --matrix 192 --fov 220 --arms 16 -o traj.h5 --gradients g.csv
                                        spirals in the least time that the gradients allow
  whorl traj cartesian --matrix 256 192 120 --undersampling poisson --acceleration 4 -o traj.h5
                                        a Poisson-disc mask
Then: whorl info traj.h5)";

std::vector<TrajFamily> families() {
  return {radial_family(),           kooshball_family(), stack_of_stars_family(), spiral_family(),
          stack_of_spirals_family(), rosette_family(),   cones_family(),          twisted_projection_family(),
          density_adapted_family(),  propeller_family(), cartesian_family(),      random_family()};
}

}  // namespace

Command designed_scan_command(const std::string& name, Scan& scan) {
  const std::vector<TrajFamily> all = families();
  std::vector<std::string> names;
  for (const TrajFamily& family : all) {
    if (family.name != name) {
      names.push_back(family.name);
      continue;
    }
    return {family.name, family.summary, family.text, [family, &scan](App& app) -> Run {
              const auto options = std::make_shared<Options>();
              add_image_options(app, family, *options);
              const MakeTrajectory make = family.define(app);
              return [options, family, make, &scan](const Session& session) {
                const TrajImage image = image_of(*options, family);
                MadeTrajectory made = make_moved(session.ctx, *options, image, make);
                scan = make_scan(session.ctx, made, image);
              };
            }};
  }
  refuse(fmt::format("'{}' is no trajectory of whorl traj{}", name, did_you_mean(close_words(name, names))));
}

Command traj_command() {
  Command command{"traj", "Make a trajectory: radial, spiral, cones, PROPELLER, Cartesian and others", text, {}};
  for (const TrajFamily& family : families()) command.subcommands.push_back(family_command(family));
  return command;
}

}  // namespace whorl::cli
