#include "job/outputs/output_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "job/some_options.hpp"
#include "whorl/io/image_type.hpp"
#include "whorl/io/movie.hpp"

namespace whorl::job {

namespace {

using Request = ReconRequest;

struct Output {
  const char* name;
  FileUse what;
  std::string ReconOutputs::*file;
  std::string summary;
  bool& (*kept)(Request&) = nullptr;  ///< whether a result in memory has it
};

OptionTable<Request>&& add(OptionTable<Request>& table, const Output& output) {
  return on(table).custom(
      {.name = output.name, .summary = output.summary, .file = output.what, .may_be_kept = output.kept != nullptr},
      [file = output.file](const Request& request) -> OptionValue { return request.outputs.*file; },
      [output](Request& request, const OptionValue& value) {
        if (const auto* name = std::get_if<std::string>(&value)) {
          request.outputs.*output.file = *name;
        } else {
          output.kept(request) = std::get<bool>(value);
        }
      });
}

bool is_picture(const std::string& path) { return image_type(path) == ImageType::png; }

bool shows_picture(const Request& request) {
  const ReconOutputs& outputs = request.outputs;
  const std::array files{&outputs.png,      &outputs.image, &outputs.movie,       &outputs.standard_deviation,
                         &outputs.g_factor, &outputs.bias,  &outputs.point_spread};
  return std::any_of(files.begin(), files.end(), [](const std::string* file) { return is_picture(*file); });
}

bool has_parts(const Request& request) {
  const auto& terms = request.recon.regularized.terms;
  return std::any_of(terms.begin(), terms.end(), [](const Regularizer& what) { return what.has_parts(); });
}

bool has_curve(const Request& request) {
  const auto& terms = request.recon.regularized.terms;
  return searches_by_curve(request) ||
         std::any_of(terms.begin(), terms.end(), [](const Regularizer& what) { return what.choice.has_value(); });
}

bool is_linear(const Request& request) { return is_cg_sense(request) && request.recon.regularized.terms.empty(); }
bool has_maps(const Request& request) {
  return request.recon.method != ReconMethod::gridding ||
         request.recon.gridding.combination == CombinationMethod::matched;
}

const OptionTable<ReconOutputs>& picture_table() {
  static const OptionTable<ReconOutputs> table =
      OptionTable<ReconOutputs>("recon")
          .list("window", &ReconOutputs::window, 2, 2, {}, "", "Values that the picture shows as black and white")
          .integer("tiles", &ReconOutputs::tiles, OptionRange::at_least(0), "",
                   "How many frames and slices the picture shows side by side (0: planes of volumes, else at most 16)");
  return table;
}

const OptionTable<ReconOutputs>& image_table() {
  static const OptionTable<ReconOutputs> table = OptionTable<ReconOutputs>("recon").flag(
      "complex", &ReconOutputs::complex, "Write the complex image, not its magnitude");
  return table;
}

const OptionTable<ReconOutputs>& nifti_table() {
  static const OptionTable<ReconOutputs> table = OptionTable<ReconOutputs>("recon").flag(
      "bids", &ReconOutputs::bids,
      "Also write what the scan says of the measurement, as BIDS names it, beside NIfTI images (.json)");
  return table;
}

const OptionTable<ReconOutputs>& movie_table() {
  static const OptionTable<ReconOutputs> table = OptionTable<ReconOutputs>("movie").real(
      "fps", &ReconOutputs::frames_per_second, {0.01, 100}, "frames a second", "How fast the movie runs");
  return table;
}

}  // namespace

std::optional<LambdaMethod> search_method(const Request& request) {
  if (request.lambda.given()) return request.lambda.method;
  const auto& search = request.recon.cg_sense.lambda_search;
  return search ? std::optional(search->method) : std::nullopt;
}

bool searches_by_curve(const Request& request) {
  const auto method = search_method(request);
  return method && *method != LambdaMethod::spectrum;
}

bool asks_for_noise(const Request& request) {
  const ErrorBarOptions& bars = request.recon.error_bars;
  const bool written = !request.outputs.standard_deviation.empty() || !request.outputs.g_factor.empty();
  return written || bars.of_noise();
}

bool asks_for_truth(const Request& request) {
  return !request.outputs.truth_bar.empty() || request.recon.error_bars.truth_bar || asks_for_bound(request);
}

bool asks_for_bound(const Request& request) {
  return !request.outputs.truth_bound.empty() || request.recon.error_bars.truth_bound;
}

void add_image_outputs(OptionTable<Request>& table) {
  on(table).group("");
  add(table, {"output", FileUse::image, &ReconOutputs::image, "Image to write: " + image_extensions()});
  add(table, {"png", FileUse::picture, &ReconOutputs::png,
              "Also write a picture of the magnitude: three planes of volumes, else numbered slices and frames"});
  on(table)
      .part(&Request::outputs, {}, picture_table())
      .when("a picture (--png)", &shows_picture)
      .part(&Request::outputs, {}, image_table())
      .when("an image that is no picture (.png)",
            [](const Request& request) { return !request.outputs.image.empty() && !is_picture(request.outputs.image); })
      .part(&Request::outputs, {}, nifti_table())
      .when("NIfTI images (.nii, .nii.gz)",
            [](const Request& request) { return image_type(request.outputs.image) == ImageType::nifti; });
  add(table,
      {"movie", FileUse::movie, &ReconOutputs::movie,
       "Also write the magnitude of all frames as a movie, enlarged to 512 pixels or more: " + movie_extensions()});
  on(table).part(&Request::outputs, {}, movie_table()).when("--movie", [](const Request& request) {
    return !request.outputs.movie.empty();
  });
}

void add_array_outputs(OptionTable<Request>& table) {
  on(table).group("Coils");
  add(table, {"save-maps", FileUse::array, &ReconOutputs::maps,
              "Also write the coil maps, [coil, z, y, x] of each slice (nlinv: of its last frame, of each set)",
              [](Request& request) -> bool& { return request.recon.keep_maps; }})
      .when("cg-sense, nlinv or combine matched", &has_maps)
      .group("NLINV");
  add(table, {"save-sets", FileUse::array, &ReconOutputs::sets, "Also write the complex image of each set"})
      .when("nlinv with several sets",
            [](const Request& request) {
              return request.recon.method == ReconMethod::nlinv && request.recon.nlinv.sets > 1;
            })
      .group("Transform");
  add(table, {"save-normal", FileUse::normals, &ReconOutputs::normal,
              "Save the normal operator of the trajectory for other scans (.npz)",
              [](Request& request) -> bool& { return request.recon.keep_normals; }})
      .when("cg-sense or nlinv, and no --normal",
            [](const Request& request) {
              return request.recon.method != ReconMethod::gridding && !request.normal.given();
            })
      .group("Penalty (cg-sense)");
  add(table, {"save-parts", FileUse::array, &ReconOutputs::parts,
              "Also write the parts of each image, complex: [frame, part, z, y, x], low rank and sparse, or few edges "
              "in space and few changes in time",
              [](Request& request) -> bool& { return request.recon.regularized.keep_parts; }})
      .when("--regularize with low-rank-sparse or ictv", &has_parts)
      .group("Solver (cg-sense)");
  add(table, {"lambda-curve", FileUse::picture, &ReconOutputs::lambda_curve,
              "Picture of the curve on which lambda was chosen (.png)"})
      .when("--lambda gcv (the default of a prior), lcurve or discrepancy, or a chosen weight of --regularize",
            &has_curve)
      .group("Frames");
  add(table, {"gate-signal", FileUse::array, &ReconOutputs::gating,
              "Write the gating signal [slice, readout, column]: time in seconds, value, phase in radians and frame"})
      .when("--gate", [](const Request& request) { return request.frames.frames.gating.bins > 0; })
      .group("Subspace (cg-sense)");
  const auto is_subspace = [](const Request& request) { return request.subspace.any(); };
  add(table, {"subspace-frames", FileUse::image, &ReconOutputs::subspace_frames,
              "Also write the frames: " + image_extensions()})
      .when("a subspace", is_subspace);
  add(table, {"save-subspace", FileUse::array, &ReconOutputs::subspace, "Write the basis [frame, component]"})
      .when("a subspace", is_subspace)
      .group("Trajectory");
  add(table, {"save-motion", FileUse::array, &ReconOutputs::motion,
              "Write the poses that were undone, [pose, 6], as --motion takes them"})
      .when("--motion or --estimate-motion", [](const Request& request) {
        return request.corrections.motion.given() || request.corrections.motion_readouts > 0;
      });
  add(table, {"save-readout-shifts", FileUse::array, &ReconOutputs::readout_shifts,
              "Write the shifts of the readouts, [readout, axis], as --readout-shifts takes them"})
      .when("--k-shift readouts or --readout-shifts", [](const Request& request) {
        return request.corrections.find_readout_shifts || request.corrections.readout_shifts.given();
      });
}

void add_error_bar_outputs(OptionTable<Request>& table) {
  on(table).group("Error bars");
  add(table, {"stddev", FileUse::image, &ReconOutputs::standard_deviation,
              "Write each voxel's standard deviation, sqrt(E|x - E x|^2); real part and magnitude have that / sqrt(2)",
              [](Request& request) -> bool& { return request.recon.error_bars.standard_deviation; }})
      .when("cg-sense or combine matched", [](const Request& request) { return needs_coil_maps(request.recon); });
  // An image with regularizers is no linear function of the data. Its standard deviation is found at its fixed point.
  add(table, {"gfactor", FileUse::image, &ReconOutputs::g_factor, "Write the g-factor",
              [](Request& request) -> bool& { return request.recon.error_bars.g_factor; }})
      .when("cg-sense without --regularize", &is_linear);
  add(table, {"bias", FileUse::image, &ReconOutputs::bias,
              "Write the bias that the penalty causes, with the image as the object",
              [](Request& request) -> bool& { return request.recon.error_bars.bias; }})
      .when("cg-sense without --regularize", &is_linear);
  add(table,
      {"truth-bar", FileUse::image, &ReconOutputs::truth_bar,
       "Write each voxel's error bar of the truth, noise and bias of the penalty: the magnitude is that near to the "
       "object's with 68 %, 1.96 times that with 95 % (docs/explain/truth-bars.md)",
       [](Request& request) -> bool& { return request.recon.error_bars.truth_bar; }})
      .when("cg-sense without --regularize", &is_linear);
  add(table,
      {"truth-bound", FileUse::image, &ReconOutputs::truth_bound,
       "Write how near the magnitude is to the object's with 95 %, also in a region that differs from its surroundings "
       "and that no reference shows (docs/explain/truth-bars.md)",
       [](Request& request) -> bool& { return request.recon.error_bars.truth_bound; }})
      .when("cg-sense without --regularize", &is_linear);
  add(table, {"psf-image", FileUse::image, &ReconOutputs::point_spread, "Write the point spreads, one frame each"})
      .when("--psf", [](const Request& request) { return !request.point_spreads.empty(); });
}

}  // namespace whorl::job
