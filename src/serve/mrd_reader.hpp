// Messages of MRD v1 from a stream of bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "serve/byte_stream.hpp"
#include "serve/mrd_messages.hpp"

namespace whorl::serve {

/// The most bytes that a message may have; a longer one is refused before memory is taken.
struct MessageLimits {
  std::size_t text = std::size_t{16} << 20;  ///< texts, configurations, headers, attributes
  std::size_t data = std::size_t{1} << 30;   ///< samples, pixels, elements
};

/// Reads what a peer sends, whatever it is. Memory grows with the bytes that arrive, not with what a header promises.
class MrdReader {
 public:
  explicit MrdReader(ByteStream& stream, MessageLimits limits = {}) : stream_(stream), limits_(limits) {}

  /// The next message; none where the stream ends between two messages. Texts lose the zeros at their end.
  /// Throws  IoError, naming the message by its kind and number: an unknown kind, a size beyond the limits, counts that no
  ///         message has; StreamEnded in the middle of a message
  std::optional<Message> next();

  /// Messages that were read.
  std::size_t count() const { return count_; }

 private:
  [[noreturn]] void refuse(const char* kind, const std::string& what) const;
  void read(const char* kind, std::span<std::byte> to);
  template <class T>
  T read_value(const char* kind);
  template <class T>
  void read_list(const char* kind, std::size_t count, T& list);
  void check_size(const char* kind, const char* what, double bytes, std::size_t limit) const;
  std::string read_text(const char* kind, std::size_t length);
  std::string read_counted_text(const char* kind);
  Acquisition read_acquisition();
  Image read_image();
  Waveform read_waveform();
  NdArray read_array();

  ByteStream& stream_;
  MessageLimits limits_;
  std::size_t count_ = 0;
};

}  // namespace whorl::serve
