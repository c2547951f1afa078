// One connection: what a client says and gets.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "serve/byte_stream.hpp"
#include "serve/message_queue.hpp"
#include "serve/reconstructor.hpp"
#include "whorl/serve/server_event.hpp"

namespace whorl::serve {

class Session {
 public:
  using Log = std::function<void(ServerEvent::Level, const std::string& what, const std::string& text)>;

  /// Stream and ground must outlive it. The context is its own, with a token of its own.
  Session(ByteStream& stream, Context ctx, Ground& ground, Log log);

  /// Talks with the client until its end; whatever happens is told to the client and to the log.
  void run();
  /// From any thread: ends it soon, and tells the client why.
  void stop(const std::string& why);
  /// Has the client begun a measurement?
  bool is_measuring() const { return work_.has_begun(); }
  /// Since when the session works on what it has; none: it waits for the client.
  std::optional<Clock::time_point> working_since() const;

 private:
  void receive();
  void converse();
  std::optional<Received> next();
  void take_config(const std::string& text);
  void send(const Message& message);
  void send_text(ServerEvent::Level level, const std::string& text);
  void fail(const std::string& what);
  void answer(Received received);
  std::string why_stopped() const;

  ByteStream& stream_;
  Context ctx_;
  Ground& ground_;
  Log log_;
  MessageQueue queue_;

  Reconstructor work_;

  std::atomic<std::int64_t> working_since_{0};
  mutable std::mutex guard_;
  std::string stopped_;  // why it ends early
};

}  // namespace whorl::serve
