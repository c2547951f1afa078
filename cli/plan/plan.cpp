// whorl plan: what images of a trajectory will be like.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "cli/plan/design.hpp"
#include "cli/plan/plan_report.hpp"
#include "cli/report/recorded_run.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/image_axes.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string trajectory;
  std::string design;
  std::vector<SweptOption> sweep;
  std::string maps;
  std::string covariance;
  std::string snr;
  std::string deviation;
  std::string g_factor;
  std::string point_spread;
  std::string json;
  std::string png;
  OutlookOptions outlook;
  ScanReadOptions read;
  // One for each value of the sweep.
  std::vector<TrajectoryDesign> designs;
};

void check_sources(Options& options) {
  if (options.trajectory.empty() == options.design.empty()) {
    refuse("give one of both, a trajectory (a file) or --design 'radial --matrix 64'");
  }
  if (options.outlook.noise == 0 && options.covariance.empty()) {
    refuse_missing("--noise", "or --noise-covariance FILE");
  }
  if (options.design.empty()) return;
  const std::size_t count = options.sweep.empty() ? 1 : options.sweep.front().values.size();
  for (const SweptOption& swept : options.sweep) {
    if (swept.values.size() == count) continue;
    refuse_option("--sweep", fmt::format("{} has {} values and {} has {}; expected as many, since they go together",
                                         options.sweep.front().name, count, swept.name, swept.values.size()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> words = words_of_line("traj " + options.design);
    for (const SweptOption& swept : options.sweep) {
      words.push_back("--" + swept.name);
      words.push_back(swept.values[i]);
    }
    options.designs.emplace_back(words);
  }
}

std::shared_ptr<const Array<std::complex<float>>> maps_of(const Context& ctx, const std::string& file,
                                                          const std::array<Index, 3>& matrix) {
  auto maps = converted<std::complex<float>>(ctx, read_array(ctx, file).values, file);
  const Shape axes = image_axes(maps.shape(), matrix, file);
  if (axes[0] != 1) {
    throw ShapeError(
        fmt::format("'{}': shape {}, expected coil maps [coil, (z,) y, x]", file, to_string(maps.shape())));
  }
  maps.reshape({axes[1], axes[2], axes[3], axes[4]});
  return std::make_shared<const Array<std::complex<float>>>(std::move(maps));
}

// A place in the sweep: the scan's trajectory and what it is called.
PlannedScan plan_one(const Options& options, std::size_t place, OutlookOptions outlook, const Session& session,
                     Affine& lies) {
  const Scan scan = options.design.empty() ? read_scan(session.ctx, options.trajectory, options.read)
                                           : options.designs[place].make(session);
  if (!options.maps.empty()) outlook.maps = maps_of(session.ctx, options.maps, scan.matrix);
  PlannedScan plan{options.design.empty() ? options.trajectory : options.design, {}, {}};
  for (const SweptOption& swept : options.sweep) plan.swept.emplace_back(swept.name, swept.values[place]);
  plan.outlook = scan_outlook(session.device(), scan, outlook);
  lies = voxel_affine(scan.frames.front().geometry, scan.matrix);
  return plan;
}

void average_to_longest(std::vector<PlannedScan>& plans) {
  double seconds = 0;
  for (const PlannedScan& plan : plans) seconds = std::max(seconds, plan.outlook.pass_seconds);
  for (PlannedScan& plan : plans) average_to(plan.outlook, seconds);
}

void run(const Options& options, const Session& session) {
  OutlookOptions outlook = options.outlook;
  if (!options.covariance.empty()) {
    outlook.covariance = std::make_shared<const Array<std::complex<double>>>(converted<std::complex<double>>(
        session.ctx, read_array(session.ctx, options.covariance).values, options.covariance));
  }
  std::vector<PlannedScan> plans;
  Affine place;
  const std::size_t count = std::max<std::size_t>(1, options.designs.size());
  ProgressStage progress(session.ctx, "plan", static_cast<Index>(count));
  while (plans.size() < count) {
    plans.push_back(plan_one(options, plans.size(), outlook, session, place));
    progress.advance();
  }
  if (!options.sweep.empty() && outlook.scan_seconds == 0) average_to_longest(plans);
  const std::string json = plan_json(plans);
  if (!options.json.empty() && options.json != "-") write_file(options.json, json);
  if (!options.png.empty()) {
    if (options.sweep.empty())
      write_plan_picture(session.ctx, options.png, plans.front().outlook);
    else
      write_sweep_picture(session.ctx, options.png, plans);
  }
  const std::string text = options.sweep.empty() ? plan_text(plans.front()) : plan_table(plans);
  const auto write = [&](const std::string& path, const char* name, auto& values) {
    if (!path.empty()) write_array(session.ctx, path, {name, std::move(values), place});
  };
  ScanOutlook& last = plans.back().outlook;
  write(options.snr, "snr", last.least_squares.snr);
  write(options.deviation, "stddev", last.least_squares.standard_deviation);
  write(options.g_factor, "g_factor", last.g_factor);
  write(options.point_spread, "psf", last.point_spread);
  if (options.json == "-") return print(json);
  if (!session.quiet) print(text);
}

void add_outputs(App& app, Options& options) {
  app.add_output("--snr", options.snr, array_output(), "Write the SNR of least squares in each voxel");
  app.add_output("--stddev", options.deviation, array_output(),
                 "Write the standard deviation of least squares in each voxel");
  app.add_output("--gfactor", options.g_factor, array_output(), "Write the g-factor of least squares in each voxel");
  app.add_output("--psf", options.point_spread, array_output(),
                 "Write the point spread of least squares in the middle, complex");
  app.add_output("--json", options.json, json_output(), "Write the numbers as JSON; -: to standard output");
  app.add_output("--png", options.png, png_output(),
                 "Draw the maps, or of a sweep SNR, g-factor and width over the first option (.png)");
  for (const char* name : {"--snr", "--stddev", "--gfactor", "--psf"}) {
    app.get_option(name)->when("a single plan", [&options] { return options.sweep.empty(); });
  }
}

constexpr const char* examples =
    R"(Noise and resolution of images along a trajectory, by least squares at --lambda and by gridding, before anything is
measured. The object is uniform in the ellipse inscribed in the field of view. Coils are simulated, or --maps of a scan
with the same coils (whorl coils estimate). SNR is |mean| over sqrt(E|noise|^2), that of a magnitude is sqrt(2) larger.

Examples:
  whorl plan spiral.h5 --noise 0.02 --coils 16
                                        SNR, g-factor, point spread, time, memory
  whorl plan spiral.h5 --maps maps.npy --noise-covariance psi.npy --snr snr.nii.gz --png plan.png
                                        measured coils and noise; a map and a picture
  whorl plan --design 'radial --matrix 64 --fov 220 --dwell 4' --sweep spokes=32,64,128 --repetition-time 5 --noise 0.02
                                        a table; all are averaged to the time of the longest
  whorl plan --design 'radial --matrix 64 --dwell 4' --sweep spokes=32,64,128 readout=512,256,128 --noise 0.02
                                        shots against the length of a readout)";

}  // namespace

