// One connection: what a client says and gets.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "serve/byte_stream.hpp"
#include "serve/events.hpp"
#include "serve/frame_stream.hpp"
#include "serve/message_queue.hpp"
#include "serve/noise_memory.hpp"
#include "serve/request.hpp"
#include "whorl/serve/server_event.hpp"

namespace whorl::serve {

/// What all connections of a server share.
struct Ground {
  const Configurations& configurations;
  NoiseMemory& noise;
  Counters& counters;
  std::size_t most_bytes;  ///< of the data of a connection
};

class Session {
 public:
  using Log = std::function<void(ServerEvent::Level, const std::string& what, const std::string& text)>;

  /// Stream and ground must outlive it. The context is its own, with a token of its own.
  Session(ByteStream& stream, Context ctx, const Ground& ground, Log log);

  /// Talks with the client until its end; whatever happens is told to the client and to the log.
  void run();
  /// From any thread: ends it soon, and tells the client why.
  void stop(const std::string& why);
  /// Has the client begun a measurement?
  bool is_measuring() const { return measuring_; }
  /// Since when the session works on what it has; none: it waits for the client.
  std::optional<Clock::time_point> working_since() const;

 private:
  void receive();
  void converse();
  std::optional<Received> next();
  void take_config(const RequestText& text);
  void take_header(const std::string& xml);
  void take_parameters(const std::string& text);
  void take_acquisition(Acquisition&& acquisition, Clock::time_point at);
  void begin_measurement();
  void finish_measurement();
  void keep_noise();
  bool is_noise_alone() const;
  void send(const Message& message);
  void send_text(ServerEvent::Level level, const std::string& text);
  void send_image(const OutgoingImage& image, Clock::time_point ready);
  void send_at_end();
  void fail(const std::string& what);
  void answer(Received received);
  std::string why_stopped() const;

  ByteStream& stream_;
  Context ctx_;
  Ground ground_;
  Log log_;
  MessageQueue queue_;

  RequestText asked_{"default", {}};
  std::string header_;
  MeasurementLinks links_;
  Request request_;
  NoiseScan noise_;
  std::unique_ptr<FrameStream> frames_;  // none: images are made at the end
  AcquisitionList acquisitions_;
  std::size_t count_ = 0;
  std::size_t image_readouts_ = 0;
  std::size_t bytes_ = 0;
  std::size_t images_ = 0;
  Clock::time_point last_at_;

  std::atomic<bool> measuring_{false};
  std::atomic<std::int64_t> working_since_{0};
  mutable std::mutex guard_;
  std::string stopped_;  // why it ends early
};

}  // namespace whorl::serve
