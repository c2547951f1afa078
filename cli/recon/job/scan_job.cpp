#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <span>

#include "cli/options/image_axes.hpp"
#include "cli/recon/job/checkpoint.hpp"
#include "cli/recon/job/image_outputs.hpp"
#include "cli/recon/job/own_peak.hpp"
#include "cli/recon/job/print_plan.hpp"
#include "cli/recon/job/scan_job.hpp"
#include "cli/recon/job/shared_reading.hpp"
#include "core/out_of_memory.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/normal_file.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

RunRecord make_record(const ReconRequest& request, const Session& session, const Scan& scan, Index predicted_bytes) {
  RunRecord record;
  record.command_line = session.command_line;
  record.parameters = describe(request.recon);
  append(record.parameters, describe(request.frames));
  append(record.parameters, describe(request.subspace));
  for (auto& parameter : describe(request.recon.error_bars)) record.parameters.push_back(std::move(parameter));
  append(record.parameters, describe(request.recon.signal));
  record.parameters.emplace_back("trajectory_unit", scan.trajectory_unit);
  record.parameters.emplace_back("memory_predicted_bytes", static_cast<std::int64_t>(predicted_bytes));
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
                     reports.size() > 1 ? " at most" : "", worst, describe_ends(reports));
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

const std::vector<Context>& devices_of(const Session& session) {
  const std::vector<Context>& devices = session.devices();
  if (devices.size() > 1 && session.ranks->size() > 1) {
    throw ValueError("--device cuda:all is for one process; of several, each takes a GPU of its own (--device cuda)");
  }
  return devices;
}

Reconstruction reconstruct_on(const Session& session, Scan&& scan, const std::optional<SubspaceBasis>& basis,
                              const ReconOptions& options, const ReconPlan& plan) {
  const std::vector<Context>& devices = devices_of(session);
  if (basis) return reconstruct_subspace(devices, std::move(scan), *basis, options);
  return devices.size() == 1 ? reconstruct(devices.front(), std::move(scan), options, plan)
                             : reconstruct(devices, std::move(scan), options);
}

}  // namespace

std::vector<std::string*> ReconRequest::further_outputs() {
  return {&png,
          &checkpoint,
          &place.saved_motion,
          &place.k_shift.saved,
          &frames.signal,
          &movie.path,
          &subspace.saved,
          &subspace.frames,
          &saved_maps,
          &saved_sets,
          &saved_parts,
          &normal.saved,
          &lambda.picture,
          &error_bars.standard_deviation,
          &error_bars.g_factor,
          &error_bars.bias,
          &error_bars.point_spread};
}

ScanJob::ScanJob(ReconRequest request, const Session& session, CheckWritten check_written)
    : request_(std::move(request)), session_(session), check_written_(std::move(check_written)) {}

ScanJob::~ScanJob() = default;

void ScanJob::read(const Context& ctx) {
  const double start = process_seconds();
  inputs_ = std::make_unique<InputDescriptions>(session_.writes() ? session_.files.to_read() : std::vector<fs::path>());
  const ReconRequest given = request_;
  try {
    read_in(ctx, false);
  } catch (const detail::OutOfMemory&) {
    // Data that leave room for themselves may leave too little for corrections: in a file they leave all.
    if (request_.recon.spill.data_in_file) throw;
    request_ = given;
    read_in(ctx, true);
  }
  times_.read = process_seconds() - start;
}

void ScanJob::read_in(const Context& ctx, bool data_in_file) {
  const bool writes = session_.writes();
  request_.recon.spill.data_in_file = data_in_file;
  read_references(ctx, request_.references, request_.recon);
  read_support(ctx, request_.support, request_.recon);
  read_signal_maps(ctx, request_.signal, request_.recon.signal);
  share_frames(request_, session_);
  request_.read.data_memory = data_memory(ctx, request_.recon.spill);
  Scan read = read_scan(ctx, request_.scan, request_.read);
  if (const auto& later = request_.read.later; later != nullptr && *later) {
    read_later(ctx, std::move(*later), read, request_.recon);
  }
  if (needs_facts(request_)) request_.facts = read_measurement_facts(request_.scan, request_.read);
  settle_field(request_.signal, request_.facts, request_.recon.signal);
  places_ = apply_place(ctx, request_.place, read, request_.recon.signal.dwell_us);
  if (!request_.recon.signal.changes()) request_.recon.signal.dwell_us.reset();  // it was for the gradients
  const FrameOptions& frames = request_.frames.frames;
  const Context frame_memory = data_in_file && frames.any() ? ctx.spilled(request_.recon.spill.folder)
                                                            : memory_of_frames(ctx, read, frames, request_.recon.spill);
  framed_ = make_frames(frame_memory, std::move(read), frames);
  Scan& scan = framed_.scan;
  request_.recon.signal.weights = sample_weights(ctx, request_.frames, scan);
  if (request_.subspace.any()) {
    basis_ = subspace_basis(ctx, *session_.ranks, request_.subspace, scan);
  } else {
    request_.frame_interval_ms = scan.frame_interval_ms;
  }
  request_.movie.window = request_.window;
  gating_ = signal_columns(ctx, framed_);
  request_.recon.error_bars = error_bar_options(request_.error_bars, scan);
  if (writes) check_outputs(request_, check_written_, scan);
  if (!request_.maps_file.empty()) scan.coil_maps = read_maps(ctx, request_.maps_file, scan);
  prepare_normals(ctx, request_.normal, request_.recon);
  request_.recon.keep_maps = !request_.saved_maps.empty();
  request_.recon.keep_parts = !request_.saved_parts.empty();
}

