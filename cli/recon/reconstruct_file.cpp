#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "cli/options/image_axes.hpp"
#include "cli/output/input_descriptions.hpp"
#include "cli/recon/checkpoint.hpp"
#include "cli/recon/print_plan.hpp"
#include "cli/recon/recon_request.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/normal_file.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/shared_frames.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

ImageOptions image_options(const ReconRequest& request) {
  ImageOptions image;
  image.png.zoom = 0;  // a picture to look at
  image.part = request.complex ? ImagePart::complex : ImagePart::magnitude;
  if (!request.window.empty()) {
    image.png.low = request.window[0];
    image.png.high = request.window[1];
  }
  if (request.tiles > 0) image.png.tiles = request.tiles;
  image.frame_interval_ms = request.frame_interval_ms;
  image.bids_sidecar = request.bids;
  image.facts = request.facts;
  return image;
}

ImageOptions picture_options(const ReconRequest& request) {
  ImageOptions picture = image_options(request);
  picture.part = ImagePart::magnitude;
  return picture;
}

// What writing would refuse, and is known with the scan alone.
void check_outputs(const ReconRequest& request, const CheckWritten& check_written, const Scan& scan) {
  std::vector<ImageFrame> frames = image_frames(request.subspace, scan);
  const Shape volume{scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  const auto check = [&](const std::string& path, const ImageOptions& image, const std::vector<ImageFrame>& shown) {
    if (path.empty()) return;
    check_written(path, check_image_path(path, volume.with_front(static_cast<Index>(shown.size())), shown, image));
  };
  check(request.output, image_options(request), frames);
  check(request.png, picture_options(request), frames);
  check_movie(request.movie, volume.with_front(static_cast<Index>(frames.size())));
  for (const ErrorBarImages& wanted : error_bar_images(request.error_bars, frames)) {
    check(wanted.path, image_options(request), wanted.frames);
  }
}

RunRecord make_record(const ReconRequest& request, const Session& session, const Scan& scan,
                      const SubspaceBasis* basis) {
  RunRecord record;
  record.command_line = session.command_line;
  record.parameters = describe(request.recon);
  append(record.parameters, describe(request.frames));
  append(record.parameters, describe(request.subspace));
  for (auto& parameter : describe(request.recon.error_bars)) record.parameters.push_back(std::move(parameter));
  append(record.parameters, describe(request.recon.signal));
  record.parameters.emplace_back("trajectory_unit", scan.trajectory_unit);
  const Index bytes = basis != nullptr ? subspace_reconstruction_memory(session.device(), scan, *basis, request.recon)
                                       : reconstruction_memory(session.device(), scan, request.recon);
  record.parameters.emplace_back("memory_predicted_bytes", static_cast<std::int64_t>(bytes));
  record.notes = scan.notes;
  return record;
}

// One line for people on how the solver ended.
std::string solver_note(ReconMethod method, const std::vector<SolverReport>& reports) {
  int most = 0;
  double worst = 0;
  for (const SolverReport& report : reports) {
    most = std::max(most, report.iterations);
    worst = std::max(worst, report.residuals.back());
  }
  if (method == ReconMethod::nlinv) {
    return fmt::format("NLINV: {} steps, {} iterations{}, misfit {:.3g}.", reports.front().residuals.size() - 1, most,
                       reports.size() > 1 ? " at most" : "", worst);
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

// The reconstruction of several processes: each reads the data of its own frames, where no step needs those of all.
void share_frames(ReconRequest& request, const Session& session) {
  if (session.ranks->size() == 1) return;
  if (request.subspace.any()) {
    throw Unsupported("subspace: is the work of one process; start one, without mpirun, or leave the subspace out");
  }
  request.recon.ranks = session.ranks;
  const PlaceOptions& place = request.place;
  const bool moves =
      place.estimate_delays || !place.motion.empty() || place.motion_readouts > 0 || !place.shift.empty();
  const bool hashes_all = session.writes() && !request.checkpoint.empty();
  if (moves || hashes_all || request.frames.frames.any() || request.frames.frames.gating.soft > 0 ||
      !reads_own_frames(request.recon))
    return;
  request.read.frames_with_data = [ranks = session.ranks, recon = request.recon](std::span<const FrameIndex> frames) {
    return frames_read_by(*ranks, frames, recon);
  };
}

Reconstruction reconstruct_on(const Session& session, Scan&& scan, const ReconOptions& options) {
  const std::vector<Context>& devices = session.devices();
  if (devices.size() == 1) return reconstruct(devices.front(), std::move(scan), options);
  if (session.ranks->size() > 1) {
    throw ValueError("--device cuda:all is for one process; of several, each takes a GPU of its own (--device cuda)");
  }
  return reconstruct(devices, std::move(scan), options);
}

}  // namespace

std::vector<std::string*> ReconRequest::further_outputs() {
  return {&png,
          &checkpoint,
          &place.saved_motion,
          &frames.signal,
          &movie.path,
          &subspace.saved,
          &subspace.frames,
          &saved_maps,
          &saved_sets,
          &normal.saved,
          &lambda.picture,
          &error_bars.standard_deviation,
          &error_bars.g_factor,
          &error_bars.bias,
          &error_bars.point_spread};
}

ReconResult reconstruct_file(ReconRequest request, const Session& session, const CheckWritten& check_written) {
  const bool writes = session.writes();
  InputDescriptions inputs(writes ? session.files.to_read() : std::vector<fs::path>());
  read_references(session.ctx, request.references, request.recon);
  read_signal_maps(session.ctx, request.signal, request.recon.signal);
  share_frames(request, session);
  Scan read = read_scan(session.ctx, request.scan, request.read);
  request.facts = read_measurement_facts(request.scan, request.read);
  settle_field(request.signal, request.facts, request.recon.signal);
  const Array<double> poses = apply_place(session.ctx, request.place, read, request.recon.signal.dwell_us);
  if (!request.recon.signal.changes()) request.recon.signal.dwell_us.reset();  // it was for the gradients
  GatedScan framed = make_frames(session.ctx, std::move(read), request.frames.frames);
  Scan& scan = framed.scan;
  request.recon.signal.weights = sample_weights(session.ctx, request.frames, scan);
  std::optional<SubspaceBasis> basis;
  if (request.subspace.any()) {
    basis = subspace_basis(session.ctx, request.subspace, scan);
  } else {
    request.frame_interval_ms = scan.frame_interval_ms;
  }
  request.movie.window = request.window;
  const Array<double> gating = signal_columns(session.ctx, framed);
  request.recon.error_bars = error_bar_options(request.error_bars, scan);
  if (writes) check_outputs(request, check_written, scan);
  if (!request.maps_file.empty()) {
    scan.coil_maps = read_maps(session.ctx, request.maps_file, scan);
  }
  prepare_normals(session.ctx, request.normal, request.recon);
  request.recon.keep_maps = !request.saved_maps.empty();
  if (request.dry_run) {
    if (writes) print_plan(session.device(), plan_reconstruction(session.device(), scan, request.recon));
    return {};
  }
  RunRecord record = make_record(request, session, scan, basis ? &*basis : nullptr);
  const double frame_interval_ms = scan.frame_interval_ms;
  const std::array<Index, 3> matrix = scan.matrix;
  if (!request.checkpoint.empty()) {
    if (writes) {
      record.inputs = inputs.get(session.ctx);
      request.recon.finished =
          open_checkpoint(session.ctx, session.device(), request.checkpoint, request.checkpoint_every, scan, record);
    } else {
      request.recon.finished = join_checkpoint(session.ctx, request.checkpoint, request.checkpoint_every, record);
    }
  }
  Reconstruction result = basis ? reconstruct_subspace(session.device(), std::move(scan), *basis, request.recon)
                                : reconstruct_on(session, std::move(scan), request.recon);
  if (!writes) return {};
  if (record.inputs.empty()) record.inputs = inputs.get(session.ctx);
  const bool regularized = !request.recon.regularizers.empty();
  if (!result.reports.empty()) {
    result.notes.push_back(regularized ? regularizer_note(request.recon, result.reports)
                                       : solver_note(request.recon.method, result.reports));
  }

  std::vector<fs::path> written;
  const auto write = [&](const std::string& path, ArrayRef<const std::complex<float>> images,
                         const std::vector<ImageFrame>& frames, const ImageOptions& image) {
    if (path.empty()) return;
    WrittenImages files = write_image(session.ctx, path, images, frames, image);
    written.insert(written.end(), files.files.begin(), files.files.end());
    if (!files.note.empty()) result.notes.push_back(files.note);
  };
  write(request.output, result.images, result.frames, image_options(request));
  write(request.png, result.images, result.frames, picture_options(request));
  for (const ErrorBarImages& bars : error_bar_images(session.ctx, request.error_bars, result)) {
    write(bars.path, bars.values, bars.frames, image_options(request));
  }
  if (basis) {
    const SubspaceFrames series = all_subspace_frames(session.ctx, result, *basis);
    ImageOptions timed = image_options(request);
    timed.frame_interval_ms = frame_interval_ms;
    write(request.subspace.frames, series.images, series.frames, timed);
    write_movie(session.ctx, request.movie, series.images, written);
    if (!request.subspace.saved.empty()) {
      write_array(session.ctx, request.subspace.saved, {"basis", clone(session.ctx, basis->vectors.ref()), {}});
      written.emplace_back(request.subspace.saved);
    }
  } else {
    write_movie(session.ctx, request.movie, result.images, written);
  }
  if (!request.frames.signal.empty()) {
    write_array(session.ctx, request.frames.signal, {"gating", clone(session.ctx, gating.ref()), {}});
    written.emplace_back(request.frames.signal);
  }
  if (!request.place.saved_motion.empty()) {
    write_array(session.ctx, request.place.saved_motion, {"poses", clone(session.ctx, poses.ref()), {}});
    written.emplace_back(request.place.saved_motion);
  }
  const auto write_maps = [&](const std::string& path, const char* name, Array<std::complex<float>>& values) {
    if (path.empty()) return;
    std::vector<Geometry> places;
    std::transform(result.frames.begin(), result.frames.end(), std::back_inserter(places),
                   [](const ImageFrame& frame) { return frame.geometry; });
    values.reshape(without_leading_ones(values.shape()));
    write_array(session.ctx, path, {name, std::move(values), affine_of(places, matrix)});
    written.emplace_back(path);
  };
  write_maps(request.saved_maps, "maps", result.coil_maps);
  write_maps(request.saved_sets, "sets", result.set_images);
  if (!request.normal.saved.empty()) {
    write_normals(session.ctx, request.normal.saved, result.normals);
    written.emplace_back(request.normal.saved);
  }
  if (!request.lambda.picture.empty() && !result.lambdas.empty()) {
    write_lambda_picture(session.ctx, request.lambda.picture, result.lambdas.front().choice);
    written.emplace_back(request.lambda.picture);
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
  write_record(session.working(), record, record_path(request.output));

  ReconResult made{.record = std::move(record), .frames = result.images.extent(0)};
  for (const SolverReport& report : result.reports) {
    made.iterations = std::max(made.iterations, report.iterations);
    made.residual = std::max(made.residual, report.residuals.back());
  }
  return made;
}

}  // namespace whorl::cli
