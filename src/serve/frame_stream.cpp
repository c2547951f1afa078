#include "serve/frame_stream.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "recon/encoding/kept_plan.hpp"
#include "serve/message_queue.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"

namespace whorl::serve {

namespace {

void take_notes(Notes& notes, const Notes& more) {
  for (const Note& note : more) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.emplace_back(note);
  }
}

// What was chosen for the first frames of a slice is that of all: lambda, or the weight of terms.
void keep_choice(const std::vector<SliceLambda>& chosen, ReconOptions& options) {
  if (chosen.empty()) return;
  const double value = chosen.front().choice.lambda;
  if (std::exchange(options.cg_sense.lambda_search, {})) options.cg_sense.lambda = value;
  for (Regularizer& term : options.regularized.terms) {
    if (!std::exchange(term.choice, {})) continue;
    term.weight = value;
    term.unit = WeightUnit::largest;
  }
}

}  // namespace

bool sends_while_receiving(const Request& request) {
  const ReconRequest& job = request.job;
  const FrameOptions& frames = job.frames.frames;
  const bool are_apart = job.recon.regularized.terms.empty() || request.send.frames_together > 0;
  const bool need_all = job.corrections.any() || job.subspace.any() || job.signal.any();
  return frames.readouts > 0 && frames.gating.bins == 0 && frames.gating.soft == 0 && are_apart && !need_all;
}

FrameStream::FrameStream(Context ctx, std::string name, std::string header, Request request, NoiseScan noise, Send send)
    : ctx_(std::move(ctx)),
      name_(std::move(name)),
      header_(std::move(header)),
      request_(std::move(request)),
      noise_(std::move(noise)),
      send_(std::move(send)),
      counters_(request_.job.frames.frames.by.empty() ? FrameCounters{true, true, true, true}
                                                      : frame_counters(request_.job.frames.frames.by)),
      frame_options_(request_.job.recon) {
  frame_options_.resources.plans = std::make_shared<KeptPlans>();
  frame_options_.resources.plans->plan().eigenvalues.emplace();
  frame_options_.resources.plans->plan().aligned.emplace();
  frame_options_.resources.plans->plan().maps.emplace();
}

FrameStream::~FrameStream() = default;

std::tuple<int, int, int, int> FrameStream::window_of(const io::AcquisitionHead& head) const {
  const auto counted = [](bool counts, int counter) { return counts ? counter : 0; };
  return {counted(counters_.contrast, head.idx.contrast), counted(counters_.phase, head.idx.phase),
          counted(counters_.repetition, head.idx.repetition), counted(counters_.set, head.idx.set)};
}

// A spoke through the center has two directions: pi/2 spokes for each cycle of the extent leave no gap at its edge.
Index FrameStream::calibration_readouts() const {
  if (request_.send.calibration_readouts > 0) return request_.send.calibration_readouts;
  const auto spokes =
      static_cast<Index>(std::ceil(std::numbers::pi / 2 * static_cast<double>(request_.job.recon.calibration)));
  return std::max(request_.job.frames.frames.readouts, needs_coil_maps(request_.job.recon) ? spokes : Index{0});
}

void FrameStream::add(std::shared_ptr<const Acquisition> acquisition, io::ReadoutUse use, Clock::time_point at) {
  const io::AcquisitionHead head = head_of(*acquisition);
  if (use == io::ReadoutUse::none) return;
  if (use == io::ReadoutUse::noise) {
    if (!takes_noise()) return;
    bytes_ += bytes_of(*acquisition);
    noise_acquisitions_.push_back(std::move(acquisition));
    return;
  }
  Slice& slice = slices_[head.idx.slice];
  const auto key = window_of(head);
  Window& window = slice.windows[key];
  if (window.readouts.empty()) {
    window.index = {head.idx.slice, std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key)};
  }
  if (!slice.ready) slice.calibration.push_back(acquisition);
  bytes_ += bytes_of(*acquisition);
  window.readouts.push_back({std::move(acquisition), at});
  if (!slice.ready && std::ssize(slice.calibration) >= calibration_readouts()) {
    calibrate(slice);
    for (auto& [other, each] : slice.windows) send_full(slice, each);
    std::erase_if(slice.windows, [](const auto& one) { return one.second.is_as_new(); });
  } else if (slice.ready) {
    send_full(slice, window);
    if (window.is_as_new()) slice.windows.erase(key);  // the counters of a long scan go on and on
  }
}