ReconPlan ScanJob::planned(const Context& device) const {
  return basis_ ? plan_subspace_reconstruction(device, framed_.scan, *basis_, request_.recon)
                : plan_reconstruction(device, framed_.scan, request_.recon);
}

void ScanJob::print_plan() const {
  const Context& device = session_.device();
  ReconPlan plan;
  agree(*session_.ranks, [&] { plan = planned(device); });
  if (session_.writes()) cli::print_plan(device, plan);
}

bool ScanJob::writes_stream() const {
  return session_.writes() && !request_.subspace.any() && ImageSeriesWriter::takes(request_.output);
}

Index ScanJob::plan() {
  const Context& device = session_.device();
  plan_ = planned(device);
  const Index bytes = plan_.bytes;
  const Index read = is_whole_process_ ? memory_of_reading(device) : 0;  // the peak of others is not this one's
  record_ = make_record(request_, session_, framed_.scan, std::max(bytes, read));
  if (session_.writes()) record_.hashes.emplace_back("scan", hash_of(session_.ctx, framed_.scan));
  return bytes;
}

void ScanJob::reconstruct() {
  Scan& scan = framed_.scan;
  frame_interval_ms_ = scan.frame_interval_ms;
  matrix_ = scan.matrix;
  if (!request_.checkpoint.empty()) {
    agree(*session_.ranks, [&] {
      if (!session_.writes()) return;
      record_.inputs = inputs_->get(session_.ctx);
      request_.recon.finished = open_checkpoint(session_.ctx, session_.device(), request_.checkpoint,
                                                request_.checkpoint_every, scan, record_);
    });
    if (!session_.writes()) {
      request_.recon.finished = join_checkpoint(session_.ctx, request_.checkpoint, request_.checkpoint_every, record_);
    }
  }
  if (writes_stream()) {
    stream_ = open_stream(request_, session_, scan);
    request_.recon.on_image = [this](Index frame, ArrayRef<const std::complex<float>> image) {
      stream_->add(frame, image);
    };
  }
  std::optional<OwnPeak> peak;
  if (!is_whole_process_) peak.emplace(session_.device());
  result_ = reconstruct_on(session_, std::move(scan), basis_, request_.recon, plan_);
  if (peak) peak->keep_in(record_);
}

ReconResult ScanJob::write(const Context& ctx) {
  if (!session_.writes()) return {};
  const double start = process_seconds();
  if (record_.inputs.empty()) record_.inputs = inputs_->get(ctx);
  if (!result_.reports.empty()) {
    result_.notes.push_back(request_.recon.regularizers.empty() ? solver_note(request_.recon.method, result_.reports)
                                                                : regularizer_note(request_.recon, result_.reports));
  }
  if (result_.coil_maps.size() > 0) record_.hashes.emplace_back("coil maps", hash_of(ctx, result_.coil_maps));
  record_.hashes.emplace_back("image", hash_of(ctx, result_.images));
  write_images(ctx);
  write_arrays(ctx);
  for (const fs::path& path : written_) record_.outputs.push_back(path.string());
  describe_solution();
  times_.write = process_seconds() - start;
  add_process_times(times_, record_);
  write_record(session_.working(), record_, record_path(request_.output));

  ReconResult made{.record = std::move(record_), .frames = result_.images.extent(0)};
  for (const SolverReport& report : result_.reports) {
    made.iterations = std::max(made.iterations, report.iterations);
    made.residual = std::max(made.residual, report.residuals.back());
  }
  return made;
}

void ScanJob::take(const WrittenImages& files) {
  written_.insert(written_.end(), files.files.begin(), files.files.end());
  if (!files.note.empty()) result_.notes.push_back(files.note);
}

