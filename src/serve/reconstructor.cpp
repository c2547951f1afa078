#include "serve/reconstructor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "io/bytes/printable.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/plan.hpp"
#include "job/calibration_maps.hpp"
#include "serve/message_queue.hpp"
#include "whorl/core/error.hpp"
#include "whorl/job/recon_job.hpp"

namespace whorl::serve {

namespace {

using Level = ServerEvent::Level;

constexpr std::size_t noise_scans = 16;
constexpr std::string_view noise_advice = "send the noise before the readouts of the image";

// The named reconstruction with the client's options.
RequestMaker maker_of(const Configurations& configurations, const RequestText& asked) {
  RequestMaker maker;
  configurations.apply(asked.base, maker);
  for (const auto& [name, value] : asked.options) maker.set(name, value);
  return maker;
}

std::size_t number_of(const io::SkippedCounts& left_out) {
  return std::accumulate(left_out.begin(), left_out.end(), std::size_t{0},
                         [](std::size_t sum, const auto& one) { return sum + static_cast<std::size_t>(one.second); });
}

}  // namespace

Ground::Ground(const SharedServing& options)
    : configurations(options.configurations.empty() ? Configurations() : Configurations(options.configurations)),
      noise(options.noise, noise_scans),
      most_bytes(static_cast<std::size_t>(options.most_megabytes) << 20) {}

Reconstructor::Reconstructor(const Context& ctx, Ground& ground, std::string name, Answers answers)
    : ctx_(ctx), ground_(ground), name_(std::move(name)), answers_(std::move(answers)) {}

const std::string& Reconstructor::take_config(const std::string& text) {
  if (!header_.empty()) throw IoError("a configuration comes after the header; send it first");
  const bool is_name = text.find_first_of("{<") == std::string::npos;
  const RequestText given = is_name ? RequestText{text, {}} : parse_request(text, "the configuration");
  if (!given.base.empty()) asked_.base = given.base;
  asked_.options = given.options;
  static_cast<void>(maker_of(ground_.configurations, asked_));
  return asked_.base;
}

void Reconstructor::take_header(const std::string& xml) {
  if (!header_.empty()) throw IoError("a second header came; open a connection for each measurement");
  static_cast<void>(io::parse_header(xml, 0, "the header"));
  links_ = parse_links(xml, "the header");
  header_ = xml;
}

// Takes parameters as python-ismrmrd-server does: JSON whose "parameters" may name a configuration and set options. The
// parameters of a scanner's user interface are the same for every server.
void Reconstructor::take_parameters(const std::string& text) {
  if (header_.empty() || count_ > 0 || text.find('{') == std::string::npos) return;
  RequestText parameters;
  try {
    parameters = parse_request(text, "the parameters");
  } catch (const IoError& error) {
    return answers_.tell(Level::warning, error.what());
  }
  std::vector<std::string> unknown;
  for (auto& [name, value] : parameters.options) {
    if (name == "customconfig") {
      if (!to_text(value).empty()) parameters.base = to_text(value);
    } else if (RequestMaker::is_option(name)) {
      // Many texts take the memory of the options, and no more.
      std::erase_if(asked_.options, [&](const auto& before) { return before.first == name; });
      asked_.options.emplace_back(name, value);
    } else {
      unknown.push_back(io::printable(name));
    }
  }
  if (!parameters.base.empty()) {
    asked_.base = parameters.base;
    static_cast<void>(maker_of(ground_.configurations, {asked_.base, {}}));
  }
  if (!unknown.empty()) {
    answers_.tell(Level::warning, fmt::format("parameters that are no options of a reconstruction were left out: {}",
                                              fmt::join(unknown, ", ")));
  }
}

void Reconstructor::begin() {
  if (header_.empty()) throw IoError("an acquisition came before the header; send the header first");
  request_ = maker_of(ground_.configurations, asked_).finish();
  for (const std::string& id : links_.noise) {
    if (noise_.samples.size() == 0) noise_ = ground_.noise.find(ctx_.host(), id);
    if (noise_.samples.size() == 0) {
      answers_.tell(Level::warning,
                    fmt::format("the noise of measurement '{}' is not known here; it was not sent, or is forgotten",
                                io::printable(id)));
    }
  }
  begun_ = true;
  if (!sends_while_receiving(request_)) return;
  NoiseScan noise{clone(ctx_.host(), noise_.samples.ref()), noise_.dwell_us};
  frames_ =
      std::make_unique<FrameStream>(ctx_, name_, header_, request_, std::move(noise),
                                    [this](const OutgoingImage& image, Clock::time_point at) { send(image, at); });
}

// Told at once, for a live scan may go on for hours; how many there were is told at the end. A client decides how many reasons there
// are.
void Reconstructor::leave_out(std::string reason, std::string_view advice) {
  constexpr std::size_t most_reasons = 16;
  if (frames_ != nullptr) ++ground_.counters.left_out;
  if (left_out_.size() >= most_reasons && !left_out_.contains(reason)) reason = "of further kinds";
  if (++left_out_[reason] > 1 || frames_ == nullptr) return;
  answers_.tell(Level::warning, fmt::format("Acquisition {} is left out, and so are others like it: {}; {}", count_ - 1,
                                            reason, advice));
}

// Once all are there, for readouts flagged as surface coil correction are the image where nothing else is.
void Reconstructor::count_left_out() {
  ScanReadOptions read = request_.job.read;
  if (image_readouts_ == 0 && io::have_image(heads_of(acquisitions_), read))
    read.keep_flags.emplace_back("surface-coil-correction");
  ground_.counters.left_out += static_cast<std::size_t>(std::ranges::count_if(
      acquisitions_, [&](const auto& one) { return io::use_of(head_of(*one), read) == io::ReadoutUse::none; }));
}

void Reconstructor::add(Acquisition&& acquisition, Clock::time_point at) {
  if (!begun_) begin();
  check_acquisition(acquisition, count_++);
  ++ground_.counters.acquisitions;
  last_at_ = at;
  auto shared = std::make_shared<const Acquisition>(std::move(acquisition));
  const io::AcquisitionHead head = head_of(*shared);
  const io::ReadoutUse use = io::use_of(head, request_.job.read);
  if (use == io::ReadoutUse::none) leave_out(io::reason_to_skip(head, request_.job.read), io::skipped_advice);
  if (use == io::ReadoutUse::image) ++image_readouts_;
  // Noise alone may turn out to be all that comes.
  if (frames_ == nullptr || (use == io::ReadoutUse::noise && image_readouts_ == 0)) {
    acquisitions_.push_back(shared);
    if (frames_ == nullptr || !frames_->takes_noise()) bytes_ += bytes_of(*shared);
  }
  if (frames_ != nullptr) {
    if (image_readouts_ > 0) {
      acquisitions_.clear();
      bytes_ = 0;
    }
    if (use == io::ReadoutUse::noise && request_.job.recon.prewhiten && !frames_->takes_noise()) {
      leave_out("flagged as noise, after the noise was estimated", noise_advice);
    }
    frames_->add(std::move(shared), use, at);
  }
  check_bytes();
}

void Reconstructor::check_bytes() const {
  if (bytes_ + (frames_ == nullptr ? 0 : frames_->bytes()) > ground_.most_bytes) {
    throw Error(
        fmt::format("the data of {} take more than {} MB; send less, or let the server take more "
                    "(--connection-megabytes)",
                    name_, ground_.most_bytes >> 20));
  }
}

// A measurement of noise alone is for those that come later.
void Reconstructor::keep_noise() {
  if (links_.id.empty()) {
    throw IoError("the measurement has noise alone, and its header no measurementID by which others could name it");
  }
  NoiseScan noise;
  std::vector<std::shared_ptr<const Acquisition>> readouts;
  Index samples = 0;
  Index coils = 0;
  for (const auto& one : acquisitions_) {
    const io::AcquisitionHead head = head_of(*one);
    if (io::use_of(head, request_.job.read) != io::ReadoutUse::noise) continue;
    if (coils == 0) coils = head.active_channels;
    if (head.active_channels != coils) throw IoError("the noise readouts have different numbers of channels");
    samples += head.kept();
    noise.dwell_us = head.sample_time_us;
    readouts.push_back(one);
  }
  if (samples == 0 || coils == 0) throw IoError("no acquisition of the measurement is of an image or of noise");
  noise.samples = Array<std::complex<float>>(ctx_.host(), {coils, samples});
  Index offset = 0;
  for (const auto& one : readouts) {
    const io::AcquisitionHead head = head_of(*one);
    for (Index coil = 0; coil < coils; ++coil) {
      std::copy_n(one->samples.begin() + coil * head.number_of_samples + head.discard_pre, head.kept(),
                  noise.samples.data() + coil * samples + offset);
    }
    offset += head.kept();
  }
  const std::string not_on_disk = ground_.noise.keep(ctx_.host(), links_.id, std::move(noise));
  if (!not_on_disk.empty()) {
    answers_.tell(Level::warning,
                  fmt::format("the noise is kept until the server ends, not on the disk: {}", not_on_disk));
  }
  answers_.tell(Level::info, fmt::format("the noise of measurement '{}' is kept: {} samples of {} coils",
                                         io::printable(links_.id), samples, coils));
  tell(io::notes_on_skipped(left_out_));
}

void Reconstructor::finish() {
  if (!begun_) return;
  if (frames_ == nullptr) count_left_out();
  if (image_readouts_ == 0 && !io::have_image(heads_of(acquisitions_), request_.job.read)) {
    const std::size_t noise = acquisitions_.size() - (frames_ == nullptr ? number_of(left_out_) : 0);
    if (noise > 0 && (left_out_.empty() || !links_.id.empty())) return keep_noise();
    io::refuse_without_image(left_out_, noise, name_);
  }
  if (frames_ == nullptr) return reconstruct_all();
  frames_->finish();
  Notes notes = frames_->notes();
  for (Note& note : io::notes_on_skipped(left_out_)) notes.emplace_back(std::move(note));
  if (frames_->left_over() > 0) {
    notes.emplace_back(fmt::format("{} readouts at the end filled no frame", frames_->left_over()), NoteKind::doubt);
  }
  tell(std::move(notes));
}

// A job of the library, whose images are sent as they are done.
void Reconstructor::reconstruct_all() {
  const AcquisitionList list = std::move(acquisitions_);
  const Context host = ctx_.host();
  ReconRequest request = request_.job;
  Scan scan = io::read_measurement(host, measurement_of(name_, header_, list), request.read);
  take_noise(noise_, host, scan);
  if (job::takes_calibration_maps(request, scan)) {
    job::take_calibration_maps(host, request,
                               io::read_calibration(host, measurement_of(name_, header_, list), request.read), scan);
  }
  Notes notes = scan.notes;
  request.scan.value = std::make_shared<const Scan>(std::move(scan));
  std::vector<ImageFrame> frames;
  std::vector<bool> sent;
  const auto send_one = [&](Index number, ArrayRef<const std::complex<float>> image) {
    const auto frame = static_cast<std::size_t>(number);
    send({image, frames[frame], *list.back(), images_, request_.job.recon.prewhiten}, last_at_);
    sent[frame] = true;
  };
  request.recon.resources.on_image = send_one;
  ReconJob job(
      std::move(request),
      {.host = host, .devices = [&] { return std::vector<Context>{ctx_}; }, .facts = io::parse_facts(header_, name_)});
  job.read(host);
  frames = job.frames();
  sent.resize(frames.size(), false);
  job.plan();
  job.reconstruct();
  const JobResult result = job.finish(host);
  for (Index i = 0; i < std::ssize(frames); ++i) {
    if (!sent[static_cast<std::size_t>(i)]) send_one(i, result.made.images.slice(i));
  }
  notes.insert(notes.end(), result.made.notes.begin(), result.made.notes.end());
  tell(std::move(notes));
}

void Reconstructor::tell(Notes notes) const {
  for (const Note& note : by_weight(std::move(notes))) {
    answers_.tell(note.is_doubt() ? Level::warning : Level::info, note);
  }
}

void Reconstructor::send(const OutgoingImage& image, Clock::time_point ready) {
  answers_.send(image, request_.send.output);
  ++images_;
  ++ground_.counters.images;
  ground_.counters.count_latency(std::chrono::duration<double>(Clock::now() - ready).count());
}

}  // namespace whorl::serve
