// GzipWriter: compresses a stream of bytes into an AtomicFile.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <vector>

#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

class GzipWriter {
 public:
  explicit GzipWriter(AtomicFile& file);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(const void* bytes, std::size_t count);

  /// Writes the buffered bytes and the trailer with the checksum.
  void finish();

 private:
  void deflate_some(int flush);

  AtomicFile& file_;
  z_stream stream_{};
  std::vector<unsigned char> output_;
};

}  // namespace whorl::io
