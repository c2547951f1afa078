#include "whorl/job/recon_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <utility>

#include "core/out_of_memory.hpp"
#include "job/calibration_maps.hpp"
#include "job/checkpoint.hpp"
#include "job/framed_scan.hpp"
#include "job/input_descriptions.hpp"
#include "job/inputs.hpp"
#include "job/outputs/outputs.hpp"
#include "job/outputs/record.hpp"
#include "job/own_peak.hpp"
#include "job/process_times.hpp"
#include "job/shared_reading.hpp"
#include "job/subspace.hpp"
#include "job/wider_field.hpp"
#include "recon/frame_groups.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/calibration.hpp"
#include "whorl/io/image_axes.hpp"
#include "whorl/io/image_series_writer.hpp"
#include "whorl/io/normal_file.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/job/lambda_picture.hpp"

namespace whorl {

namespace fs = std::filesystem;
using Complex = std::complex<float>;

namespace {

// The gating signal [slice, readout, column]. Frame -1: a slice with fewer readouts than another.
Array<double> signal_columns(const Context& ctx, const GatedScan& gated) {
  std::size_t readouts = 0;
  for (const GatingSignal& signal : gated.signals) readouts = std::max(readouts, signal.values.size());
  constexpr Index columns = 4;
  Array<double> table(ctx, {static_cast<Index>(gated.signals.size()), static_cast<Index>(readouts), columns});
  std::fill(table.span().begin(), table.span().end(), -1.0);
  for (std::size_t s = 0; s < gated.signals.size(); ++s) {
    double* row = table.slice(static_cast<Index>(s)).data();
    for (std::size_t i = 0; i < gated.signals[s].values.size(); ++i) {
      *row++ = 1e-3 * gated.scan.readout_interval_ms * static_cast<double>(i);
      *row++ = gated.signals[s].values[i];
      *row++ = gated.signals[s].phases[i];
      *row++ = gated.bins[s][i];
    }
  }
  return table;
}

}  // namespace

struct ReconJob::State {
  ReconRequest request;
  JobResources with;
  std::unique_ptr<job::InputDescriptions> inputs{};
  MeasurementFacts facts{};
  GatedScan framed{};
  std::optional<job::WiderField> wider{};
  ReconPlan plan{};
  job::ProcessTimes times{};
  double frame_interval_ms = 0;  // of the images: 0 for those of a subspace
  double scan_interval_ms = 0;   // of the frames of a subspace
  std::array<Index, 3> matrix{};
  JobResult result{};
  std::unique_ptr<ImageSeriesWriter> stream{};  // reads the images of the result: it ends first
  std::vector<fs::path> written{};

  bool writes() const { return with.ranks->rank() == 0; }
  std::vector<Context> devices() const {
    std::vector<Context> all = with.devices ? with.devices() : std::vector<Context>{with.host};
    if (all.size() > 1 && with.ranks->size() > 1) {
      throw ValueError("--device cuda:all is for one process; of several, each takes a GPU of its own (--device cuda)");
    }
    return all;
  }
  Context device() const { return devices().front(); }
  ImageOptions image() const { return job::image_options(request.outputs, facts, frame_interval_ms); }
  ImageOptions picture() const { return job::picture_options(request.outputs, facts, frame_interval_ms); }

