// whorl recon: a scan becomes images.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "cli/command.hpp"
#include "cli/filter/arguments.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "cli/recon/batch.hpp"
#include "cli/recon/examples.hpp"
#include "cli/recon/recon_request.hpp"
#include "cli/report/make_report.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/recon/usual_lambda.hpp"

namespace whorl::cli {

namespace {

bool shows_picture(const ReconRequest& request) {
  const ErrorBarRequest& bars = request.error_bars;
  const std::array files{
      &request.png, &request.image_name(), &request.movie.path, &bars.standard_deviation, &bars.g_factor,
      &bars.bias,   &bars.point_spread};
  return std::any_of(files.begin(), files.end(), [](const std::string* file) { return file->ends_with(".png"); });
}

const OptionTable<ReconRequest>& picture_table() {
  static const OptionTable<ReconRequest> table =
      OptionTable<ReconRequest>("recon")
          .list("window", &ReconRequest::window, 2, 2, {}, "", "Values that the picture shows as black and white")
          .when("a picture (--png)", &shows_picture)
          .integer("tiles", &ReconRequest::tiles, OptionRange::at_least(0), "",
                   "How many frames and slices the picture shows side by side (0: planes of volumes, else at most 16)")
          .when("a picture (--png)", &shows_picture);
  return table;
}

const OptionTable<ReconRequest>& checkpoint_table() {
  static const OptionTable<ReconRequest> table =
      OptionTable<ReconRequest>("recon")
          .real("checkpoint-every", &ReconRequest::checkpoint_every, OptionRange::at_least(0), "s",
                "Keep the state of the solver within a frame when this time has passed since the last")
          .when("--checkpoint", [](const ReconRequest& request) { return !request.checkpoint.empty(); });
  return table;
}

bool is_nifti(const std::string& path) { return path.ends_with(".nii") || path.ends_with(".nii.gz"); }

// The window is given from black to white.
void check_window(const std::vector<double>& window) {
  if (!window.empty() && !(window[0] < window[1])) {
    refuse(fmt::format("--window is '{:g},{:g}', expected the lower value first", window[0], window[1]));
  }
}

// Filters as what the reconstruction does to its images in the end.
ImageHook filter_hook(const std::string& pipeline) {
  const ComplexImageFilter filter(pipeline);
  return {pipeline, [filter](const Shape& images) { filter.check(images); },
          [filter](const Context& ctx, const Array<std::complex<float>>& images) { return filter.apply(ctx, images); }};
}

void run(ReconRequest request, const Session& session) {
  if (!request.batch.folder.empty()) return reconstruct_batch(request, session);
  request.scan = request.scans.front();
  const bool is_dry = request.dry_run;
  const std::string report = request.report;
  const ReconResult made = reconstruct_file(
      std::move(request), session, [&](const std::string& output, std::span<const std::filesystem::path> files) {
        session.files.check_written(output, files);
      });
  if (is_dry || !session.writes()) return;
  if (!report.empty()) {
    session.keep_results();  // the page is made of the files
    make_report(session, record_path(made.record.outputs.front()), report);
  }
  print_run(session, made.record);
}

bool weighs_samples(const ReconRequest& request) {
  return !request.frames.weights.empty() || request.frames.frames.gating.soft > 0;
}

// The weight that was given, or else the usual one, and what belongs to regularizers.
void settle_weights(ReconRequest& request) {
  ReconOptions& recon = request.recon;
  if (!recon.regularizers.empty()) {
    if (request.lambda.method) refuse_option("--lambda", "is to be chosen, expected a number with --regularize");
    try {
      static_cast<void>(solver_for(recon.solver, recon.regularizers, has_support(recon)));
    } catch (const ValueError& error) {
      refuse_option("--solver", error.what());
    }
  }
  if (request.lambda.given()) {
    request.lambda.apply(recon.lambda, recon.lambda_search);
  } else {
    use_usual_lambda(recon, weighs_samples(request), request.subspace.any());
  }
  if (recon.penalty == PenaltyKind::prior && request.references.empty()) {
    refuse_option("--penalty", "prior has no reference image; name one or several by --prior FILE");
  }
}

// A mistake in the text is one in the command line.
std::string take_filters(const std::string& pipeline, ReconOptions& recon) {
  try {
    recon.filter = filter_hook(pipeline);
    return {};
  } catch (const ValueError& error) {
    return error.what();
  }
}

// Maps of a file are not estimated: options of an estimate have no effect with them.
void add_maps_file(App& app, std::string& file, ReconOptions& recon) {
  app.add_input("--maps-file", file,
                "Take the coil maps from this file: [coil, (z,) y, x], as whorl coils estimate writes them")
      ->check(Check([&recon](const std::string& /*file*/) {
        recon.coil_maps = CoilMapMethod::file;
        return std::string();
      }))
      ->excludes("--maps")
      ->group("Coils")
      ->when("cg-sense or combine matched", [&recon] {
        return recon.method == ReconMethod::cg_sense || recon.combination == CombinationMethod::matched;
      });
}

// Files of coil maps that come with the images.
void add_map_outputs(App& app, ReconRequest& request) {
  ReconOptions& recon = request.recon;
  app.add_output("--save-maps", request.saved_maps, array_output(),
                 "Also write the coil maps, [coil, z, y, x] of each slice (nlinv: of its last frame, of each set)")
      ->group("Coils")
      ->when("cg-sense, nlinv or combine matched", [&request] {
        return request.recon.method != ReconMethod::gridding || request.recon.combination == CombinationMethod::matched;
      });
  const auto has_sets = [&recon] { return recon.method == ReconMethod::nlinv && recon.nlinv.sets > 1; };
  app.add_output("--save-sets", request.saved_sets, array_output(), "Also write the complex image of each set")
      ->group("NLINV")
      ->when("nlinv with several sets", has_sets);
  app.add_output(
         "--save-parts", request.saved_parts, array_output(),
         "Also write the parts of each image, complex: [frame, part, z, y, x], low rank and sparse, or few edges in "
         "space and few changes in time")
      ->group("Penalty (cg-sense)")
      ->when("--regularize with low-rank-sparse or ictv", [&request] {
        return std::any_of(request.recon.regularizers.begin(), request.recon.regularizers.end(),
                           [](const Regularizer& what) { return what.has_parts(); });
      });
  for (const char* name : {"--nlinv-sets", "--nlinv-damping"}) {
    app.get_option(name)->when("nlinv", [&recon] { return recon.method == ReconMethod::nlinv; });
  }
}

// One scan has a name for its image, several have a folder.
void check_names(const ReconRequest& request) {
  if (!request.batch.folder.empty()) return;
  if (request.output.empty()) refuse_missing("--output", "or --output-dir for several scans");
  if (request.scans.size() > 1) {
    refuse_option("--output", fmt::format("is one image for {} scans; give --output-dir FOLDER", request.scans.size()));
  }
}

}  // namespace

Command recon_command() {
  Command command = {
      "recon", "Reconstruct a scan: gridding, or iterative least squares with coil sensitivities", recon_examples,
      [](App& app) -> Run {
        const auto request = std::make_shared<ReconRequest>();
        app.add_input("scan", request->scans, "Scan (ISMRMRD, .h5); several with --output-dir")->required();
        app.add_output("-o,--output", request->output, with_record(image_output()),
                       "Image to write: " + image_extensions());
        add_batch_options(app, request->batch);
        app.add_output(
            "--png", request->png, png_output(),
            "Also write a picture of the magnitude: three planes of volumes, else numbered slices and frames");
        add_options(app, *request, picture_table());
        app.add_output("--report", request->report, report_output(),
                       "Also write a page of the run (.html): images with window and level, curves, facts")
            ->when("one scan", [request] { return request->batch.folder.empty(); });
        app.add_flag("--complex", request->complex, "Write the complex image, not its magnitude")
            ->when("an image that is no picture (.png)",
                   [request] { return !request->image_name().ends_with(".png"); });
        app.add_flag("--bids", request->bids,
                     "Also write what the scan says of the measurement, as BIDS names it, beside NIfTI images (.json)")
            ->when("NIfTI images (.nii, .nii.gz)", [request] { return is_nifti(request->image_name()); });
        ReconOptions& recon = request->recon;
        request->lambda.chooses_weights = [&recon] {
          return std::any_of(recon.regularizers.begin(), recon.regularizers.end(),
                             [](const Regularizer& what) { return what.choice.has_value(); });
        };
        add_recon_options(app, recon);
        add_lambda_options(app, request->lambda,
                           fmt::format("spectrum, or {:g} with --no-prewhitening", request->recon.lambda),
                           NoiseLevel::known, solver_group);
        for (const char* name : {"--lambda", "--lambda-probes", "--lambda-seed", "--lambda-curve"}) {
          app.get_option(name)->when("cg-sense", [&recon] { return recon.method == ReconMethod::cg_sense; });
        }
        add_frame_options(app, request->frames);
        add_movie_options(app, request->movie);
        add_subspace_options(app, request->subspace, recon);
        add_prior_options(app, recon, request->references);
        add_support_option(app, recon, request->support);
        add_regularizer_options(app, recon);
        add_signal_options(app, recon.signal, request->signal, request->place);
        add_maps_file(app, request->maps_file, recon);
        add_map_outputs(app, *request);
        add_normal_options(app, request->normal, recon);
        add_error_bar_options(app, request->error_bars, recon);
        app.add_word("--filter", request->filter,
                     "Filters for the complex images, before they leave the device: 'gaussian sigma=1 | unsharp' "
                     "(whorl filter --list)")
            ->check(Check([&recon](const std::string& pipeline) { return take_filters(pipeline, recon); }));
        app.files().add_input("--filter", [request] { return files_of_pipeline(request->filter); });
        app.add_output("--checkpoint", request->checkpoint, folder_output({".bin", "run.json"}),
                       "Keep finished frames and the solver's state in this folder, and go on from what is there: the "
                       "images have the bits of a run that nothing ended (docs/howto/many-scans.md)")
            ->when("cg-sense without a subspace",
                   [request] { return request->recon.method == ReconMethod::cg_sense && !request->subspace.any(); });
        add_options(app, *request, checkpoint_table());
        app.add_word("--temp-dir", recon.spill.folder,
                     "Directory for temporary files, for what does not fit into memory (default: TMPDIR, or /var/tmp)")
            ->type_name("DIRECTORY")
            ->group("Options");
        app.add_flag("--dry-run", request->dry_run, "Say what would be done: bytes and passes; write nothing")
            ->when("one scan", [request] { return request->batch.folder.empty(); });
        add_scan_options(app, request->read, [request] { return request->scans.front(); });
        const Option* maps_from = app.get_option("--maps-from");
        app.callback([request, maps_from] {
          check_names(*request);
          check_window(request->window);
          settle_weights(*request);
          // Frames that are made anew have too few samples each. Weighted samples are not joined.
          if (request->frames.frames.any() && maps_from->count() == 0 && !weighs_samples(*request)) {
            request->recon.maps_from = CoilMapData::all_frames;
          }
        });
        return [request](const Session& session) { run(*request, session); };
      }};
  command.common_options = {"output",     "output-dir", "png",       "report",          "movie",
                            "method",     "iterations", "tolerance", "lambda",          "regularize",
                            "maps",       "maps-file",  "coils",     "density",         "spokes-per-frame",
                            "gate",       "field-map",  "delays",    "estimate-motion", "trajectory-from",
                            "noise-from", "dry-run",    "quiet",     "device",          "max-memory"};
  return command;
}

}  // namespace whorl::cli
