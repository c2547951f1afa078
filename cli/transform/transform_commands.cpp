// whorl nufft and whorl dft: images to samples and back.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/options/scan_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "cli/recon/recon_options.hpp"
#include "cli/transform/transform.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/image_axes.hpp"
#include "whorl/io/image_type.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"
#include "whorl/job/lambda_picture.hpp"
#include "whorl/math/value_range.hpp"
#include "whorl/op/option_tables.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::cli {

namespace {

enum class Direction { forward, adjoint, inverse };

struct Options {
  Direction direction = Direction::forward;
  std::string input;
  std::string trajectory;
  std::string output;
  bool double_precision = false;
  TransformOptions transform;
  LambdaRequest lambda;
  std::string lambda_curve;
  ScanReadOptions read;
};

const char* name_of(TransformKind kind) { return kind == TransformKind::dft ? "dft" : "nufft"; }

RunRecord make_record(const Options& options, const Session& session, const Scan& scan) {
  RunRecord record = begin_record(session);
  record.parameters = {{"transform", std::string(name_of(options.transform.kind))},
                       {"precision", std::string(options.double_precision ? "double" : "single")},
                       {"trajectory_unit", scan.trajectory_unit}};
  if (options.transform.kind == TransformKind::nufft) {
    append(record.parameters, parameters_of(options.transform.nufft));
  } else {
    append(record.parameters, parameters_of(options.transform.dft));
  }
  if (options.direction == Direction::adjoint) record.parameters.emplace_back("weights", options.transform.weighted);
  if (options.direction == Direction::inverse) {
    append(record.parameters, parameters_of(options.transform.solver));
    append(record.parameters, describe_lambda(options.transform.solver.lambda, options.transform.lambda_search));
  }
  record.notes = scan.notes;
  return record;
}

// Adds the time of the work under a name.
template <class Work>
auto timed(RunRecord& record, const char* stage, const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  auto result = work();
  record.stage_seconds.emplace_back(stage, std::chrono::duration<double>(Clock::now() - start).count());
  return result;
}

bool is_array_file(const std::string& path) { return image_type(path) == ImageType::npy; }

template <class Real>
Array<std::complex<Real>> read_complex(const Context& ctx, const std::string& source) {
  return converted<std::complex<Real>>(ctx, read_array(ctx, source).values, source);
}

// Samples of one array [frame, coil, sample] are as many in each frame.
void check_frames_alike(const Options& options, const Scan& trajectories) {
  const Index first = trajectories.frames.empty() ? 0 : trajectories.frames.front().trajectory->samples();
  for (const ScanFrame& frame : trajectories.frames) {
    const Index samples = frame.trajectory->samples();
    if (samples == first) continue;
    throw ShapeError(fmt::format("'{}': frames of {} and {} samples do not fit one array; write a scan ({})",
                                 options.output, first, samples, scan_extensions()));
  }
}

// [frame, coil, sample] as one array.
template <class Real>
void write_samples(const Session& session, const Options& options,
                   const std::vector<Array<std::complex<Real>>>& samples) {
  const Shape& first = samples.front().shape();
  Array<std::complex<Real>> all(session.ctx, first.with_front(static_cast<Index>(samples.size())));
  for (std::size_t f = 0; f < samples.size(); ++f) {
    copy<std::complex<Real>>(samples[f], all.slice(static_cast<Index>(f)));
  }
  all.reshape(without_leading_ones(all.shape()));
  write_array(session.ctx, options.output, {"samples", std::move(all)});
}

// The trajectories with the samples for data. Where one trajectory measured several images they are repetitions.
template <class Real>
Scan scan_with(const Context& ctx, Scan scan, const std::vector<Array<std::complex<Real>>>& samples) {
  scan.coils = samples.front().extent(0);
  remove_noise_scan(scan);
  scan.coil_maps = {};
  const bool repeated = scan.frames.size() < samples.size();
  std::vector<ScanFrame> frames;
  for (std::size_t f = 0; f < samples.size(); ++f) {
    const ScanFrame& from = scan.frames[repeated ? 0 : f];
    ScanFrame frame{from.index, from.trajectory, from.weights, Array<std::complex<float>>(ctx, samples[f].shape()),
                    from.geometry};
    if (repeated) frame.index.repetition = static_cast<int>(f);
    check_range<float>("forward transform: the result", largest_part<Real>(ctx, samples[f]), 0);
    std::transform(samples[f].span().begin(), samples[f].span().end(), frame.data.span().begin(),
                   [](std::complex<Real> value) { return std::complex<float>(value); });
    frames.push_back(std::move(frame));
  }
  scan.frames = std::move(frames);
  return scan;
}

template <class Real>
void run_forward(const Options& options, const Session& session) {
  const Context& ctx = session.ctx;
  Scan trajectories = read_scan(ctx, options.trajectory, options.read);
  if (is_array_file(options.output)) check_frames_alike(options, trajectories);
  RunRecord record = make_record(options, session, trajectories);
  Array<std::complex<Real>> images = read_complex<Real>(ctx, options.input);
  images.reshape(image_axes(images.shape(), trajectories.matrix, options.input));
  const auto samples = timed(record, "transform", [&] {
    return transform_forward<Real>(session.device(), images, trajectories, options.transform);
  });
  record.notes.emplace_back(fmt::format("{} frames, {} coils, {} samples a frame and coil.", samples.size(),
                                        images.extent(1), samples.front().extent(1)));
  if (is_array_file(options.output)) {
    write_samples<Real>(session, options, samples);
  } else {
    if (options.double_precision) record.notes.emplace_back("The scan holds the samples rounded to single precision.");
    write_scan(ctx, scan_with<Real>(ctx, std::move(trajectories), samples), options.output);
  }
  finish_run(session, record);
}

// The samples of a scan, or those of an array with the trajectories of another file.
template <class Real>
std::vector<Array<std::complex<Real>>> read_samples(const Context& ctx, const Options& options, const Scan& scan) {
  using Complex = std::complex<Real>;
  std::vector<Array<Complex>> samples;
  if (options.trajectory.empty()) {
    if (scan.coils == 0) {
      throw ValueError(
          fmt::format("{}: a trajectory without data; give the samples and the trajectory (-t)", scan.source));
    }
    for (const ScanFrame& frame : scan.frames) {
      samples.emplace_back(ctx, frame.data.shape());
      std::copy(frame.data.span().begin(), frame.data.span().end(), samples.back().span().begin());
    }
    return samples;
  }
  Array<Complex> all = read_complex<Real>(ctx, options.input);
  if (scan.frames.empty()) throw ValueError(scan.source + ": holds no trajectory");
  all.reshape(sample_axes(all.shape(), scan.frames.front().trajectory->samples(), options.input));
  for (Index f = 0; f < all.extent(0); ++f) samples.push_back(clone(ctx, all.ref().slice(f)));
  return samples;
}

// One trajectory for several frames of samples is that of each.
void repeat_trajectory(const Context& ctx, Scan& scan, std::size_t frames) {
  if (scan.frames.size() != 1) return;
  while (scan.frames.size() < frames) {
    const ScanFrame& first = scan.frames.front();
    scan.frames.push_back(
        {first.index, first.trajectory, first.weights, Array<std::complex<float>>(ctx, {0, 0}), first.geometry});
  }
}

template <class Real>
void write_images(const Session& session, const Options& options, const Scan& scan, Array<std::complex<Real>> images) {
  std::vector<Geometry> places;
  for (const ScanFrame& frame : scan.frames) places.push_back(frame.geometry);
  images.reshape(without_leading_ones(images.shape()));
  write_array(session.ctx, options.output, {"image", std::move(images), affine_of(places, scan.matrix)});
}

Note solver_note(const std::vector<SolverReport>& reports) {
  const auto worst = std::max_element(reports.begin(), reports.end(), [](const auto& a, const auto& b) {
    return a.residuals.back() < b.residuals.back();
  });
  return doubt_if(!all_ended(reports),
                  fmt::format("Conjugate gradient: {} iterations, relative residual {:.2e}{}; {}.", worst->iterations,
                              worst->residuals.back(), reports.size() > 1 ? " (of the worst frame)" : "",
                              to_string(worst->stop_reason)));
}

template <class Real>
void run_backward(const Options& options, const Session& session) {
  const Context& ctx = session.ctx;
  Scan scan = read_scan(ctx, options.trajectory.empty() ? options.input : options.trajectory, options.read);
  RunRecord record = make_record(options, session, scan);
  const auto samples = read_samples<Real>(ctx, options, scan);
  repeat_trajectory(ctx, scan, samples.size());
  if (options.direction == Direction::adjoint) {
    write_images<Real>(session, options, scan, timed(record, "transform", [&] {
                         return transform_adjoint<Real>(session.device(), scan, samples, options.transform);
                       }));
  } else {
    auto found = timed(record, "least squares",
                       [&] { return transform_inverse<Real>(session.device(), scan, samples, options.transform); });
    for (const SolverReport& report : found.reports) record.residuals.push_back(report.residuals);
    if (found.lambda) {
      record.notes.emplace_back(found.lambda->reason + ".", found.lambda->kind);
      record.tables.push_back(lambda_table("lambda", *found.lambda));
      if (!options.lambda_curve.empty()) write_lambda_picture(ctx, options.lambda_curve, *found.lambda);
    }
    record.notes.emplace_back(solver_note(found.reports));
    write_images<Real>(session, options, scan, std::move(found.images));
  }
  finish_run(session, record);
}

void run(Options options, const Session& session) {
  options.lambda.apply(options.transform.solver.lambda, options.transform.lambda_search);
  if (options.direction == Direction::forward) {
    options.double_precision ? run_forward<double>(options, session) : run_forward<float>(options, session);
  } else {
    options.double_precision ? run_backward<double>(options, session) : run_backward<float>(options, session);
  }
}

void add_transform_options(App& app, Options& options) {
  constexpr const char* group = "Transform";
  if (options.transform.kind == TransformKind::nufft) {
    add_options(app, options.transform.nufft);
  } else {
    add_options(app, options.transform.dft);
  }
  app.add_flag("--double", options.double_precision, "Compute in double precision; images and .npy are complex128 then")
      ->group(group);
  const bool forward = options.direction == Direction::forward;
  const auto scan = [&options] { return options.trajectory.empty() ? options.input : options.trajectory; };
  add_scan_options(app, options.read, scan, {.but = {"trajectory-from", "noise-from", forward ? "center" : ""}});
  // Only the data of a scan have a center to state.
  if (!forward)
    app.get_option("--center")->when("samples of a scan", [&options] { return options.trajectory.empty(); });
}

// A scan has its trajectory. What can not be read is left to the reader, which says why.
bool is_scan(const std::string& file_and_name) {
  try {
    const std::filesystem::path file = file_of(file_and_name);
    return file == file_and_name && describe_file(file).holds_scan;
  } catch (const Error&) {
    return false;
  }
}

Run define_forward(App& app, const std::shared_ptr<Options>& options) {
  app.add_input("image", options->input, "Image [frame, coil, z, y, x], leading ones dropped: FILE or FILE:NAME")
      ->required();
  app.add_input("-t,--trajectory", options->trajectory, "Scan that gives the trajectory and the matrix")->required();
  app.add_output("-o,--output", options->output, with_record(samples_output()),
                 "Scan to write (" + scan_extensions() + "), or the samples alone as [frame, coil, sample] (.npy)")
      ->required();
  add_transform_options(app, *options);
  return [options](const Session& session) { run(*options, session); };
}

// What adjoint and inverse share.
void add_backward_options(App& app, Options& options) {
  app.add_input("samples", options.input, "Scan; or, with -t, samples [frame, coil, sample]: FILE or FILE:NAME")
      ->required();
  app.add_input("-t,--trajectory", options.trajectory, "Scan that gives the trajectory and the matrix of the samples")
      ->when("samples that are no scan", [&options] { return !is_scan(options.input); });
  app.add_output("-o,--output", options.output, with_record(array_output()), "Image to write: " + array_extensions())
      ->required();
}

Run define_adjoint(App& app, const std::shared_ptr<Options>& options) {
  add_backward_options(app, *options);
  app.add_flag("--weights", options->transform.weighted, "Multiply the samples by the scan's density weights first");
  add_transform_options(app, *options);
  return [options](const Session& session) { run(*options, session); };
}

Run define_inverse(App& app, const std::shared_ptr<Options>& options) {
  constexpr const char* group = "Solver";
  add_backward_options(app, *options);
  LeastSquaresOptions& solver = options->transform.solver;
  add_options(app, solver, {.changed = {{.name = "tolerance", .as = "residual"}}});
  add_lambda_options(app, options->lambda, options->lambda_curve, solver.lambda, group);
  add_transform_options(app, *options);
  return [options](const Session& session) { run(*options, session); };
}

constexpr const char* convention =
    R"(With k in cycles per pixel, r in pixels from floor(N/2), and s = 1/sqrt(number of voxels):
  forward  y_j = s sum_r x_r exp(-2 pi i k_j . r)      adjoint  x_r = s sum_j y_j exp(+2 pi i k_j . r)
)";