void FrameStream::finish() {
  for (auto& [number, slice] : slices_) {
    const bool any = std::any_of(slice.windows.begin(), slice.windows.end(), [&](const auto& one) {
      return std::ssize(one.second.readouts) >= request_.job.frames.frames.readouts;
    });
    if (slice.ready || !any) continue;
    calibrate(slice);
    for (auto& [key, window] : slice.windows) send_full(slice, window);
  }
  for (auto& [number, slice] : slices_) {
    for (auto& [key, window] : slice.windows) {
      if (!window.waits) continue;
      window.next = 0;
      reconstruct_frame(slice, window, 1);
    }
  }
}

std::size_t FrameStream::left_over() const {
  std::size_t sum = 0;
  for (const auto& [number, slice] : slices_) {
    for (const auto& [key, window] : slice.windows) {
      sum += window.readouts.size() - std::min(window.readouts.size(), static_cast<std::size_t>(window.used));
    }
  }
  return sum;
}

// The unit of the trajectory is told by the largest position: that of all parts so far.
Scan FrameStream::read(AcquisitionList acquisitions) {
  ScanReadOptions options = request_.job.read;
  std::size_t question = 0;
  options.largest_of_all = [&](std::span<double> values) {
    if (question == largest_.size()) largest_.emplace_back(values.begin(), values.end());
    std::vector<double>& known = largest_[question++];
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = known[i] = std::max(values[i], known[i]);
  };
  Scan scan =
      io::read_measurement(ctx_.host(), measurement_of(name_, header_, std::move(acquisitions)), options, &settled_);
  if (scan.frames.size() > 1) scan = join_frames(ctx_.host(), std::move(scan), {});
  return scan;
}

// Coils as the calibration found them: without noise of their own frames' edges, whose estimates would make images flicker.
void FrameStream::prepare(Scan& scan) {
  Notes notes;
  const Context host = ctx_.host();
  if (request_.job.recon.prewhiten) {
    if (!covariance_) {
      if (request_.job.recon.judge_noise) leave_out_wrong_noise(host, scan, notes);
      covariance_ = scan_noise(host, scan);
    }
    prewhiten(host, scan, *covariance_, notes);
  }
  if (request_.job.recon.virtual_coils > 0 && request_.job.recon.virtual_coils < scan.coils) {
    if (!compression_) {
      compression_ = compress_coils(host, scan, {.virtual_coils = request_.job.recon.virtual_coils}, notes);
    } else {
      compress_coils(host, scan, *compression_, notes);
    }
  }
  take_notes(notes_, notes);
}

void FrameStream::calibrate(Slice& slice) {
  AcquisitionList list = noise_acquisitions_;
  list.insert(list.end(), slice.calibration.begin(), slice.calibration.end());
  Scan scan = read(std::move(list));
  take_notes(notes_, scan.notes);
  take_noise(noise_, ctx_.host(), scan);
  prepare(scan);
  frame_options_.prewhiten = false;
  frame_options_.noise = covariance_ && covariance_->measured ? 1 : 0;
  frame_options_.virtual_coils = 0;
  if (needs_coil_maps(request_.job.recon)) {
    EstimatedCoilMaps found = estimate_coil_maps(ctx_, std::move(scan), [&] {
      ReconOptions options = frame_options_;
      options.cg_sense.lambda_search.reset();
      options.coil_maps = request_.job.recon.coil_maps;
      return options;
    }());
    take_notes(notes_, found.notes);
    slice.maps = std::move(found.maps);
    slice.maps.reshape(slice.maps.shape().tail());
    frame_options_.coil_maps = CoilMapMethod::file;
  }
  slice.calibration.clear();
  slice.ready = true;
  if (takes_noise()) return;
  for (const auto& one : noise_acquisitions_) bytes_ -= bytes_of(*one);
  noise_acquisitions_.clear();
}

