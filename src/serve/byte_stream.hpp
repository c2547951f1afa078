// A two-way stream of bytes: a connection, or memory in tests.
#pragma once

#include <cstddef>
#include <span>

#include "whorl/core/error.hpp"

namespace whorl::serve {

/// The stream ended, or its peer is too slow: nothing more can be said to it.
class StreamEnded : public IoError {
 public:
  using IoError::IoError;
};

/// What the reader waits for, so that a stream can have a limit of time for it.
enum class Awaited { message, rest_of_message };

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// What the following calls of read() wait for. The time for the rest of a message begins with this call.
  virtual void await(Awaited what) = 0;
  /// Reads at least one byte and at most as many as `to` has; gives their number, 0 at the end of the stream.
  /// Throws StreamEnded (a time limit, a broken connection).
  virtual std::size_t read_some(std::span<std::byte> to) = 0;
  /// Writes all bytes. Throws StreamEnded.
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// From any thread: reads that wait, and later ones, find the end of the stream.
  virtual void interrupt() = 0;
};

}  // namespace whorl::serve
