#include "io/bytes/gzip.hpp"

#include <fmt/format.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/parallel.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::io {

namespace {

// The image of one frame, 256 KiB for 256 x 256 pixels, has work for two threads.
constexpr std::size_t block_bytes = std::size_t{1} << 17;

// ISA-L's level that codes by the data's own statistics (0 does not). Higher ones save less than 1 %.
constexpr std::uint32_t level = 1;

// Method deflate, no flags, no time, the fastest compression, an unknown system (RFC 1952, 2.3).
constexpr std::array<unsigned char, 10> gzip_header{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255};

// An empty last block with the fixed codes (RFC 1951, 3.2.3): the blocks before it are not the last.
constexpr std::array<unsigned char, 2> last_block{0x03, 0x00};

// What ISA-L compresses with: some 300 KB.
struct Deflate {
  isal_zstream stream{};
  std::array<unsigned char, ISAL_DEF_LVL1_DEFAULT> tables{};
};

// Deflate's blocks for these bytes, up to a whole byte. Returns the CRC-32 of the bytes.
std::uint32_t compress(const unsigned char* bytes, std::size_t count, std::vector<unsigned char>& to) {
  const auto deflate = std::make_unique<Deflate>();
  isal_zstream& stream = deflate->stream;
  isal_deflate_init(&stream);
  stream.level = level;
  stream.level_buf = deflate->tables.data();
  stream.level_buf_size = static_cast<std::uint32_t>(deflate->tables.size());
  stream.flush = SYNC_FLUSH;
  stream.next_in = const_cast<unsigned char*>(bytes);  // an old signature; it does not write there
  stream.avail_in = static_cast<std::uint32_t>(count);
  to.resize(count);
  for (std::size_t done = 0;;) {
    stream.next_out = to.data() + done;
    stream.avail_out = static_cast<std::uint32_t>(to.size() - done);
    if (const int error = isal_deflate(&stream); error != COMP_OK) {
      throw Error(fmt::format("gzip: ISA-L refused to compress {} bytes (error {})", count, error));
    }
    done = to.size() - stream.avail_out;
    if (stream.avail_out > 0) break;  // all is flushed
    to.resize(to.size() + to.size() / 8 + 64);
  }
  to.resize(to.size() - stream.avail_out);
  return crc32_gzip_refl(0, bytes, count);
}

std::array<unsigned char, 4> little_endian(std::uint32_t value) {
  return {static_cast<unsigned char>(value), static_cast<unsigned char>(value >> 8U),
          static_cast<unsigned char>(value >> 16U), static_cast<unsigned char>(value >> 24U)};
}

}  // namespace

GzipWriter::GzipWriter(const Context& ctx, AtomicFile& file)
    : ctx_(ctx), file_(file), blocks_(static_cast<std::size_t>(ctx.threads())) {
  file_.write(gzip_header.data(), gzip_header.size());
}

void GzipWriter::write(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  while (count > 0) {
    const std::size_t part = std::min(count, blocks_.size() * block_bytes - waiting_.size());
    waiting_.insert(waiting_.end(), next, next + part);
    if (waiting_.size() == blocks_.size() * block_bytes) compress_waiting();
    next += part;
    count -= part;
  }
}

void GzipWriter::finish() {
  compress_waiting();
  file_.write(last_block.data(), last_block.size());
  for (const std::uint32_t value : {checksum_, static_cast<std::uint32_t>(bytes_)}) {
    const auto trailer = little_endian(value);
    file_.write(trailer.data(), trailer.size());
  }
}

void GzipWriter::compress_waiting() {
  const std::size_t count = divide_up(waiting_.size(), block_bytes);
  const auto length = [&](std::size_t i) { return std::min(block_bytes, waiting_.size() - i * block_bytes); };
  std::vector<std::uint32_t> checksums(count);
  detail::parallel_for(ctx_, "compression", 0, static_cast<Index>(count), [&](Index number) {
    const auto i = static_cast<std::size_t>(number);
    checksums[i] = compress(waiting_.data() + i * block_bytes, length(i), blocks_[i]);
  });
  for (std::size_t i = 0; i < count; ++i) {
    file_.write(blocks_[i].data(), blocks_[i].size());
    checksum_ = static_cast<std::uint32_t>(crc32_combine(checksum_, checksums[i], static_cast<z_off_t>(length(i))));
  }
  bytes_ += waiting_.size();
  waiting_.clear();
}

}  // namespace whorl::io
