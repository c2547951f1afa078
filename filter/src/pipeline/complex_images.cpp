#include "whorl/filter/complex_images.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

// The real and imaginary parts, as they lie in memory.
template <class T>
auto parts_of(ArrayRef<T> images) {
  using Part = std::conditional_t<std::is_const_v<T>, const float, float>;
  return ArrayRef<Part>(reinterpret_cast<Part*>(images.data()), Shape{2 * images.size()}, images.device());
}

ImageFormat format_of(const Shape& shape) {
  if (shape.rank() != 4) {
    throw ShapeError(fmt::format("filter: images of shape {}, expected [frame, z, y, x]", to_string(shape)));
  }
  return {PixelType::float32, Channels::complex, shape[0], shape[1], shape[2], shape[3]};
}

}  // namespace

ComplexImageFilter::ComplexImageFilter(std::string pipeline)
    : text_(std::move(pipeline)), pipeline_(std::make_shared<Pipeline>(Pipeline::parse(text_))) {}

void ComplexImageFilter::check(const Shape& shape) const {
  const ImageFormat images = format_of(shape);
  const ImageFormat result = pipeline_->output(images);
  ImageFormat gray = images;
  gray.channels = Channels::gray;
  if (result == images || result == gray) return;
  throw ValueError(
      fmt::format("reconstruction: the filter '{}' makes {} of {}, expected the same extents as float32, gray or "
                  "complex; apply such a filter to the images as a pipeline",
                  text_, to_string(result), to_string(images)));
}

Array<Complex> ComplexImageFilter::apply(const Context& ctx, const Array<Complex>& images) const {
  Image input(ctx, format_of(images.shape()));
  copy<float>(ctx, parts_of(images.ref()), input.pixels<float>().reshape({2 * images.size()}));
  const Image result = pipeline_->apply(ctx, input);
  Array<Complex> filtered(ctx, images.shape());
  if (result.format().channels == Channels::complex) {
    copy<float>(ctx, result.pixels<float>().reshape({2 * images.size()}), parts_of(filtered.ref()));
  } else {
    to_complex<float>(ctx, result.pixels<float>().reshape(images.shape()), filtered);
  }
  return filtered;
}

}  // namespace whorl