Command plan_command() {
  return {"plan", "Predict noise, resolution, time and memory of a trajectory before the scan", examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("trajectory", options->trajectory, "Scan, with or without data, that has the trajectory");
            app.add_word("--design", options->design,
                         "Instead of a file: the words of whorl traj, quoted ('radial --matrix 64 --spokes 32')");
            app.add_list_function(
                   "--sweep",
                   {.form = "NAME=VALUE,VALUE[,NAME=VALUE,VALUE]",
                    .is_value = [](const std::string& word) { return !word.starts_with('-'); }},
                   [options](const std::string& list) { options->sweep = swept_options(list); },
                   "Plan the design with each value of one of its options, or with those of several together; each is "
                   "averaged to --scan-time, or to the time of the longest")
                ->needs("--design");
            Option* maps = app.add_input("--maps", options->maps, "Coil maps [coil, (z,) y, x]: FILE or FILE:NAME");
            app.add_input("--noise-covariance", options->covariance,
                          "Covariance E[n n^H] of the coils' noise [coil, coil]: FILE or FILE:NAME");
            add_options(app, options->outlook);
            app.get_option("--noise")->excludes("--noise-covariance");
            app.get_option("--coils")->excludes(maps);
            add_outputs(app, *options);
            add_scan_options(app, options->read, [options] { return options->trajectory; },
                             {.but = {"center", "trajectory-from", "noise-from"}});
            app.callback([options] { check_sources(*options); });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
