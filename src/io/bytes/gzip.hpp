// GzipWriter: compresses bytes into an AtomicFile, in several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

/// Writes one gzip member (RFC 1952). Blocks of 128 KiB are compressed side by side, and each ends on a whole byte, so any
/// reader of gzip takes them as one stream. The bytes do not depend on the number of threads.
class GzipWriter {
 public:
  GzipWriter(const Context& ctx, AtomicFile& file);

  void write(const void* bytes, std::size_t count);

  /// Writes the buffered bytes and the trailer with the checksum.
  void finish();

 private:
  void compress_waiting();

  const Context& ctx_;
  AtomicFile& file_;
  std::vector<unsigned char> waiting_;              // blocks that are not compressed yet
  std::vector<std::vector<unsigned char>> blocks_;  // compressed
  std::uint32_t checksum_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace whorl::io
