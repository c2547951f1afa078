#include "whorl/core/image.hpp"

#include <fmt/format.h>

#include <utility>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double full_scale_8 = 255;
constexpr double full_scale_16 = 65535;

template <class T>
constexpr PixelType type_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return PixelType::uint8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return PixelType::uint16;
  return PixelType::float32;
}

template <class T>
void check_type(const ImageFormat& format) {
  if (format.type == type_of<T>()) return;
  throw ValueError(
      fmt::format("pixels of an image: it holds {}, asked for as {}", to_string(format.type), to_string(type_of<T>())));
}

void check_format(const ImageFormat& format) {
  if (format.volumes < 1 || format.depth < 1 || format.height < 1 || format.width < 1) {
    throw ValueError(fmt::format("image: {} volumes, {} slices, {} rows, {} columns; each must be at least 1",
                                 format.volumes, format.depth, format.height, format.width));
  }
  if (format.channels == Channels::complex && format.type != PixelType::float32) {
    throw ValueError(fmt::format("image: complex pixels of {}, expected float32", to_string(format.type)));
  }
}

}  // namespace

std::string_view to_string(PixelType type) {
  switch (type) {
    case PixelType::uint8:
      return "uint8";
    case PixelType::uint16:
      return "uint16";
    default:
      return "float32";
  }
}

std::string_view to_string(Channels channels) {
  switch (channels) {
    case Channels::gray:
      return "gray";
    case Channels::gray_alpha:
      return "gray and alpha";
    case Channels::rgb:
      return "RGB";
    case Channels::rgba:
      return "RGBA";
    default:
      return "complex";
  }
}

int count_of(Channels channels) {
  switch (channels) {
    case Channels::gray:
      return 1;
    case Channels::rgb:
      return 3;
    case Channels::rgba:
      return 4;
    default:
      return 2;
  }
}

bool has_alpha(Channels channels) { return channels == Channels::gray_alpha || channels == Channels::rgba; }

std::size_t bytes_of(PixelType type) {
  return with_pixel_type(type, [](auto number) { return sizeof(number); });
}

double full_scale(PixelType type) {
  if (type == PixelType::float32) return 1;
  return type == PixelType::uint8 ? full_scale_8 : full_scale_16;
}

std::string to_string(const ImageFormat& format) {
  std::string text = format.volumes > 1 ? fmt::format("{} volumes of ", format.volumes) : "";
  text += fmt::format("{} x {}", format.width, format.height);
  if (format.depth > 1) text += fmt::format(" x {}", format.depth);
  return text + fmt::format(" {} {}", to_string(format.channels), to_string(format.type));
}

Image::Image(const Context& ctx, const ImageFormat& format) : format_(format) {
  check_format(format);
  with_pixel_type(format.type, [&](auto number) { pixels_ = Array<decltype(number)>(ctx, format.shape()); });
}

template <class T>
Image::Image(const ImageFormat& format, Array<T> pixels) : format_(format) {
  check_format(format);
  check_type<T>(format);
  if (pixels.shape() != format.shape()) {
    throw ShapeError(fmt::format("image of {}: the array of its pixels has {}, expected {} (volume, z, y, x, channel)",
                                 to_string(format), to_string(pixels.shape()), to_string(format.shape())));
  }
  pixels_ = std::move(pixels);
}

Device Image::device() const {
  return std::visit([](const auto& pixels) { return pixels.device(); }, pixels_);
}

template <class T>
ArrayRef<T> Image::pixels() & {
  check_type<T>(format_);
  return std::get<Array<T>>(pixels_);
}

template <class T>
ArrayRef<const T> Image::pixels() const& {
  check_type<T>(format_);
  return std::get<Array<T>>(pixels_);
}

void copy(const Context& ctx, const Image& from, Image& to) {
  if (from.format() != to.format()) {
    throw ShapeError(
        fmt::format("copying an image: {} does not fit {}", to_string(from.format()), to_string(to.format())));
  }
  with_pixel_type(from.format().type, [&](auto number) {
    using T = decltype(number);
    copy<T>(ctx, from.pixels<T>(), to.pixels<T>());
  });
}

Image clone(const Context& ctx, const Image& image) {
  Image result(ctx, image.format());
  copy(ctx, image, result);
  return result;
}

Image to_host(const Context& ctx, const Image& image) {
  Image result(ctx.host(), image.format());
  copy(ctx, image, result);
  return result;
}

#define WHORL_INSTANTIATE(T)                           \
  template Image::Image(const ImageFormat&, Array<T>); \
  template ArrayRef<T> Image::pixels()&;               \
  template ArrayRef<const T> Image::pixels() const&
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl
