// Messages between the thread that receives them and the one that works on them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>

#include "serve/mrd_messages.hpp"
#include "serve/tcp.hpp"

namespace whorl::serve {

struct Received {
  Message message;
  Clock::time_point at;
};

/// At most so many bytes of messages wait; a peer that sends more waits too, by the windows of TCP.
class MessageQueue {
 public:
  explicit MessageQueue(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Waits for room. False: nobody takes messages any more.
  bool push(Received received);
  /// No more messages come: the stream ended, or `failure` did it.
  void end(std::exception_ptr failure = nullptr);
  /// Nobody takes messages any more.
  void close();
  /// Waits for a message; none at the end. Throws what ended the stream.
  std::optional<Received> pop();

 private:
  std::size_t most_bytes_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<Received> waiting_;
  std::size_t bytes_ = 0;
  std::exception_ptr failure_;
  bool ended_ = false;
  bool closed_ = false;
};

/// Bytes of memory that a message takes.
std::size_t bytes_of(const Message& message);
std::size_t bytes_of(const Acquisition& acquisition);

}  // namespace whorl::serve
