#include "cli/recon/output_options.hpp"

#include <algorithm>
#include <array>

#include "cli/options/number_list.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/movie.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::cli {

namespace {

bool is_nifti(const std::string& path) { return path.ends_with(".nii") || path.ends_with(".nii.gz"); }

const OptionTable<ReconOutputs>& picture_table() {
  static const OptionTable<ReconOutputs> table =
      OptionTable<ReconOutputs>("recon")
          .list("window", &ReconOutputs::window, 2, 2, {}, "", "Values that the picture shows as black and white")
          .integer("tiles", &ReconOutputs::tiles, OptionRange::at_least(0), "",
                   "How many frames and slices the picture shows side by side (0: planes of volumes, else at most 16)");
  return table;
}

const OptionTable<ReconOutputs>& movie_table() {
  static const OptionTable<ReconOutputs> table =
      OptionTable<ReconOutputs>("movie")
          .real("fps", &ReconOutputs::frames_per_second, {0.01, 100}, "frames a second", "How fast the movie runs")
          .when("--movie", [](const ReconOutputs& outputs) { return !outputs.movie.empty(); });
  return table;
}

bool shows_picture(const ReconWords& words) {
  const ReconOutputs& outputs = words.request.outputs;
  const std::array files{&outputs.png,      &words.image_name(), &outputs.movie,       &outputs.standard_deviation,
                         &outputs.g_factor, &outputs.bias,       &outputs.point_spread};
  return std::any_of(files.begin(), files.end(), [](const std::string* file) { return file->ends_with(".png"); });
}

bool has_parts(const ReconRequest& request) {
  const auto& terms = request.recon.regularizers;
  return std::any_of(terms.begin(), terms.end(), [](const Regularizer& what) { return what.has_parts(); });
}

}  // namespace

void add_picture_options(App& app, ReconWords& words) {
  ReconOutputs& outputs = words.request.outputs;
  app.add_output("--png", outputs.png, png_output(),
                 "Also write a picture of the magnitude: three planes of volumes, else numbered slices and frames");
  add_options(app, outputs, picture_table());
  for (const char* name : {"--window", "--tiles"}) {
    app.get_option(name)->when("a picture (--png)", [&words] { return shows_picture(words); });
  }
  app.add_flag("--complex", outputs.complex, "Write the complex image, not its magnitude")
      ->when("an image that is no picture (.png)", [&words] { return !words.image_name().ends_with(".png"); });
  app.add_flag("--bids", outputs.bids,
               "Also write what the scan says of the measurement, as BIDS names it, beside NIfTI images (.json)")
      ->when("NIfTI images (.nii, .nii.gz)", [&words] { return is_nifti(words.image_name()); });
}

void add_movie_options(App& app, ReconOutputs& outputs) {
  app.add_output(
      "--movie", outputs.movie, output_ending_in({".gif", ".png"}, "a movie's name"),
      "Also write the magnitude of all frames as a movie, enlarged to 512 pixels or more: " + movie_extensions());
  add_options(app, outputs, movie_table());
}

void add_correction_outputs(App& app, ReconRequest& request) {
  const Corrections& wanted = request.corrections;
  app.add_output("--save-motion", request.outputs.motion, array_output(),
                 "Write the poses that were undone, [pose, 6], as --motion takes them")
      ->group("Trajectory")
      ->when("--motion or --estimate-motion",
             [&wanted] { return wanted.motion.given() || wanted.motion_readouts > 0; });
  app.add_output("--save-readout-shifts", request.outputs.readout_shifts, array_output(),
                 "Write the shifts of the readouts, [readout, axis], as --readout-shifts takes them")
      ->group("Trajectory")
      ->when("--k-shift readouts or --readout-shifts",
             [&wanted] { return wanted.find_readout_shifts || wanted.readout_shifts.given(); });
  app.add_output("--gate-signal", request.outputs.gating, array_output(),
                 "Write the gating signal [slice, readout, column]: time in seconds, value, phase in radians and frame")
      ->group("Frames")
      ->when("--gate", [&request] { return request.frames.frames.gating.bins > 0; });
}

void add_subspace_outputs(App& app, ReconRequest& request) {
  constexpr const char* group = "Subspace (cg-sense)";
  const auto any = [&request] { return request.subspace.any(); };
  app.add_output("--subspace-frames", request.outputs.subspace_frames, image_output(),
                 "Also write the frames: " + image_extensions())
      ->group(group)
      ->when("a subspace", any);
  app.add_output("--save-subspace", request.outputs.subspace, array_output(), "Write the basis [frame, component]")
      ->group(group)
      ->when("a subspace", any);
}

