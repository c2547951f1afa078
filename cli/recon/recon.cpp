// whorl recon: a scan becomes images.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/filter/arguments.hpp"
#include "cli/options/image_axes.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/format.hpp"
#include "cli/output/input_descriptions.hpp"
#include "cli/recon/error_bar_options.hpp"
#include "cli/recon/examples.hpp"
#include "cli/recon/frame_options.hpp"
#include "cli/recon/lambda_options.hpp"
#include "cli/recon/normal_options.hpp"
#include "cli/recon/prior_options.hpp"
#include "cli/recon/recon_options.hpp"
#include "cli/recon/regularizer_options.hpp"
#include "cli/recon/signal_options.hpp"
#include "cli/recon/subspace_options.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/io/normal_file.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/record.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string scan;
  std::string output;
  std::string png;
  bool complex = false;
  bool bids = false;
  MeasurementFacts facts;
  std::vector<double> window;
  Index tiles = 0;
  ScanReadOptions read;
  std::string maps_file;
  NormalFiles normal;
  FrameRequest frames;
  MovieRequest movie;
  SubspaceRequest subspace;
  double frame_interval_ms = 0;
  std::vector<std::string> references;
  SignalFiles signal;
  PlaceOptions place;
  ReconOptions recon;
  LambdaOptions lambda;
  ErrorBarRequest error_bars;
  std::string filter;
};

bool shows_picture(const Options& options) {
  const ErrorBarRequest& bars = options.error_bars;
  const std::array files{&options.png,   &options.output, &options.movie.path, &bars.standard_deviation,
                         &bars.g_factor, &bars.bias,      &bars.point_spread};
  return std::any_of(files.begin(), files.end(), [](const std::string* file) { return file->ends_with(".png"); });
}

const OptionTable<Options>& picture_table() {
  static const OptionTable<Options> table =
      OptionTable<Options>("recon")
          .list("window", &Options::window, 2, 2, {}, "", "Values that the picture shows as black and white")
          .when("a picture (--png)", &shows_picture)
          .integer("tiles", &Options::tiles, OptionRange::at_least(0), "",
                   "How many frames and slices the picture shows (0: all)")
          .when("a picture (--png)", &shows_picture);
  return table;
}

ImageOptions image_options(const Options& options) {
  ImageOptions image;
  image.png.zoom = 0;  // a picture to look at
  image.part = options.complex ? ImagePart::complex : ImagePart::magnitude;
  if (!options.window.empty()) {
    image.png.low = options.window[0];
    image.png.high = options.window[1];
  }
  if (options.tiles > 0) image.png.tiles = options.tiles;
  image.frame_interval_ms = options.frame_interval_ms;
  image.bids_sidecar = options.bids;
  image.facts = options.facts;
  return image;
}

ImageOptions picture_options(const Options& options) {
  ImageOptions picture = image_options(options);
  picture.part = ImagePart::magnitude;
  return picture;
}

