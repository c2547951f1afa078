#include "cli/phantom/phantom_options.hpp"

#include <algorithm>
#include <array>

#include "cli/options/scan_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/image_type.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

bool is_beating(const PhantomOptions& options) { return options.name == "beating"; }
bool is_t2(const PhantomOptions& options) { return options.name == "t2"; }

namespace {

const OptionTable<PhantomOptions>& phantom_table() {
  using Phantom = PhantomOptions;
  static const OptionTable<Phantom> table =
      OptionTable<Phantom>("phantom")
          .list("matrix", &Phantom::matrix, 2, 3, OptionRange::at_least(1), "pixels",
                "The images, where there is no trajectory: x y, or x y z in 3D")
          .list("fov", &Phantom::field_of_view_mm, 2, 3, OptionRange{1e-6, 1e9}, "mm",
                "Field of view: x y, or x y z (default: the trajectory's, or 1 mm a pixel)")

          .group("The phantom")
          .text("contrast", &Phantom::contrast, "Modified, or as in the paper (tissues differ by 1 %)",
                {"modified", "standard"})
          .when("shepp-logan", [](const Phantom& options) { return options.name == "shepp-logan"; })
          .list("line-widths", &Phantom::line_widths, 1, 0, OptionRange::more_than(0), "",
                "Widths of the bars and rods (default: of 1, 1.5, 2 and 3 pixels those that fit)")
          .when("resolution", [](const Phantom& options) { return options.name == "resolution"; })
          .text("line-unit", &Phantom::line_unit, "Unit of the widths", {"pixel", "mm"})
          .when("--line-widths", [](const Phantom& options) { return !options.line_widths.empty(); })

          .group("The measurement")
          .integer("coils", &Phantom::coils, {0, 1024}, "",
                   "Receive coils: a ring of loops around the object, by Biot and Savart. The mean of sum |s|^2 is 1 "
                   "over the disk (3D: cylinder along z) that fits into the field of view; the corners beyond do not "
                   "count. 0: one channel that sees everything alike")
          .real("noise", &Phantom::noise, {0, 1e30}, "",
                "Standard deviation sqrt(E|n|^2) of the complex noise of each sample and coil, in the unit of the "
                "object (white matter, or the skull of shepp-logan, is 1): a fully sampled Cartesian image of one "
                "coil has this noise in each pixel")
          .real("snr", &Phantom::snr, {1e-30, 1e30}, "",
                "Set --noise to mean/SNR, with the mean of the object over the pixels that it fills")
          .real("noise-correlation", &Phantom::noise_correlation, {0, 0.9999}, "",
                "Correlation R of the noise of neighboring coils of the ring. Coils that are d places apart, by the "
                "shorter way around, have R^d")
          .integer("noise-samples", &Phantom::noise_samples, {0, 1 << 28}, "",
                   "Samples of the noise scan, written where there is noise; 0: none")
          .integer(
              "evolve", &Phantom::evolve, {0, 16}, "points",
              "Let the signal evolve during the readout by the phantom's field and R2* (those of --field-map and "
              "--r2star-map), at the times of the trajectory's samples: sums over this many points along each axis "
              "of a pixel, 2 or 3 for most. 0: no evolution")
          .real("echo-time", &Phantom::echo_time_ms, {-1e6, 1e6}, "ms",
                "Time from the excitation to time 0 of the readout, for which the signal evolves before it")
          .when("--evolve above 0", [](const Phantom& options) { return options.evolve > 0; })
          .list("echo-times", &Phantom::echo_times_ms, 1, 0, {0, 1e6}, "ms",
                "Measure an echo at each of these times after the excitation: contrasts of one scan, by the phantom's "
                "field and R2* (--evolve, 2 points unless it is given), or of t2 by its T2")
          .integer("seed", &Phantom::seed, {}, "",
                   "Seed of the noise; the same seed gives the same noise on any machine")

          .group("Motion")
          .list(
              "drift", &Phantom::drift, 3, 6, OptionRange{-1e6, 1e6}, "",
              "Move the object evenly from rest at the first readout to this pose at the last: x, y in mm and an angle "
              "in degrees from x toward y, or x, y, z and the angles about x, y and z")
          .real("readout-interval", &Phantom::readout_interval_ms, OptionRange::at_least(0), "ms",
                "Time from one readout to the next (0: as the trajectory says)")
          .when("beating", &is_beating);
  return table;
}

void add_measurement_options(App& app, PhantomOptions& options, const Option* output) {
  app.add_input("--noise-covariance", options.noise_covariance,
                "File (or FILE:NAME) with the covariance E[n_a conj(n_b)] of the noise, coils x coils; with --noise or "
                "--snr scaled to that standard deviation, root-mean-square over the coils")
      ->needs(output)
      ->group("The measurement");
  app.get_option("--noise")->needs(output);
  app.get_option("--snr")->excludes("--noise")->needs(output);
  app.get_option("--evolve")->needs(output);
  app.get_option("--echo-times")->needs(output)->excludes("--echo-time");
  app.get_option("--noise-correlation")->excludes("--noise-covariance")->needs(output);
}

void add_motion_options(App& app, PhantomOptions& options, Option* output) {
  const char* group = "Motion";
  app.add_input("--motion", options.motion,
                "Move the object as the rows [pose, 3 or 6] of this array say, as whorl recon --motion takes them")
      ->needs(output)
      ->group(group);
  app.add_output("--save-motion", options.poses, array_output(), "Write the poses of --drift, as --motion takes them")
      ->needs("--drift")
      ->group(group);
  app.get_option("--drift")->excludes("--motion")->needs(output);
  for (const char* name : {"--drift", "--motion"}) {
    app.get_option(name)->when("an object that rests otherwise", [&options] {
      return options.evolve == 0 && options.echo_times_ms.empty() && !is_beating(options);
    });
  }
}

// Arrays of other formats are numbers alone.
bool says_where_it_lies(const std::string& image) {
  const ImageType type = image_type(image);
  return type == ImageType::nifti || type == ImageType::ismrmrd;
}

bool uses_field_of_view(const PhantomOptions& options) {
  const std::array images{&options.object, &options.truth, &options.maps, &options.field_map, &options.r2_star_map};
  return !options.output.empty() || options.line_unit == "mm" ||
         std::any_of(images.begin(), images.end(), [](const std::string* image) { return says_where_it_lies(*image); });
}

// Options for reading a scan that a phantom does not take. The trajectory's scan may have data; they are not used, and where
// their coordinate 0 lies says nothing. The field of view is an option of the phantom's own.
const std::vector<std::string> left_out{"center", "trajectory-from", "noise-from", "fov"};

bool is_left_out(const std::string& name) {
  return std::find(left_out.begin(), left_out.end(), name) != left_out.end();
}

void add_conditions(App& app, const PhantomOptions& options) {
  const auto level = [&options] { return options.noise > 0 || options.snr > 0; };
  for (const char* name : {"--noise-samples", "--seed"}) {
    app.get_option(name)->when("--noise above 0, --snr or --noise-covariance",
                               [&options, level] { return level() || !options.noise_covariance.empty(); });
  }
  app.get_option("--noise-correlation")->when("--noise above 0 or --snr", level)->when("2 coils or more", [&options] {
    return options.coils > 1;
  });
  app.get_option("--fov")->when("-o, --line-unit mm, or images that say where they lie (NIfTI, HDF5)",
                                [&options] { return uses_field_of_view(options); });
  app.get_option("--coils")->when("-o, --truth or --maps", [&options] {
    return !options.output.empty() || !options.truth.empty() || !options.maps.empty();
  });
  for (const OptionDescriptor& option : option_table<ScanReadOptions>().descriptors()) {
    if (!app.has_option("--" + option.name) || is_left_out(option.name)) continue;
    app.get_option("--" + option.name)->when("--trajectory", [&options] { return !options.trajectory.empty(); });
  }
}

void add_image_options(App& app, PhantomOptions& options) {
  const std::string group = "Images, as " + array_extensions();
  const auto add = [&](const char* name, std::string& path, const char* help) {
    app.add_output(name, path, with_record(array_output()), help)->group(group);
  };
  add("--object", options.object, "The object: the mean intensity in each voxel");
  add("--truth", options.truth,
      "What a reconstruction should give: the object times the root-sum-of-squares of the coil maps");
  add("--maps", options.maps, "Coil maps [coil, z, y, x], complex");
  add("--field-map", options.field_map, "Off-resonance in Hz at the centers of the voxels, at 3 T");
  add("--r2star-map", options.r2_star_map, "R2* in 1/s at the centers of the voxels");
}

}  // namespace

void add_phantom_options(App& app, PhantomOptions& options) {
  app.add_word("name", options.name, "shepp-logan, brain, resolution, geometric, beating or t2")
      ->check(is_member({"shepp-logan", "brain", "resolution", "geometric", "beating", "t2"}).description(""))
      ->required();
  Option* trajectory =
      app.add_input("-t,--trajectory", options.trajectory,
                    "Scan, with or without data, that gives the trajectories of all frames and the matrix");
  Option* output =
      app.add_output("-o,--output", options.output, with_record(scan_output()), "Scan to write: " + scan_extensions())
          ->needs(trajectory);
  add_options(app, options, phantom_table());
  app.get_option("--matrix")->excludes(trajectory);
  add_measurement_options(app, options, output);
  add_motion_options(app, options, output);
  add_image_options(app, options);
  add_scan_options(app, options.read, [&options] { return options.trajectory; }, {.but = left_out});
  add_conditions(app, options);
}

}  // namespace whorl::cli
