// A connection has two threads: one receives messages, so that a scanner need not wait while images are made, and the other
// works on them in their order and answers.
#include "serve/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "io/bytes/printable.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/plan.hpp"
#include "serve/mrd_reader.hpp"
#include "serve/mrd_writer.hpp"
#include "serve/reconstruct_for.hpp"
#include "whorl/core/error.hpp"

namespace whorl::serve {

namespace {

using Level = ServerEvent::Level;

constexpr const char* in_messages = "the connection";  // in the place of a file's name

// Messages that wait while images are made.
constexpr std::size_t most_waiting = std::size_t{256} << 20;

const char* prefix(Level level) {
  switch (level) {
    case Level::error:
      return "ERR";
    case Level::warning:
      return "WRN";
    default:
      return "DBG";
  }
}

template <class... Ts>
struct Overloaded : Ts... {  // NOLINT(misc-multiple-inheritance): functions for std::visit
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace

Session::Session(ByteStream& stream, Context ctx, const Ground& ground, Log log)
    : stream_(stream),
      ctx_(std::move(ctx)),
      ground_(ground),
      log_(std::move(log)),
      queue_(std::min(most_waiting, ground.most_bytes)) {}

void Session::receive() {
  try {
    MrdReader reader(stream_, {.data = ground_.most_bytes});
    while (std::optional<Message> message = reader.next()) {
      const bool is_last = std::holds_alternative<Close>(*message);
      if (!queue_.push({std::move(*message), Clock::now()})) return;
      if (is_last) return queue_.end();
    }
    throw StreamEnded("the client ended the connection without a close message");
  } catch (const StreamEnded& error) {
    // Nobody is there for the images that are made.
    stop(error.what());
    queue_.end(std::current_exception());
  } catch (...) {
    queue_.end(std::current_exception());
  }
}

void Session::run() {
  std::thread receiver([this] { receive(); });
  try {
    converse();
    send(Close());
    log_(Level::info, "done", fmt::format("{} acquisitions, {} images", count_, images_));
  } catch (const Cancelled&) {
    fail(why_stopped());
  } catch (const std::bad_alloc&) {
    fail("out of memory; send a smaller scan, or ask for fewer coils (coils) or a smaller calibration");
  } catch (const std::exception& error) {
    const std::string why = why_stopped();
    fail(why.empty() ? error.what() : why);
  }
  queue_.close();
  stream_.interrupt();
  receiver.join();
}

std::string Session::why_stopped() const {
  const std::scoped_lock lock(guard_);
  return stopped_;
}

void Session::stop(const std::string& why) {
  {
    const std::scoped_lock lock(guard_);
    if (!stopped_.empty()) return;
    stopped_ = why;
  }
  ctx_.request_cancel();
  stream_.interrupt();
}

std::optional<Clock::time_point> Session::working_since() const {
  const std::int64_t since = working_since_;
  if (since == 0) return std::nullopt;
  return Clock::time_point(Clock::duration(since));
}

// A client that is gone needs no answer; one that is not gets it.
void Session::fail(const std::string& what) {
  ++ground_.counters.failed;
  log_(Level::error, "failed", what);
  try {
    send_text(Level::error, what);
    send(Close());
  } catch (const StreamEnded&) {
    return;
  }
}

void Session::send(const Message& message) { stream_.write(encode(message)); }

void Session::send_text(Level level, const std::string& text) {
  constexpr std::size_t most = 2000;
  if (level != Level::error) log_(level, "told", text);
  // Some clients take a text up to its zero.
  send(Text{fmt::format("{} {}", prefix(level), io::printable(text, most)) + '\0'});
}

std::optional<Received> Session::next() {
  working_since_ = 0;
  std::optional<Received> received = queue_.pop();
  working_since_ = Clock::now().time_since_epoch().count();
  return received;
}

void Session::converse() {
  while (std::optional<Received> received = next()) {
    if (std::holds_alternative<Close>(received->message)) break;
    answer(std::move(*received));
  }
  if (measuring_) finish_measurement();
}

void Session::answer(Received received) {
  std::visit(
      Overloaded{
          [&](const ConfigFile& config) {
            take_config({config.name, {}});
          },
          [&](const ConfigText& config) {
            const bool is_name = config.text.find_first_of("{<") == std::string::npos;
            take_config(is_name ? RequestText{config.text, {}} : parse_request(config.text, "the configuration"));
          },
          [&](const Header& header) { take_header(header.xml); }, [&](const Text& text) { take_parameters(text.text); },
          [&](Acquisition& acquisition) { take_acquisition(std::move(acquisition), received.at); },
          [&](const Image& /*image*/) {
            throw Unsupported("images are not taken, only acquisitions are; send the measurement");
          },
          [](const auto& /*close, waveform, array*/) {}},
      received.message);
}

void Session::take_config(const RequestText& text) {
  if (!header_.empty()) throw IoError("a configuration comes after the header; send it first");
  RequestMaker maker;
  if (!text.base.empty()) asked_.base = text.base;
  ground_.configurations.apply(asked_.base, maker);
  asked_.options = text.options;
  for (const auto& [name, value] : asked_.options) maker.set(name, value);
  log_(Level::info, "config", io::printable(asked_.base));
}

void Session::take_header(const std::string& xml) {
  if (!header_.empty()) throw IoError("a second header came; open a connection for each measurement");
  static_cast<void>(io::parse_header(xml, 0, "the header"));
  links_ = parse_links(xml, "the header");
  header_ = xml;
}

// As python-ismrmrd-server takes them: JSON whose "parameters" may name a configuration and set options. Those of a scanner's
// user interface are the same for every server.
void Session::take_parameters(const std::string& text) {
  if (header_.empty() || count_ > 0 || text.find('{') == std::string::npos) return;
  RequestText parameters;
  try {
    parameters = parse_request(text, "the parameters");
  } catch (const IoError& error) {
    return send_text(Level::warning, error.what());
  }
  std::vector<std::string> unknown;
  for (auto& [name, value] : parameters.options) {
    if (name == "customconfig") {
      if (!to_text(value).empty()) parameters.base = to_text(value);
    } else if (RequestMaker::is_option(name)) {
      asked_.options.emplace_back(name, value);
    } else {
      unknown.push_back(io::printable(name));
    }
  }
  if (!parameters.base.empty()) {
    asked_.base = parameters.base;
    RequestMaker maker;
    ground_.configurations.apply(asked_.base, maker);
  }
  if (!unknown.empty()) {
    send_text(Level::warning, fmt::format("parameters that are no options of a reconstruction were left out: {}",
                                          fmt::join(unknown, ", ")));
  }
}

void Session::begin_measurement() {
  if (header_.empty()) throw IoError("an acquisition came before the header; send the header first");
  RequestMaker maker;
  ground_.configurations.apply(asked_.base, maker);
  for (const auto& [name, value] : asked_.options) maker.set(name, value);
  request_ = maker.finish();
  for (const std::string& id : links_.noise) {
    if (noise_.samples.size() == 0) noise_ = ground_.noise.find(ctx_.host(), id);
    if (noise_.samples.size() == 0) {
      send_text(Level::warning,
                fmt::format("the noise of measurement '{}' is not known here; it was not sent, or is forgotten",
                            io::printable(id)));
    }
  }
  measuring_ = true;
  if (!sends_while_receiving(request_)) return;
  NoiseScan noise{clone(ctx_.host(), noise_.samples.ref()), noise_.dwell_us};
  frames_ = std::make_unique<FrameStream>(
      ctx_, in_messages, header_, request_, std::move(noise),
      [this](const OutgoingImage& image, Clock::time_point at) { send_image(image, at); });
}

void Session::take_acquisition(Acquisition&& acquisition, Clock::time_point at) {
  if (!measuring_) begin_measurement();
  check_acquisition(acquisition, count_++);
  ++ground_.counters.acquisitions;
  last_at_ = at;
  auto shared = std::make_shared<const Acquisition>(std::move(acquisition));
  const io::ReadoutUse use = io::use_of(head_of(*shared), request_.read);
  if (use == io::ReadoutUse::image) ++image_readouts_;
  // Noise alone may turn out to be all that comes.
  if (frames_ == nullptr || (use == io::ReadoutUse::noise && image_readouts_ == 0)) acquisitions_.push_back(shared);
  bytes_ += frames_ == nullptr ? bytes_of(*shared) : 0;
  if (frames_ != nullptr) frames_->add(std::move(shared), at);
  constexpr std::size_t now_and_then = 64;
  if (frames_ != nullptr && count_ % now_and_then == 0) bytes_ = frames_->bytes();
  if (bytes_ > ground_.most_bytes) {
    throw Error(
        fmt::format("the data of the connection take more than {} MB; send less, or let the server take more "
                    "(--max-connection-megabytes)",
                    ground_.most_bytes >> 20));
  }
}

bool Session::is_noise_alone() const { return image_readouts_ == 0 && !acquisitions_.empty(); }

// A measurement of noise alone is for those that come later.
void Session::keep_noise() {
  if (links_.id.empty()) {
    throw IoError("the measurement has noise alone, and its header no measurementID by which others could name it");
  }
  NoiseScan noise;
  std::vector<std::shared_ptr<const Acquisition>> readouts;
  Index samples = 0;
  Index coils = 0;
  for (const auto& one : acquisitions_) {
    const io::AcquisitionHead head = head_of(*one);
    if (io::use_of(head, request_.read) != io::ReadoutUse::noise) continue;
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
  ground_.noise.keep(ctx_.host(), links_.id, std::move(noise));
  send_text(Level::info, fmt::format("the noise of measurement '{}' is kept: {} samples of {} coils",
                                     io::printable(links_.id), samples, coils));
}

void Session::finish_measurement() {
  if (is_noise_alone()) return keep_noise();
  if (frames_ == nullptr) return send_at_end();
  frames_->finish();
  for (const std::string& note : frames_->notes()) send_text(Level::info, note);
  if (frames_->left_over() > 0) {
    send_text(Level::info, fmt::format("{} readouts at the end filled no frame", frames_->left_over()));
  }
}

void Session::send_at_end() {
  const AcquisitionList list = std::move(acquisitions_);
  Scan scan = io::read_measurement(ctx_.host(), measurement_of(in_messages, header_, list), request_.read);
  take_noise(noise_, ctx_.host(), scan);
  std::vector<std::string> notes = scan.notes;
  const bool whitens = request_.recon.prewhiten;
  const auto send_one = [&](const ImageFrame& frame, ArrayRef<const std::complex<float>> image) {
    send_image({image, frame, list.back()->head, images_, whitens}, last_at_);
  };
  const Reconstruction made = reconstruct_all(ctx_, std::move(scan), request_, send_one);
  notes.insert(notes.end(), made.notes.begin(), made.notes.end());
  for (const std::string& note : notes) send_text(Level::info, note);
}

void Session::send_image(const OutgoingImage& image, Clock::time_point ready) {
  send(image_message(image, request_.send.output));
  ++images_;
  ++ground_.counters.images;
  ground_.counters.count_latency(std::chrono::duration<double>(Clock::now() - ready).count());
}

}  // namespace whorl::serve