  void read_files(const Context& ctx);
  Scan read_scan_of(const Context& ctx);
  void read(const Context& ctx, bool data_in_file);
  void widen();
  Index reading_bytes(const Context& on) const { return static_cast<Index>(on.pool().statistics().peak); }
  void open_checkpoint();
  void open_stream();
  void write_images(const Context& ctx);
  void write_arrays(const Context& ctx);
  void take(const WrittenImages& files);
};

void ReconJob::State::read_files(const Context& ctx) {
  ReconOptions& recon = request.recon;
  recon.cg_sense.references.clear();
  for (const auto& file : request.references)
    recon.cg_sense.references.push_back(job::image_from(ctx, file, &read_reference));
  if (recon.support == ImageSupport::image) {
    recon.support_image = job::image_from(ctx, request.support, &read_reference);
  }
  job::read_signal_maps(ctx, request);
  if (request.normal.value != nullptr) {
    recon.resources.normals = request.normal.value;
  } else if (request.normal.given()) {
    recon.resources.normals = std::make_shared<const SavedNormals>(read_normals(ctx, request.normal.file));
  }
}

Scan ReconJob::State::read_scan_of(const Context& ctx) {
  job::share_frames(request, with.ranks);
  if (request.scan.value != nullptr) {
    facts = with.facts;
    return clone(ctx, *request.scan.value);
  }
  Scan scan = job::read_file(ctx, request, facts);
  if (const auto& later = request.read.later; later != nullptr && *later) {
    job::read_later(ctx, std::move(*later), scan, request.recon);
  }
  return scan;
}

void ReconJob::State::read(const Context& ctx, bool data_in_file) {
  ReconOptions& recon = request.recon;
  recon.resources.spill.data_in_file = data_in_file;
  const ReconRequest named = request;
  if (!request.joint.empty()) job::name_after_scan(request, request.scan);
  read_files(ctx);
  Scan whole = read_scan_of(ctx);
  if (facts.echo_times_ms.empty()) facts.echo_times_ms = whole.echo_times_ms;
  job::FramedScan made = job::framed_scan(ctx, request, std::move(whole), facts, data_in_file);
  framed = std::move(made.framed);
  result.corrected = std::move(made.corrected);
  Scan& scan = framed.scan;
  if (!named.joint.empty()) recon.joint = job::read_joint_scans(ctx, named, scan, scan.notes);
  if (request.subspace.any()) {
    result.basis = std::make_shared<const SubspaceBasis>(job::subspace_basis(ctx, *with.ranks, request.subspace, scan));
    recon.subspace = result.basis;
    request.subspace.rank = result.basis->components();
  } else {
    frame_interval_ms = scan.frame_interval_ms;
  }
  result.gating = signal_columns(ctx, framed);
  recon.error_bars = job::error_bars_of(request, scan);
  if (writes()) job::check_outputs(ctx, request, image(), picture(), with.check_written, scan);
  if (request.maps.given()) scan.coil_maps = job::maps_from(ctx, request.maps, scan);
  if (request.scan.value == nullptr && job::takes_calibration_maps(request, scan)) {
    job::take_calibration_maps(ctx, request, read_calibration(ctx, request.scan.file, request.read), scan);
  }
  recon.keep_maps |= !request.outputs.maps.empty();
  recon.regularized.keep_parts |= !request.outputs.parts.empty();
  recon.keep_normals |= !request.outputs.normal.empty();
  wider = job::WiderField::find(ctx, *with.ranks, request, scan);
}

void ReconJob::State::widen() {
  if (wider) wider->widen(framed.scan, request.recon);
}

void ReconJob::State::open_checkpoint() {
  const auto every = request.checkpoint_every;
  agree(*with.ranks, [&] {
    if (!writes()) return;
    result.record.inputs = inputs->get(with.host);
    request.recon.resources.finished =
        job::open_checkpoint(with.host, device(), request.checkpoint, every, framed.scan, result.record);
  });
  if (!writes()) {
    request.recon.resources.finished = job::join_checkpoint(with.host, request.checkpoint, every, result.record);
  }
}

void ReconJob::State::open_stream() {
  const std::vector<ImageFrame> frames = recon::places_of_images(framed.scan, request.recon);
  const Shape images{std::ssize(frames), matrix[2], matrix[1], matrix[0]};
  stream = std::make_unique<ImageSeriesWriter>(with.host, request.outputs.image, images, frames, image());
  request.recon.resources.on_image = [this](Index frame, ArrayRef<const Complex> one) { stream->add(frame, one); };
}

void ReconJob::State::take(const WrittenImages& files) {
  written.insert(written.end(), files.files.begin(), files.files.end());
  if (!files.note.empty()) result.made.notes.emplace_back(files.note);
}

void ReconJob::State::write_images(const Context& ctx) {
  const ReconOutputs& outputs = request.outputs;
  const Reconstruction& made = result.made;
  const auto write = [&](const std::string& path, ArrayRef<const Complex> images, const std::vector<ImageFrame>& frames,
                         const ImageOptions& how, const std::string& label = {}) {
    if (path.empty()) return;
    if (image_type(path) != ImageType::png) return take(write_image(ctx, path, images, frames, how));
    write_overview(ctx, path, images, job::overview_options(how, frames, images.shape()), label);
    written.emplace_back(path);
  };
  if (stream != nullptr) {
    take(stream->finish(ctx, made.images));
  } else {
    write(outputs.image, made.images, made.frames, image());
  }
  write(outputs.png, made.images, made.frames, picture());
  for (const job::NamedImages& bars : job::error_bar_images(ctx, request, made.frames, &made.error_bars)) {
    write(bars.path, bars.values, bars.frames, image(), bars.quantity);
  }
  if (!result.basis) return job::write_movie_of(ctx, outputs, made.images, written);
  if (outputs.subspace_frames.empty() && outputs.movie.empty()) return;
  const job::SubspaceFrames series = job::all_subspace_frames(ctx, made, *result.basis);
  ImageOptions timed = image();
  timed.frame_interval_ms = scan_interval_ms;
  write(outputs.subspace_frames, series.images, series.frames, timed);
  job::write_movie_of(ctx, outputs, series.images, written);
}

void ReconJob::State::write_arrays(const Context& ctx) {
  const ReconOutputs& outputs = request.outputs;
  Reconstruction& made = result.made;
  const auto write = [&](const std::string& path, const NamedArray& array) {
    write_array(ctx, path, array);
    written.emplace_back(path);
  };
  const auto write_copy = [&](const std::string& path, const char* name, const auto& array) {
    if (!path.empty()) write(path, {name, clone(ctx, array.ref()), {}});
  };
  const auto write_maps = [&](const std::string& path, const char* name, Array<Complex>& values) {
    if (path.empty()) return;
    std::vector<Geometry> places;
    std::transform(made.frames.begin(), made.frames.end(), std::back_inserter(places),
                   [](const ImageFrame& frame) { return frame.geometry; });
    values.reshape(without_leading_ones(values.shape()));
    write(path, {name, std::move(values), affine_of(places, matrix)});
  };
  if (result.basis) write_copy(outputs.subspace, "basis", result.basis->vectors);
  write_copy(outputs.gating, "gating", result.gating);
  write_copy(outputs.motion, "poses", result.corrected.poses);
  write_copy(outputs.readout_shifts, "readout_shifts", result.corrected.readout_shifts);
  write_maps(outputs.maps, "maps", made.coil_maps);
  write_maps(outputs.sets, "sets", made.set_images);
  write_maps(outputs.parts, "parts", made.parts);
  if (!outputs.normal.empty()) {
    write_normals(ctx, outputs.normal, made.normals);
    written.emplace_back(outputs.normal);
  }
  // Data that are 0 have no curve.
  const auto drawn =
      std::ranges::find_if(made.lambdas, [](const SliceLambda& of) { return !of.choice.curve.points.empty(); });
  if (!outputs.lambda_curve.empty() && drawn != made.lambdas.end()) {
    write_lambda_picture(ctx, outputs.lambda_curve, drawn->choice);
    written.emplace_back(outputs.lambda_curve);
  }
}

ReconJob::ReconJob(ReconRequest request, JobResources with)
    : state_(std::make_unique<State>(State{.request = std::move(request), .with = std::move(with)})) {
  settle(state_->request);
}

ReconJob::~ReconJob() = default;

void ReconJob::read(const Context& ctx) {
  State& job = *state_;
  const double start = job::process_seconds();
  std::vector<fs::path> files;
  if (job.writes()) {
    files = files_read(job.request);
    files.insert(files.end(), job.with.inputs.begin(), job.with.inputs.end());
  }
  job.inputs = std::make_unique<job::InputDescriptions>(std::move(files));
  const ReconRequest given = job.request;
  try {
    job.read(ctx, false);
  } catch (const detail::OutOfMemory&) {
    // Data that leave room for themselves may leave too little for corrections: in a file they leave all.
    if (job.request.recon.resources.spill.data_in_file) throw;
    job.request = given;
    job.read(ctx, true);
  }
  job.times.read = job::process_seconds() - start;
}

std::vector<ImageFrame> ReconJob::frames() const {
  if (state_->wider) return state_->wider->frames();
  return recon::places_of_images(state_->framed.scan, state_->request.recon);
}

JobPlan ReconJob::dry_run() {
  JobPlan found;
  const Context on = state_->device();
  state_->widen();
  agree(*state_->with.ranks, [&] { found.plan = plan_reconstruction(on, state_->framed.scan, state_->request.recon); });
  found.reading_bytes = state_->reading_bytes(on);
  return found;
}

Index ReconJob::plan() {
  State& job = *state_;
  const Context on = job.device();
  const bool whole = job.with.is_whole_process;
  if (whole) job.times.start = job::process_seconds() - job.times.read;
  const Index read = whole ? job.reading_bytes(on) : 0;  // the peak of others is not this one's
  RunRecord& record = job.result.record;
  record.command_line = job.with.command_line;
  record.parameters = job::parameters_of(job.request, job.framed.scan);
  if (job.wider) record.parameters.emplace_back("solved_matrix", job.wider->told());
  record.notes = job.framed.scan.notes;
  if (job.writes()) {
    record.hashes.emplace_back("scan", hash_of(job.with.host, job.framed.scan));
    for (const JointScan& further : job.request.recon.joint) {
      record.hashes.emplace_back(fmt::format("scan {}", record.hashes.size() + 1),
                                 hash_of(job.with.host, *further.scan));
    }
  }
  job.matrix = job.framed.scan.matrix;
  job.widen();
  job.plan = plan_reconstruction(on, job.framed.scan, job.request.recon);
  record.parameters.emplace_back("memory_predicted_bytes", static_cast<std::int64_t>(std::max(job.plan.bytes, read)));
  return job.plan.bytes;
}

void ReconJob::reconstruct() {
  State& job = *state_;
  Scan& scan = job.framed.scan;
  job.scan_interval_ms = scan.frame_interval_ms;
  if (!job.request.checkpoint.empty()) job.open_checkpoint();
  if (job.writes() && !job.request.subspace.any() && !job.wider &&
      ImageSeriesWriter::takes(job.request.outputs.image)) {
    job.open_stream();
  }
  const std::vector<Context> devices = job.devices();
  std::optional<job::OwnPeak> peak;
  if (!job.with.is_whole_process) peak.emplace(devices.front());
  const ReconOptions& recon = job.request.recon;
  job.result.made = devices.size() == 1 ? whorl::reconstruct(devices.front(), std::move(scan), recon, job.plan)
                                        : whorl::reconstruct(devices, std::move(scan), recon);
  if (peak) peak->keep_in(job.result.record);
  if (job.wider && job.writes()) job.wider->crop(job.result.made);
}

JobResult ReconJob::finish(const Context& ctx) {
  State& job = *state_;
  if (!job.writes()) return std::move(job.result);
  const double start = job::process_seconds();
  RunRecord& record = job.result.record;
  Reconstruction& made = job.result.made;
  if (record.inputs.empty()) record.inputs = job.inputs->get(ctx);
  if (!made.reports.empty()) made.notes.emplace_back(job::solver_note(job.request.recon, made.reports));
  if (made.coil_maps.size() > 0) record.hashes.emplace_back("coil maps", hash_of(ctx, made.coil_maps));
  record.hashes.emplace_back("image", hash_of(ctx, made.images));
  job.write_images(ctx);
  job.write_arrays(ctx);
  for (const fs::path& path : job.written) record.outputs.push_back(path.string());
  job::describe_solution(job.request.recon, made, record);
  job.times.write = job::process_seconds() - start;
  add_process_times(job.times, record);
  const std::string& image = job.request.outputs.image;
  if (!image.empty()) write_record(job.device(), record, record_path(image));
  job.result.record_text = record_text(job.device(), record, fs::path(image).filename().string());
  return std::move(job.result);
}

namespace {

// A GPU starts while the scan is read.
void read_beside_start(ReconJob& job, const JobResources& with) {
  std::future<void> start = std::async(std::launch::async, [&with] {
    if (with.devices) static_cast<void>(with.devices());
  });
  job.read(with.host);
  start.get();
}

}  // namespace

JobResult run_job(ReconRequest request, const JobResources& with) {
  ReconJob job(std::move(request), with);
  read_beside_start(job, with);
  job.plan();
  job.reconstruct();
  return job.finish(with.host);
}

JobPlan plan_job(ReconRequest request, const JobResources& with) {
  request.dry_run = true;
  ReconJob job(std::move(request), with);
  read_beside_start(job, with);
  return job.dry_run();
}

}  // namespace whorl