void ScanJob::write_images(const Context& ctx) {
  const auto write = [&](const std::string& path, ArrayRef<const std::complex<float>> images,
                         const std::vector<ImageFrame>& frames, const ImageOptions& image,
                         const std::string& label = {}) {
    if (path.empty()) return;
    if (!path.ends_with(".png")) return take(write_image(ctx, path, images, frames, image));
    write_overview(ctx, path, images, overview_options(image, frames, images.shape()), label);
    written_.emplace_back(path);
  };
  if (stream_ != nullptr) {
    take(stream_->finish(ctx, result_.images));
  } else {
    write(request_.output, result_.images, result_.frames, image_options(request_));
  }
  write(request_.png, result_.images, result_.frames, picture_options(request_));
  for (const ErrorBarImages& bars : error_bar_images(ctx, request_.error_bars, result_)) {
    write(bars.path, bars.values, bars.frames, image_options(request_), bars.quantity);
  }
  if (!basis_) return write_movie(ctx, request_.movie, result_.images, written_);
  const SubspaceFrames series = all_subspace_frames(ctx, result_, *basis_);
  ImageOptions timed = image_options(request_);
  timed.frame_interval_ms = frame_interval_ms_;
  write(request_.subspace.frames, series.images, series.frames, timed);
  write_movie(ctx, request_.movie, series.images, written_);
}

void ScanJob::write_arrays(const Context& ctx) {
  const auto write = [&](const std::string& path, const NamedArray& array) {
    write_array(ctx, path, array);
    written_.emplace_back(path);
  };
  const auto write_maps = [&](const std::string& path, const char* name, Array<std::complex<float>>& values) {
    if (path.empty()) return;
    std::vector<Geometry> places;
    std::transform(result_.frames.begin(), result_.frames.end(), std::back_inserter(places),
                   [](const ImageFrame& frame) { return frame.geometry; });
    values.reshape(without_leading_ones(values.shape()));
    write(path, {name, std::move(values), affine_of(places, matrix_)});
  };
  if (basis_ && !request_.subspace.saved.empty()) {
    write(request_.subspace.saved, {"basis", clone(ctx, basis_->vectors.ref()), {}});
  }
  if (!request_.frames.signal.empty()) write(request_.frames.signal, {"gating", clone(ctx, gating_.ref()), {}});
  if (!request_.place.saved_motion.empty()) {
    write(request_.place.saved_motion, {"poses", clone(ctx, places_.poses.ref()), {}});
  }
  if (!request_.place.k_shift.saved.empty()) {
    write(request_.place.k_shift.saved, {"readout_shifts", clone(ctx, places_.readout_shifts.ref()), {}});
  }
  write_maps(request_.saved_maps, "maps", result_.coil_maps);
  write_maps(request_.saved_sets, "sets", result_.set_images);
  write_maps(request_.saved_parts, "parts", result_.parts);
  if (!request_.normal.saved.empty()) {
    write_normals(ctx, request_.normal.saved, result_.normals);
    written_.emplace_back(request_.normal.saved);
  }
  if (!request_.lambda.picture.empty() && !result_.lambdas.empty()) {
    write_lambda_picture(ctx, request_.lambda.picture, result_.lambdas.front().choice);
    written_.emplace_back(request_.lambda.picture);
  }
}

void ScanJob::describe_solution() {
  for (const SolverReport& report : result_.reports) record_.residuals.push_back(report.residuals);
  for (std::size_t i = 0; !request_.recon.regularizers.empty() && i < result_.reports.size(); ++i) {
    record_.tables.push_back(solver_table(fmt::format("solver_of_image_{}", i), result_.reports[i]));
  }
  for (const SliceLambda& of : result_.lambdas) {
    record_.tables.push_back(lambda_table(fmt::format("lambda_of_slice_{}", of.slice), of.choice));
  }
  for (const Certificate& of : result_.certificates) record_.tables.push_back(certificate_table(of));
  record_.stage_seconds = result_.stage_seconds;
  record_.notes.insert(record_.notes.end(), result_.notes.begin(), result_.notes.end());
}

ReconResult reconstruct_file(ReconRequest request, const Session& session, const CheckWritten& check_written) {
  const bool is_dry = request.dry_run;
  // A GPU starts while the scan is read.
  std::future<void> device = std::async(std::launch::async, [&session] { static_cast<void>(session.devices()); });
  ScanJob job(std::move(request), session, check_written);
  job.read(session.ctx);
  device.get();
  job.is_whole_process();
  if (is_dry) {
    job.print_plan();
    return {};
  }
  job.plan();
  job.reconstruct();
  return job.write(session.ctx);
}

}  // namespace whorl::cli
