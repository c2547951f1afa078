// whorl recon: a scan becomes images.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "cli/command.hpp"
#include "cli/options/image_axes.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/format.hpp"
#include "cli/output/input_descriptions.hpp"
#include "cli/recon/error_bar_options.hpp"
#include "cli/recon/lambda_options.hpp"
#include "cli/recon/normal_options.hpp"
#include "cli/recon/prior_options.hpp"
#include "cli/recon/recon_options.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/normal_file.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/record.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string scan;
  std::string output;
  std::string png;
  bool complex = false;
  std::vector<double> window;
  Index tiles = 0;
  ScanReadOptions read;
  std::string maps_file;
  NormalFiles normal;
  std::vector<std::string> references;
  ReconOptions recon;
  LambdaOptions lambda;
  ErrorBarRequest error_bars;
  std::string filter;
};

const OptionTable<Options>& picture_table() {
  static const OptionTable<Options> table =
      OptionTable<Options>("recon")
          .list("window", &Options::window, 2, 2, {}, "", "Values that the picture shows as black and white")
          .integer("tiles", &Options::tiles, OptionRange::at_least(0), "",
                   "How many frames and slices the picture shows (0: all)");
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
  return image;
}

ImageOptions picture_options(const Options& options) {
  ImageOptions picture = image_options(options);
  picture.part = ImagePart::magnitude;
  return picture;
}

// What writing would refuse, before the work: outputs that can not be written, or that would overwrite the scan.
void check_outputs(const Options& options, const Scan& scan) {
  std::error_code ignored;
  std::vector<ImageFrame> frames;
  for (const ScanFrame& frame : scan.frames) frames.push_back({frame.index, frame.geometry});
  const Shape volume{scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  const auto check = [&](const std::string& path, const ImageOptions& image, const std::vector<ImageFrame>& shown) {
    if (path.empty()) return;
    if (fs::equivalent(options.scan, path, ignored)) {
      throw ValueError(fmt::format("'{}' is the scan itself; give the image another name", path));
    }
    refuse_to_overwrite(options.references, path);
    check_image_path(path, volume.with_front(static_cast<Index>(shown.size())), shown, image);
  };
  check(options.output, image_options(options), frames);
  check(options.png, picture_options(options), frames);
  if (!options.lambda.picture.empty()) refuse_to_overwrite(std::vector{options.scan}, options.lambda.picture);
  std::set<std::string> paths{options.output};
  for (const ErrorBarImages& wanted : error_bar_images(options.error_bars, frames)) {
    check(wanted.path, image_options(options), wanted.frames);
    if (!paths.insert(wanted.path).second) {
      throw ValueError(fmt::format("'{}' is to hold two things; give each a name of its own", wanted.path));
    }
  }
}

RunRecord make_record(const Options& options, const Session& session, const Scan& scan) {
  RunRecord record;
  record.command_line = session.command_line;
  record.parameters = describe(options.recon);
  for (auto& parameter : describe(options.recon.error_bars)) record.parameters.push_back(std::move(parameter));
  record.parameters.emplace_back("trajectory_unit", scan.trajectory_unit);
  record.parameters.emplace_back("memory_predicted_bytes", static_cast<std::int64_t>(reconstruction_memory(
                                                               session.device(), scan, options.recon)));
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

std::vector<fs::path> input_files(const Options& options) {
  std::vector<fs::path> files{options.scan};
  if (!options.maps_file.empty()) files.emplace_back(file_of(options.maps_file));
  if (!options.normal.given.empty()) files.emplace_back(options.normal.given);
  files.insert(files.end(), options.references.begin(), options.references.end());
  return files;
}

// Filters as what the reconstruction does to its images in the end.
ImageHook filter_hook(const std::string& pipeline) {
  const ComplexImageFilter filter(pipeline);
  return {pipeline, [filter](const Shape& images) { filter.check(images); },
          [filter](const Context& ctx, const Array<std::complex<float>>& images) { return filter.apply(ctx, images); }};
}

void run(Options options, const Session& session) {
  if (!options.filter.empty()) options.recon.filter = filter_hook(options.filter);
  if (options.recon.penalty != PenaltyKind::tikhonov) {
    options.recon.lambda = usual_lambda_of_differences;
  } else if (!options.lambda.given() && options.recon.prewhiten) {
    options.lambda.method = LambdaMethod::spectrum;
  }
  options.lambda.apply(options.recon.lambda, options.recon.lambda_search);
  InputDescriptions inputs(input_files(options));
  read_references(session.ctx, options.references, options.recon);
  Scan scan = read_scan(session.ctx, options.scan, options.read);
  options.recon.error_bars = error_bar_options(options.error_bars, scan);
  check_outputs(options, scan);
  if (!options.maps_file.empty()) {
    scan.coil_maps = read_maps(session.ctx, options.maps_file, scan);
    options.recon.coil_maps = CoilMapMethod::file;
  }
  prepare_normals(session.ctx, options.normal, options.scan, options.recon);
  RunRecord record = make_record(options, session, scan);
  Reconstruction result = reconstruct(session.device(), std::move(scan), options.recon);
  record.inputs = inputs.get(session.ctx);
  if (!result.reports.empty()) result.notes.push_back(solver_note(result.reports));

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
  for (const SliceLambda& of : result.lambdas) {
    record.tables.push_back(lambda_table(fmt::format("lambda_of_slice_{}", of.slice), of.choice));
  }
  record.stage_seconds = result.stage_seconds;
  record.notes.insert(record.notes.end(), result.notes.begin(), result.notes.end());
  write_record(session.working(), record, record_path(options.output));

  if (session.quiet) return;
  std::string text;
  for (const std::string& note : record.notes) text += note + "\n";
  for (const std::string& path : record.outputs) text += fmt::format("wrote {}\n", path);
  std::fputs(text.c_str(), stdout);
}

constexpr const char* examples = R"(Examples:
  whorl recon scan.h5 -o image.nii.gz --png image.png
                                        the default: prewhitened, coil maps estimated, CG-SENSE
  whorl recon scan.h5 --method gridding -o image.nii.gz
                                        density compensation, gridding, inverse FFT, root-sum-of-squares
  whorl recon scan.h5 -o image.nii.gz --iterations 50 --lambda 1e-3
                                        more iterations, and a stronger pull of noise towards zero
  whorl recon scan.h5 -o image.nii.gz --lambda auto --lambda-curve curve.png
                                        the weight that the data ask for, and the curve it was chosen on
  whorl recon scan.h5 -o image.nii.gz --maps-file maps.npy
                                        with the coil maps of a file (whorl coils estimate)
  whorl recon scan.h5 -o image.nii.gz --prior proton.nii.gz --lambda 0.5
                                        neighbors held alike, but for where the reference shows an edge
  whorl recon scan.h5 -o image.h5 --complex
                                        the complex image, as ISMRMRD
  whorl recon scan.h5 -o image.nii.gz --transform exact --save-normal setup.npz
                                        exact sums, which take long; other scans with this trajectory
                                        take --normal setup.npz and skip the longest of them
  whorl recon scan.h5 -o image.nii.gz --stddev sigma.nii.gz --psf 64,64
                                        the noise of each voxel, and the resolution at one
  whorl recon scan.h5 -o image.nii.gz --filter 'magnitude | median 1'
                                        filtered on the device (whorl filter --list)
What was done, with what, and how long it took lies beside the image (image.json).)";

}  // namespace

