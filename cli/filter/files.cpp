#include "cli/filter/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include "whorl/core/error.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl::cli {

namespace {

using Complex = std::complex<float>;

Index volumes_of(const Shape& leading) { return leading.rank() == 0 ? 1 : leading.size(); }

// [channel, volume, z, y, x] of any type as float.
template <class T>
Array<float> planes_of(const Context& ctx, const Image& image) {
  const ImageFormat& format = image.format();
  const Index channels = count_of(format.channels);
  const Index pixels = format.shape().size() / channels;
  Array<float> planes(ctx, {channels, format.volumes, format.depth, format.height, format.width});
  const T* from = image.pixels<T>().data();
  for (Index channel = 0; channel < channels; ++channel) {
    for (Index i = 0; i < pixels; ++i)
      planes.data()[channel * pixels + i] = static_cast<float>(from[i * channels + channel]);
  }
  return planes;
}

// Filters square values: what they would make of others is refused.
void check_values(const std::string& file, std::span<const float> values) {
  double largest = 0;
  for (const float value : values) {
    if (std::isfinite(value)) largest = std::max<double>(largest, std::abs(value));
  }
  check_powers<float>("'" + file + "'", largest);
}

bool keeps_place(const ImageFormat& a, const ImageFormat& b) {
  return a.depth == b.depth && a.height == b.height && a.width == b.width;
}

}  // namespace

ArrayImage read_array_image(const Context& ctx, const std::string& file, LeadingAxes axes) {
  const NamedArray named = read_array(ctx, file);
  const Shape& shape = shape_of(named.values);
  if (shape.rank() < 2) {
    throw ShapeError(fmt::format("'{}': an array of shape {} is no image; expected [y, x] or more axes in front", file,
                                 to_string(shape)));
  }
  const int inner = axes == LeadingAxes::stack && shape.rank() > 2 ? 3 : 2;
  ArrayImage result{{}, named.affine, Shape(std::vector<Index>(shape.begin(), shape.end() - inner))};
  ImageFormat format{PixelType::float32, Channels::gray, volumes_of(result.leading), 1, shape[-2], shape[-1]};
  if (inner == 3) format.depth = shape[-3];
  if (is_complex(named.values)) {
    format.channels = Channels::complex;
    const auto values = converted<Complex>(ctx, named.values, file);
    result.image = Image(ctx, format);
    copy<float>(ArrayRef<const float>(reinterpret_cast<const float*>(values.data()), format.shape()),
                result.image.pixels<float>());
  } else {
    const auto values = converted<float>(ctx, named.values, file);
    result.image = Image(ctx, format);
    copy<float>(values.ref().reshape(format.shape()), result.image.pixels<float>());
  }
  check_values(file, result.image.pixels<float>().span());
  return result;
}

NamedArray array_of_image(const Context& ctx, const Image& image, const ArrayImage& source) {
  const ImageFormat& format = image.format();
  std::vector<Index> axes(source.leading.begin(), source.leading.end());
  if (volumes_of(source.leading) != format.volumes) axes.assign(format.volumes > 1 ? 1 : 0, format.volumes);
  if (format.depth > 1) axes.push_back(format.depth);
  axes.insert(axes.end(), {format.height, format.width});
  NamedArray result{"image", Array<float>(), {}};
  if (source.image.format().width > 0 && keeps_place(format, source.image.format())) result.affine = source.affine;
  if (format.channels == Channels::complex) {
    Array<Complex> values(ctx, Shape(axes));
    copy<float>(image.pixels<float>(), ArrayRef<float>(reinterpret_cast<float*>(values.data()), format.shape()));
    result.values = std::move(values);
    return result;
  }
  if (count_of(format.channels) > 1) axes.insert(axes.begin(), count_of(format.channels));
  auto values = with_pixel_type(format.type, [&](auto number) { return planes_of<decltype(number)>(ctx, image); });
  values.reshape(Shape(axes));
  result.values = std::move(values);
  return result;
}

}  // namespace whorl::cli