// What writing would refuse, and is known with the scan alone.
void check_outputs(const Options& options, const Session& session, const Scan& scan) {
  std::vector<ImageFrame> frames = image_frames(options.subspace, scan);
  const Shape volume{scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  const auto check = [&](const std::string& path, const ImageOptions& image, const std::vector<ImageFrame>& shown) {
    if (path.empty()) return;
    session.files.check_written(
        path, check_image_path(path, volume.with_front(static_cast<Index>(shown.size())), shown, image));
  };
  check(options.output, image_options(options), frames);
  check(options.png, picture_options(options), frames);
  check_movie(options.movie, volume.with_front(static_cast<Index>(frames.size())));
  for (const ErrorBarImages& wanted : error_bar_images(options.error_bars, frames)) {
    check(wanted.path, image_options(options), wanted.frames);
  }
}

bool is_nifti(const std::string& path) { return path.ends_with(".nii") || path.ends_with(".nii.gz"); }

// The window is given from black to white.
void check_window(const std::vector<double>& window) {
  if (!window.empty() && !(window[0] < window[1])) {
    refuse(fmt::format("--window is '{:g},{:g}', expected the lower value first", window[0], window[1]));
  }
}

RunRecord make_record(const Options& options, const Session& session, const Scan& scan, const SubspaceBasis* basis) {
  RunRecord record;
  record.command_line = session.command_line;
  record.parameters = describe(options.recon);
  append(record.parameters, describe(options.frames));
  append(record.parameters, describe(options.subspace));
  for (auto& parameter : describe(options.recon.error_bars)) record.parameters.push_back(std::move(parameter));
  append(record.parameters, describe(options.recon.signal));
  record.parameters.emplace_back("trajectory_unit", scan.trajectory_unit);
  const Index bytes = basis != nullptr ? subspace_reconstruction_memory(session.device(), scan, *basis, options.recon)
                                       : reconstruction_memory(session.device(), scan, options.recon);
  record.parameters.emplace_back("memory_predicted_bytes", static_cast<std::int64_t>(bytes));
  record.notes = scan.notes;
  return record;
}

// One line for people on how the solver ended.
std::string solver_note(const std::vector<SolverReport>& reports) {
  int most = 0;
  double worst = 0;
  for (const SolverReport& report : reports) {
    most = std::max(most, report.iterations);
    worst = std::max(worst, report.residuals.back());
  }
  return fmt::format("Conjugate gradient: {} iterations{}, relative residual {:.2e}; {}.", most,
                     reports.size() > 1 ? " at most" : "", worst, to_string(reports.front().stop_reason));
}

// Maps of the coils as they are in the scan: prewhitening and compression change both alike.
Array<std::complex<float>> read_maps(const Context& ctx, const std::string& file, const Scan& scan) {
  const Shape expected{scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  auto maps = converted<std::complex<float>>(ctx, read_array(ctx, file).values, file);
  if (image_axes(maps.shape(), scan.matrix, file) != expected.with_front(1)) {
    throw ShapeError(fmt::format("'{}': coil maps of shape {}, expected [coil, z, y, x] = {}", file,
                                 to_string(maps.shape()), to_string(expected)));
  }
  maps.reshape(expected);
  return maps;
}

// Filters as what the reconstruction does to its images in the end.
ImageHook filter_hook(const std::string& pipeline) {
  const ComplexImageFilter filter(pipeline);
  return {pipeline, [filter](const Shape& images) { filter.check(images); },
          [filter](const Context& ctx, const Array<std::complex<float>>& images) { return filter.apply(ctx, images); }};
}

void run(Options options, const Session& session) {
  InputDescriptions inputs(session.files.to_read());
  read_references(session.ctx, options.references, options.recon);
  read_signal_maps(session.ctx, options.signal, options.recon.signal);
  Scan read = read_scan(session.ctx, options.scan, options.read);
  options.facts = read_measurement_facts(options.scan, options.read);
  apply_place(session.ctx, options.place, read);
  GatedScan framed = make_frames(session.ctx, std::move(read), options.frames.frames);
  Scan& scan = framed.scan;
  std::optional<SubspaceBasis> basis;
  if (options.subspace.any()) {
    basis = subspace_basis(session.ctx, options.subspace, scan);
  } else {
    options.frame_interval_ms = scan.frame_interval_ms;
  }
  options.movie.window = options.window;
  const Array<double> gating = signal_columns(session.ctx, framed);
  options.recon.error_bars = error_bar_options(options.error_bars, scan);
  check_outputs(options, session, scan);
  if (!options.maps_file.empty()) {
    scan.coil_maps = read_maps(session.ctx, options.maps_file, scan);
  }
  prepare_normals(session.ctx, options.normal, options.recon);
  RunRecord record = make_record(options, session, scan, basis ? &*basis : nullptr);
  const double frame_interval_ms = scan.frame_interval_ms;
  Reconstruction result = basis ? reconstruct_subspace(session.device(), std::move(scan), *basis, options.recon)
                                : reconstruct(session.device(), std::move(scan), options.recon);
  record.inputs = inputs.get(session.ctx);
  const bool regularized = !options.recon.regularizers.empty();
  if (!result.reports.empty()) {
    result.notes.push_back(regularized ? regularizer_note(options.recon, result.reports) : solver_note(result.reports));
  }

  std::vector<fs::path> written;
  const auto write = [&](const std::string& path, ArrayRef<const std::complex<float>> images,
                         const std::vector<ImageFrame>& frames, const ImageOptions& image) {
    if (path.empty()) return;
    WrittenImages files = write_image(session.ctx, path, images, frames, image);
    written.insert(written.end(), files.files.begin(), files.files.end());
    if (!files.note.empty()) result.notes.push_back(files.note);
  };
  write(options.output, result.images, result.frames, image_options(options));
  write(options.png, result.images, result.frames, picture_options(options));
  for (const ErrorBarImages& bars : error_bar_images(session.ctx, options.error_bars, result)) {
    write(bars.path, bars.values, bars.frames, image_options(options));
  }
  if (basis) {
    const SubspaceFrames series = all_subspace_frames(session.ctx, result, *basis);
    ImageOptions timed = image_options(options);
    timed.frame_interval_ms = frame_interval_ms;
    write(options.subspace.frames, series.images, series.frames, timed);
    write_movie(session.ctx, options.movie, series.images, written);
    if (!options.subspace.saved.empty()) {
      write_array(session.ctx, options.subspace.saved, {"basis", clone(session.ctx, basis->vectors.ref()), {}});
      written.emplace_back(options.subspace.saved);
    }
  } else {
    write_movie(session.ctx, options.movie, result.images, written);
  }
  if (!options.frames.signal.empty()) {
    write_array(session.ctx, options.frames.signal, {"gating", clone(session.ctx, gating.ref()), {}});
    written.emplace_back(options.frames.signal);
  }
  if (!options.normal.saved.empty()) {
    write_normals(session.ctx, options.normal.saved, result.normals);
    written.emplace_back(options.normal.saved);
  }
  if (!options.lambda.picture.empty() && !result.lambdas.empty()) {
    write_lambda_picture(session.ctx, options.lambda.picture, result.lambdas.front().choice);
    written.emplace_back(options.lambda.picture);
  }

  for (const fs::path& path : written) record.outputs.push_back(path.string());
  for (const SolverReport& report : result.reports) record.residuals.push_back(report.residuals);
  for (std::size_t i = 0; regularized && i < result.reports.size(); ++i) {
    record.tables.push_back(solver_table(fmt::format("solver_of_image_{}", i), result.reports[i]));
  }
  for (const SliceLambda& of : result.lambdas) {
    record.tables.push_back(lambda_table(fmt::format("lambda_of_slice_{}", of.slice), of.choice));
  }
  for (const Certificate& of : result.certificates) record.tables.push_back(certificate_table(of));
  record.stage_seconds = result.stage_seconds;
  record.notes.insert(record.notes.end(), result.notes.begin(), result.notes.end());
  write_record(session.working(), record, record_path(options.output));

  if (session.quiet) return;
  std::string text;
  for (const std::string& note : record.notes) text += note + "\n";
  for (const std::string& path : record.outputs) text += fmt::format("wrote {}\n", path);
  std::fputs(text.c_str(), stdout);
}

// The weight that was given, or else the usual one, and what belongs to regularizers.
void settle_weights(Options& options, bool has_iterations) {
  ReconOptions& recon = options.recon;
  if (!recon.regularizers.empty()) {
    recon.lambda = 0;
    if (!has_iterations) recon.iterations = RegularizedOptions{}.iterations;
    if (options.lambda.method) refuse_option("--lambda", "is to be chosen, expected a number with --regularize");
    try {
      static_cast<void>(solver_for(recon.solver, recon.regularizers));
    } catch (const ValueError& error) {
      refuse_option("--solver", error.what());
    }
  } else if (recon.penalty != PenaltyKind::tikhonov) {
    recon.lambda = usual_lambda_of_differences;
  } else if (!options.lambda.given() && recon.prewhiten && !options.subspace.any()) {
    options.lambda.method = LambdaMethod::spectrum;
  }
  options.lambda.apply(recon.lambda, recon.lambda_search);
  if (recon.penalty == PenaltyKind::prior && options.references.empty()) {
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

}  // namespace

Command recon_command() {
  return {"recon", "Reconstruct a scan: gridding, or iterative least squares with coil sensitivities", recon_examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("scan", options->scan, "Scan (ISMRMRD, .h5)")->required();
            app.add_output("-o,--output", options->output, with_record(image_output()),
                           "Image to write: " + image_extensions())
                ->required();
            app.add_output(
                "--png", options->png, png_output(),
                "Also write a picture of the magnitude, all frames side by side, enlarged to 512 pixels or more");
            add_options(app, *options, picture_table());
            app.add_flag(
                   "--bids", options->bids,
                   "Also write what the scan says of the measurement, as BIDS names it, beside NIfTI images (.json)")
                ->when("NIfTI images (.nii, .nii.gz)", [options] { return is_nifti(options->output); });
            app.add_flag("--complex", options->complex, "Write the complex image, not its magnitude")
                ->when("an image that is no picture (.png)", [options] { return !options->output.ends_with(".png"); });
            ReconOptions& recon = options->recon;
            options->lambda.chooses_weights = [&recon] {
              return std::any_of(recon.regularizers.begin(), recon.regularizers.end(),
                                 [](const Regularizer& what) { return what.choice.has_value(); });
            };
            add_recon_options(app, recon);
            add_lambda_options(app, options->lambda,
                               fmt::format("spectrum, or {:g} with --no-prewhitening", options->recon.lambda),
                               NoiseLevel::known, solver_group);
            for (const char* name : {"--lambda", "--lambda-probes", "--lambda-seed", "--lambda-curve"}) {
              app.get_option(name)->when("cg-sense", [&recon] { return recon.method == ReconMethod::cg_sense; });
            }
            add_frame_options(app, options->frames);
            add_movie_options(app, options->movie);
            add_subspace_options(app, options->subspace, recon);
            add_prior_options(app, recon, options->references);
            add_regularizer_options(app, recon);
            add_signal_options(app, recon.signal, options->signal, options->place);
            const Option* iterations = app.get_option("--iterations");
            add_maps_file(app, options->maps_file, recon);
            add_normal_options(app, options->normal, recon);
            add_error_bar_options(app, options->error_bars, recon);
            app.add_word("--filter", options->filter,
                         "Filters for the complex images, before they leave the device: 'gaussian sigma=1 | unsharp' "
                         "(whorl filter --list)")
                ->check(Check([&recon](const std::string& pipeline) { return take_filters(pipeline, recon); }));
            app.files().add_input("--filter", [options] { return files_of_pipeline(options->filter); });
            add_scan_options(app, options->read, [options] { return options->scan; });
            const Option* maps_from = app.get_option("--maps-from");
            app.callback([options, iterations, maps_from] {
              check_window(options->window);
              settle_weights(*options, iterations->count() > 0);
              // Frames that are made anew have too few samples each.
              if (options->frames.frames.any() && maps_from->count() == 0) {
                options->recon.maps_from = CoilMapData::all_frames;
              }
            });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