Command direction_command(TransformKind kind, Direction direction, const char* name, const char* summary,
                          const std::string& examples,
                          Run (*define)(App& app, const std::shared_ptr<Options>& options)) {
  return {name, summary, examples, [kind, direction, define](App& app) {
            const auto options = std::make_shared<Options>();
            options->direction = direction;
            options->transform.kind = kind;
            return define(app, options);
          }};
}

Command forward_command(TransformKind kind) {
  const std::string examples = convention + fmt::format(R"(Examples:
  whorl {0} forward image.npy -t trajectory.h5 -o scan.h5
                                        what a scanner would measure of the image, coil by coil
  whorl {0} forward image.npy -t trajectory.h5 -o samples.npy --double
                                        the samples alone, in double precision)",
                                                        name_of(kind));
  return direction_command(kind, Direction::forward, "forward", "Image to samples along a trajectory", examples,
                           define_forward);
}

Command adjoint_command(TransformKind kind) {
  const std::string examples = convention + fmt::format(R"(Examples:
  whorl {0} adjoint scan.h5 -o images.npy --weights
                                        gridding: an image of each coil
  whorl {0} adjoint samples.npy -t trajectory.h5 -o image.npy --double)",
                                                        name_of(kind));
  return direction_command(kind, Direction::adjoint, "adjoint", "Samples to image, by the adjoint", examples,
                           define_adjoint);
}

}  // namespace

