// Animated GIF, by giflib.
#include <fmt/format.h>
#include <gif_lib.h>

#include <array>
#include <cmath>
#include <vector>

#include "io/movies/movie_file.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

namespace {

constexpr int gray_levels = 256;

// What giflib's functions get of this file. No exception may pass through the library: write errors become its own.
struct GifTarget {
  AtomicFile file;
  std::string message;
};

int put_gif_bytes(GifFileType* gif, const GifByteType* bytes, int count) {
  auto& target = *static_cast<GifTarget*>(gif->UserData);
  try {
    target.file.write(bytes, static_cast<std::size_t>(count));
    return count;
  } catch (const Error& error) {
    target.message = error.what();
    return 0;
  }
}

class Gif final : public MovieFile {
 public:
  Gif(const std::filesystem::path& path, const MovieFormat& format)
      : target_{AtomicFile(path), {}}, name_(path.string()), format_(format) {
    int code = 0;
    gif_ = EGifOpen(&target_, &put_gif_bytes, &code);
    if (gif_ == nullptr) fail(code);
    try {
      write_start();
    } catch (...) {
      close();
      throw;
    }
  }
  ~Gif() override { close(); }
  Gif(const Gif&) = delete;
  Gif& operator=(const Gif&) = delete;

  void write(std::span<const std::uint8_t> pixels) override {
    // Hundredths of a second, low byte first; nothing is transparent.
    const auto shown = static_cast<unsigned>(std::max(1L, std::lround(format_.milliseconds / 10.0)));
    const std::array<GifByteType, 4> control{0, static_cast<GifByteType>(shown & 0xFFU),
                                             static_cast<GifByteType>(shown >> 8U & 0xFFU), 0};
    check(EGifPutExtension(gif_, GRAPHICS_EXT_FUNC_CODE, control.size(), control.data()));
    const auto width = static_cast<int>(format_.width);
    const auto height = static_cast<int>(format_.height);
    check(EGifPutImageDesc(gif_, 0, 0, width, height, false, nullptr));
    std::vector<GifPixelType> row(static_cast<std::size_t>(width));
    for (int y = 0; y < height; ++y) {
      const auto from = pixels.subspan(static_cast<std::size_t>(y) * row.size(), row.size());
      row.assign(from.begin(), from.end());
      check(EGifPutLine(gif_, row.data(), width));
    }
  }

  void commit() override {
    int code = 0;
    GifFileType* gif = gif_;
    gif_ = nullptr;
    if (EGifCloseFile(gif, &code) != GIF_OK) fail(code);
    target_.file.commit();
  }

 private:
  void write_start() {
    EGifSetGifVersion(gif_, true);
    ColorMapObject* grays = GifMakeMapObject(gray_levels, nullptr);
    if (grays == nullptr) throw Error("writing GIF: out of memory");
    for (int level = 0; level < gray_levels; ++level) {
      const auto value = static_cast<GifByteType>(level);
      grays->Colors[level] = {value, value, value};
    }
    const int code =
        EGifPutScreenDesc(gif_, static_cast<int>(format_.width), static_cast<int>(format_.height), 8, 0, grays);
    GifFreeMapObject(grays);
    check(code);
    // Repeated for ever: an extension that browsers have known since Netscape 2.
    constexpr std::array<GifByteType, 3> for_ever{1, 0, 0};
    check(EGifPutExtensionLeader(gif_, APPLICATION_EXT_FUNC_CODE));
    check(EGifPutExtensionBlock(gif_, 11, "NETSCAPE2.0"));
    check(EGifPutExtensionBlock(gif_, for_ever.size(), for_ever.data()));
    check(EGifPutExtensionTrailer(gif_));
  }

  void check(int code) const {
    if (code != GIF_OK) fail(gif_->Error);
  }

  [[noreturn]] void fail(int code) const {
    if (!target_.message.empty()) throw IoError(target_.message);
    const char* text = GifErrorString(code);
    throw IoError(fmt::format("writing GIF '{}': {}", name_, text != nullptr ? text : "giflib failed"));
  }

  void close() {
    int code = 0;
    if (gif_ != nullptr) static_cast<void>(EGifCloseFile(gif_, &code));
    gif_ = nullptr;
  }

  GifTarget target_;
  std::string name_;
  MovieFormat format_;
  GifFileType* gif_ = nullptr;
};

}  // namespace

std::unique_ptr<MovieFile> create_gif(const std::filesystem::path& path, const MovieFormat& format) {
  return std::make_unique<Gif>(path, format);
}

}  // namespace whorl::io
