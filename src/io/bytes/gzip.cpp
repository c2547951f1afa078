#include "io/bytes/gzip.hpp"

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t output_bytes = std::size_t{1} << 18;

// The mantissas of measured images are noise: higher levels take several times as long and save a few per cent.
constexpr int level = 1;

// The largest window, and 16 for the format of gzip instead of zlib's own (zlib.h, deflateInit2).
constexpr int gzip_window_bits = 15 + 16;

}  // namespace

GzipWriter::GzipWriter(AtomicFile& file) : file_(file), output_(output_bytes) {
  if (deflateInit2(&stream_, level, Z_DEFLATED, gzip_window_bits, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("gzip: out of memory");
  }
}

GzipWriter::~GzipWriter() { deflateEnd(&stream_); }

void GzipWriter::write(const void* bytes, std::size_t count) {
  // zlib counts in 32 bits.
  constexpr std::size_t most = std::size_t{1} << 30;
  const auto* next = static_cast<const unsigned char*>(bytes);
  while (count > 0) {
    const std::size_t part = std::min(count, most);
    stream_.next_in = const_cast<unsigned char*>(next);  // zlib's old signature; it does not write there
    stream_.avail_in = static_cast<uInt>(part);
    deflate_some(Z_NO_FLUSH);
    next += part;
    count -= part;
  }
}

void GzipWriter::finish() { deflate_some(Z_FINISH); }

void GzipWriter::deflate_some(int flush) {
  do {
    stream_.next_out = output_.data();
    stream_.avail_out = static_cast<uInt>(output_.size());
    deflate(&stream_, flush);  // cannot fail: the stream is valid and there is room for output
    file_.write(output_.data(), output_.size() - stream_.avail_out);
  } while (stream_.avail_out == 0);
}

}  // namespace whorl::io