Index FrameStream::frame_step() const {
  const FrameOptions& frames = request_.job.frames.frames;
  return frames.step > 0 ? frames.step : frames.readouts;
}

// From the first up to the last of the next frame.
AcquisitionList FrameStream::readouts_of(const Window& window, Index first) const {
  AcquisitionList list;
  std::for_each(window.readouts.begin() + first,
                window.readouts.begin() + window.next + request_.job.frames.frames.readouts,
                [&](const Readout& one) { list.push_back(one.acquisition); });
  return list;
}

void FrameStream::send_full(Slice& slice, Window& window) {
  const Index step = frame_step();
  while (std::ssize(window.readouts) >= window.next + request_.job.frames.frames.readouts) {
    const bool waits = request_.send.frames_together > 1 && window.next == 0;
    if (!waits) reconstruct_frame(slice, window, window.waits ? 2 : 1);
    window.waits = waits;
    window.used = window.next + request_.job.frames.frames.readouts;
    window.next += step;
    // Readouts before the frames that come with the next one are not needed any more.
    const Index before = step * std::max(request_.send.frames_together - 1, Index{0});
    const Index useless = std::clamp(window.next - before, Index{0}, std::ssize(window.readouts));
    for (Index i = 0; i < useless; ++i) {
      bytes_ -= bytes_of(*window.readouts.front().acquisition);
      window.readouts.pop_front();
    }
    window.next -= useless;
    window.used = std::max(window.used - useless, Index{0});
  }
}

// Lambda is chosen with the first frames of a slice, and their images are made with it. Where the noise is not known, what a
// frame tells of it is used for lambda alone: its images would be in a unit of their own.
Reconstruction FrameStream::solve(Slice& slice, Scan scan) {
  if (!slice.options) {
    slice.options = frame_options_;
    if (slice.options->cg_sense.lambda_search && request_.job.recon.prewhiten && frame_options_.noise == 0) {
      ReconOptions searches = frame_options_;
      searches.prewhiten = true;
      searches.resources.plans.reset();
      const Reconstruction made = reconstruct(ctx_, scan, searches);
      take_choice(made, *slice.options);
    }
  }
  Reconstruction made = reconstruct(ctx_, std::move(scan), *slice.options);
  take_choice(made, *slice.options);
  return made;
}

void FrameStream::take_choice(const Reconstruction& made, ReconOptions& options) {
  for (const SliceLambda& of : made.lambdas) take_notes(notes_, {Note(of.choice.reason + ".", of.choice.kind)});
  keep_choice(made.lambdas, options);
}

// The frames that are solved together overlap or follow one another, so that they are cut from their readouts as those of a
// whole scan are.
void FrameStream::reconstruct_frame(Slice& slice, const Window& window, Index images) {
  const Index step = frame_step();
  const Index length = request_.job.frames.frames.readouts;
  const Index before = std::min(window.next / step, std::max(request_.send.frames_together - 1, Index{0}));
  Scan scan = read(readouts_of(window, window.next - before * step));
  prepare(scan);
  if (before > 0) scan = split_frames(ctx_.host(), std::move(scan), length, step);
  if (slice.maps.size() > 0) scan.coil_maps = slice.maps.share();
  ImageFrame frame{window.index, scan.frames.back().geometry};
  const Reconstruction made = solve(slice, std::move(scan));
  const bool in_noise_units = covariance_ && covariance_->measured;
  for (Index back = images - 1; back >= 0; --back) {
    const Readout& last = window.readouts[static_cast<std::size_t>(window.next - back * step + length - 1)];
    frame.index.repetition = slice.frames++;
    send_({made.images.slice(before - back), frame, *last.acquisition, images_++, in_noise_units}, last.at);
  }
}

}  // namespace whorl::serve
