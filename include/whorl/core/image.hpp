// Image: pixels with a format. Filters take and give images; picture files are read into them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The type of a pixel's values. Integers stand for light from 0 (black) to the largest value of the type (white).
enum class PixelType { uint8, uint16, float32 };

/// The meaning of the values of one pixel, in their order in memory.
enum class Channels {
  gray,
  gray_alpha,
  rgb,
  rgba,
  complex,  ///< real and imaginary part; float32 only
};

std::string_view to_string(PixelType type);
std::string_view to_string(Channels channels);
int count_of(Channels channels);
/// True if the last channel is opacity.
bool has_alpha(Channels channels);
std::size_t bytes_of(PixelType type);
/// The value of white: 255, 65535, and 1 for float32.
double full_scale(PixelType type);

/// The type and extents of an image. A picture is one volume of depth 1; a series of stacks is several volumes.
struct ImageFormat {
  PixelType type = PixelType::uint8;
  Channels channels = Channels::gray;
  Index volumes = 1;
  Index depth = 1;
  Index height = 0;
  Index width = 0;

  Index slices() const { return volumes * depth; }
  /// Number of values in a row.
  Index row() const { return width * count_of(channels); }
  /// [volume, z, y, x, channel]
  Shape shape() const { return {volumes, depth, height, width, count_of(channels)}; }
  std::size_t bytes() const { return static_cast<std::size_t>(shape().size()) * bytes_of(type); }

  friend bool operator==(const ImageFormat&, const ImageFormat&) = default;
};

/// "800 x 600 RGB uint8", "3 volumes of 128 x 128 x 64 gray float32"
std::string to_string(const ImageFormat& format);

/// Pixels on a device: [volume, z, y, x, channel] in C order, the channels of a pixel side by side, rows without gaps.
///
/// Threads  several may read an image, or write different pixels, at once
class Image {
 public:
  /// No pixels.
  Image() = default;
  /// Pixels that are not initialized, on the context's device. Throws ValueError for an extent below 1, and for complex
  /// pixels that are not float32.
  Image(const Context& ctx, const ImageFormat& format);
  /// The pixels of an array, which may be memory of the caller (Array::adopt, Array::refer_to). T is the C++ type of the
  /// format's pixel type. Throws ValueError as above and for another type, ShapeError unless the array's shape is
  /// format.shape().
  template <class T>
  Image(const ImageFormat& format, Array<T> pixels);

  const ImageFormat& format() const { return format_; }
  Device device() const;

  /// Throws ValueError if T is not the C++ type of the format's pixel type.
  template <class T>
      ArrayRef<T> pixels() & WHORL_LIFETIME_BOUND;
  template <class T>
  ArrayRef<const T> pixels() const& WHORL_LIFETIME_BOUND;
  template <class T>
  void pixels() const&& = delete;  // gone at the end of the line: give the image a name

 private:
  ImageFormat format_;
  std::variant<Array<std::uint8_t>, Array<std::uint16_t>, Array<float>> pixels_;
};

/// Calls f(T{}) with the C++ type of a pixel's values.
template <class Function>
decltype(auto) with_pixel_type(PixelType type, const Function& f) {
  switch (type) {
    case PixelType::uint8:
      return f(std::uint8_t{});
    case PixelType::uint16:
      return f(std::uint16_t{});
    default:
      return f(float{});
  }
}

/// A new image with the same pixels, on the context's device.
Image clone(const Context& ctx, const Image& image);
/// The pixels on the host.
Image to_host(const Context& ctx, const Image& image);
/// Copies pixels between images of the same format. Each image is on the context's device or on the host. Throws
/// ShapeError if the formats differ.
void copy(const Context& ctx, const Image& from, Image& to);

}  // namespace whorl
