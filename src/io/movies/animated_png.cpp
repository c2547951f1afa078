// Animated PNG: the chunks of PNG, with one for the animation and one before each frame (W3C, PNG third edition, 11.3.6).
#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "io/movies/movie_file.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

namespace {

constexpr std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

// Integers of PNG have their first byte first.
void append_number(std::string& to, std::uint32_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to.push_back(static_cast<char>(value >> (8 * static_cast<unsigned>(i)) & 0xFFU));
}

// Each row less the row above it: most of a picture's rows are alike.
std::string compressed(std::span<const std::uint8_t> pixels, Index width, Index height) {
  constexpr char up = 2;
  std::string rows;
  rows.reserve(static_cast<std::size_t>((width + 1) * height));
  for (Index y = 0; y < height; ++y) {
    rows.push_back(up);
    for (Index x = 0; x < width; ++x) {
      const auto at = static_cast<std::size_t>(y * width + x);
      const unsigned above = y > 0 ? pixels[at - static_cast<std::size_t>(width)] : 0U;
      rows.push_back(static_cast<char>((pixels[at] - above) & 0xFFU));
    }
  }
  uLongf size = compressBound(rows.size());
  std::string small(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(small.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                             rows.size(), Z_DEFAULT_COMPRESSION);
  if (code != Z_OK) throw Error("writing PNG: out of memory");
  small.resize(size);
  return small;
}

class AnimatedPng final : public MovieFile {
 public:
  AnimatedPng(const std::filesystem::path& path, const MovieFormat& format) : file_(path), format_(format) {
    file_.write(signature.data(), signature.size());
    std::string header;
    append_number(header, static_cast<std::uint32_t>(format.width), 4);
    append_number(header, static_cast<std::uint32_t>(format.height), 4);
    header += std::string("\x08\0\0\0\0", 5);  // 8 bits, gray, the usual compression and filters, not interlaced
    write_chunk("IHDR", header);
    std::string animation;
    append_number(animation, static_cast<std::uint32_t>(format.frames), 4);
    append_number(animation, 0, 4);  // for ever
    write_chunk("acTL", animation);
  }

  void write(std::span<const std::uint8_t> pixels) override {
    std::string control;
    append_number(control, number_++, 4);
    append_number(control, static_cast<std::uint32_t>(format_.width), 4);
    append_number(control, static_cast<std::uint32_t>(format_.height), 4);
    append_number(control, 0, 4);
    append_number(control, 0, 4);
    append_number(control, static_cast<std::uint32_t>(format_.milliseconds), 2);
    append_number(control, 1000, 2);
    control += std::string("\0\0", 2);  // nothing is cleared, all is replaced
    write_chunk("fcTL", control);
    const std::string data = compressed(pixels, format_.width, format_.height);
    if (first_) {
      write_chunk("IDAT", data);
    } else {
      std::string numbered;
      append_number(numbered, number_++, 4);
      write_chunk("fdAT", numbered + data);
    }
    first_ = false;
  }

  void commit() override {
    write_chunk("IEND", {});
    file_.commit();
  }

 private:
  void write_chunk(std::string_view name, const std::string& content) {
    std::string chunk;
    append_number(chunk, static_cast<std::uint32_t>(content.size()), 4);
    chunk += name;
    chunk += content;
    const auto* checked = reinterpret_cast<const Bytef*>(chunk.data()) + 4;
    append_number(chunk, static_cast<std::uint32_t>(crc32(0, checked, static_cast<uInt>(content.size() + 4))), 4);
    file_.write(chunk.data(), chunk.size());
  }

  AtomicFile file_;
  MovieFormat format_;
  std::uint32_t number_ = 0;  // of control and data chunks, together
  bool first_ = true;
};

}  // namespace

std::unique_ptr<MovieFile> create_animated_png(const std::filesystem::path& path, const MovieFormat& format) {
  return std::make_unique<AnimatedPng>(path, format);
}

}  // namespace whorl::io