Command nufft_command() {
  constexpr const char* examples =
      R"(Finds least sum_j |s sum_r x_r exp(-2 pi i k_j . r) - y_j|^2 + lambda |x|^2 for each coil by itself, lambda relative to
the operator's norm; without coil maps, so that a trajectory which leaves gaps in k-space leaves aliasing.
Examples:
  whorl nufft inverse scan.h5 -o images.npy
                                        an image of each coil
  whorl nufft inverse scan.h5 -o images.npy --iterations 50 --lambda 1e-3
  whorl nufft inverse scan.h5 -o images.npy --lambda gcv)";
  return {"nufft",
          "The fast transform along a trajectory: forward, adjoint, inverse",
          "Each explains itself: whorl nufft forward --help",
          {},
          {forward_command(TransformKind::nufft), adjoint_command(TransformKind::nufft),
           direction_command(TransformKind::nufft, Direction::inverse, "inverse",
                             "Samples to image, by least squares for each coil", examples, define_inverse)}};
}

Command dft_command() {
  return {"dft",
          "The exact transform along a trajectory, term by term: the reference for nufft, and slow",
          "Each explains itself: whorl dft forward --help",
          {},
          {forward_command(TransformKind::dft), adjoint_command(TransformKind::dft)}};
}

}  // namespace whorl::cli