Command recon_command() {
  return {"recon", "Reconstruct a scan: gridding, or iterative least squares with coil sensitivities", examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_option("scan", options->scan, "Scan (ISMRMRD, .h5)")->required();
            app.add_option("-o,--output", options->output, "Image to write: " + image_extensions())
                ->check(Check(check_image_name))
                ->required();
            app.add_option(
                   "--png", options->png,
                   "Also write a picture of the magnitude, all frames side by side, enlarged to 512 pixels or more")
                ->check(Check(check_png_name));
            add_options(app, *options, picture_table());
            app.add_flag("--complex", options->complex, "Write the complex image, not its magnitude");
            add_recon_options(app, options->recon);
            add_lambda_options(app, options->lambda,
                               fmt::format("spectrum, or {:g} with --no-prewhitening", options->recon.lambda),
                               NoiseLevel::known, solver_group);
            add_prior_options(app, options->recon, options->references);
            app.add_option("--maps-file", options->maps_file,
                           "Take the coil maps from this file: [coil, (z,) y, x], as whorl coils estimate writes them")
                ->excludes("--maps")
                ->group("Coils");
            add_normal_options(app, options->normal);
            add_error_bar_options(app, options->error_bars);
            app.add_option("--filter", options->filter,
                           "Filters for the complex images, before they leave the device: 'gaussian sigma=1 | unsharp' "
                           "(whorl filter --list)");
            add_scan_options(app, options->read);
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
