// A connection has two threads: one receives messages, so that a scanner need not wait while images are made, and the other
// works on them in their order and answers.
#include "serve/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "io/bytes/printable.hpp"
#include "serve/mrd_reader.hpp"
#include "serve/mrd_writer.hpp"
#include "whorl/core/error.hpp"

namespace whorl::serve {

namespace {

using Level = ServerEvent::Level;

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

Session::Session(ByteStream& stream, Context ctx, Ground& ground, Log log)
    : stream_(stream),
      ctx_(std::move(ctx)),
      ground_(ground),
      log_(std::move(log)),
      queue_(std::min(most_waiting, ground.most_bytes)),
      work_(ctx_, ground, "the connection",
            {[this](Level level, const std::string& text) { send_text(level, text); },
             [this](const OutgoingImage& image, ImageOutput output) { send(image_message(image, output)); }}) {}

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
    log_(Level::info, "done", fmt::format("{} acquisitions, {} images", work_.acquisitions(), work_.images()));
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
  work_.finish();
}

void Session::answer(Received received) {
  std::visit(Overloaded{[&](const ConfigFile& config) { take_config(config.name); },
                        [&](const ConfigText& config) { take_config(config.text); },
                        [&](const Header& header) { work_.take_header(header.xml); },
                        [&](const Text& text) { work_.take_parameters(text.text); },
                        [&](Acquisition& acquisition) { work_.add(std::move(acquisition), received.at); },
                        [&](const Image& /*image*/) {
                          throw Unsupported("images are not taken, only acquisitions are; send the measurement");
                        },
                        [](const auto& /*close, waveform, array*/) {}},
             received.message);
}

void Session::take_config(const std::string& text) {
  log_(Level::info, "config", io::printable(work_.take_config(text)));
}

}  // namespace whorl::serve