void add_map_outputs(App& app, ReconRequest& request) {
  const ReconOptions& recon = request.recon;
  ReconOutputs& outputs = request.outputs;
  app.add_output("--save-maps", outputs.maps, array_output(),
                 "Also write the coil maps, [coil, z, y, x] of each slice (nlinv: of its last frame, of each set)")
      ->group("Coils")
      ->when("cg-sense, nlinv or combine matched", [&recon] {
        return recon.method != ReconMethod::gridding || recon.combination == CombinationMethod::matched;
      });
  app.add_output("--save-sets", outputs.sets, array_output(), "Also write the complex image of each set")
      ->group("NLINV")
      ->when("nlinv with several sets",
             [&recon] { return recon.method == ReconMethod::nlinv && recon.nlinv.sets > 1; });
  app.add_output(
         "--save-parts", outputs.parts, array_output(),
         "Also write the parts of each image, complex: [frame, part, z, y, x], low rank and sparse, or few edges in "
         "space and few changes in time")
      ->group("Penalty (cg-sense)")
      ->when("--regularize with low-rank-sparse or ictv", [&request] { return has_parts(request); });
  for (const char* name : {"--nlinv-sets", "--nlinv-damping"}) {
    app.get_option(name)->when("nlinv", [&recon] { return recon.method == ReconMethod::nlinv; });
  }
  app.add_output("--save-normal", outputs.normal, output_ending_in({".npz"}, "a normal operator's name"),
                 "Save the normal operator of the trajectory for other scans (.npz, cg-sense, nlinv)")
      ->group("Transform")
      ->excludes("--normal")
      ->when("cg-sense or nlinv", [&recon] { return recon.method != ReconMethod::gridding; });
}

void add_error_bar_options(App& app, ReconRequest& request) {
  constexpr const char* group = "Error bars";
  ReconOptions& recon = request.recon;
  ReconOutputs& outputs = request.outputs;
  const auto add_image = [&](const std::string& name, std::string& path, const std::string& help) {
    return app.add_output(name, path, image_output(), help)->group(group);
  };
  const auto cg_sense = [&recon] { return recon.method == ReconMethod::cg_sense; };
  const auto noise = [&outputs] { return !outputs.standard_deviation.empty() || !outputs.g_factor.empty(); };
  add_image("--stddev", outputs.standard_deviation,
            "Write each voxel's standard deviation, sqrt(E|x - E x|^2); real part and magnitude have that / sqrt(2)")
      ->when("cg-sense or combine matched",
             [&recon, cg_sense] { return cg_sense() || recon.combination == CombinationMethod::matched; });
  Shown shown;
  for (const OptionDescriptor& option : option_table<ErrorBarOptions>().descriptors()) {
    shown.changed.push_back({.name = option.name, .applies = ""});
  }
  add_options(app, recon.error_bars, shown);
  for (const char* name : {"--stddev-method", "--replicas", "--noise-seed"}) {
    app.get_option(name)->when("--stddev or --gfactor of cg-sense",
                               [cg_sense, noise] { return cg_sense() && noise(); });
  }
  for (const char* name : {"--noise-iterations", "--noise-tolerance"}) {
    app.get_option(name)->when("an error bar of cg-sense without --regularize", [&request, cg_sense, noise] {
      const bool any = noise() || !request.outputs.bias.empty() || !request.point_spreads.empty();
      return cg_sense() && request.recon.regularizers.empty() && any;
    });
  }
  add_image("--gfactor", outputs.g_factor, "Write the g-factor (cg-sense)")->when("cg-sense", cg_sense);
  app.add_list_function(
         "--psf", {"X,Y[,Z]", 3, &is_number},
         [&request](const std::string& text) {
           try {
             request.point_spreads.push_back(number_list(text));
           } catch (const ValueError& error) {
             refuse_option("--psf", error.what());
           }
         },
         "Voxel (from 0) whose point spread and resolution are wanted; may be repeated (cg-sense)", true)
      ->group(group)
      ->when("cg-sense", cg_sense);
  add_image("--psf-image", outputs.point_spread, "Write the point spreads, one frame each")->needs("--psf");
  add_image("--bias", outputs.bias, "Write the bias that the penalty causes, with the image as the object (cg-sense)")
      ->when("cg-sense", cg_sense);
  // An image with regularizers is no linear function of the data. Its standard deviation is found at its fixed point.
  for (const char* name : {"--gfactor", "--psf", "--bias"}) {
    app.get_option(name)->when("images without --regularize", [&recon] { return recon.regularizers.empty(); });
  }
}

}  // namespace whorl::cli
