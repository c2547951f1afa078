#include "cli/output/error_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>

#include "whorl/core/error.hpp"
#include "whorl/io/png.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::cli {

namespace {

constexpr Index gap = 8;

bool any(ArrayRef<const float> values) {
  return std::any_of(values.span().begin(), values.span().end(), [](float value) { return value != 0; });
}

Picture montage_with_bar(const Context& ctx, ArrayRef<const float> values, Colormap colormap,
                         const DisplayWindow& window, const std::string& label) {
  MontageOptions options{.colormap = colormap, .window = window};
  Picture picture = montage_picture(ctx, values, options);
  options.zoom = comfortable_zoom(picture.width, picture.height);
  if (options.zoom > 1) picture = montage_picture(ctx, values, options);
  return with_colorbar(picture, colormap, window, label);
}

}  // namespace

template <class T>
Picture error_map(const Context& ctx, ArrayRef<const T> image, ArrayRef<const T> truth, MeasuredSet set) {
  if (truth.rank() < 2) {
    throw ShapeError(fmt::format("error map: an array of shape {} is no image; expected [y, x] or more axes in front",
                                 to_string(truth.shape())));
  }
  Array<float> absolute(ctx, truth.shape());
  Array<float> with_sign(ctx, std::is_floating_point_v<T> ? truth.shape() : Shape{0});
  for (Index i = 0; i < truth.size(); ++i) {
    // The set belongs to the last axes.
    const bool counts = set.size() == 0 || set.data()[i % set.size()];
    const T difference = counts ? image.data()[i] - truth.data()[i] : T{};
    absolute.data()[i] = static_cast<float>(std::abs(difference));
    if constexpr (std::is_floating_point_v<T>) with_sign.data()[i] = static_cast<float>(difference);
  }
  // Equal images have no scale of their own.
  const DisplayWindow window = any(absolute) ? default_window(ctx, absolute) : DisplayWindow{0, 1};
  Picture picture = montage_with_bar(ctx, absolute, Colormap::hot, window, "|image - truth|, in the images' unit");
  if constexpr (std::is_floating_point_v<T>) {
    picture = stacked(picture,
                      montage_with_bar(ctx, with_sign, Colormap::blue_red, {-window.high, window.high},
                                       "image - truth, in the images' unit"),
                      gap);
  }
  return picture;
}

template Picture error_map<double>(const Context&, ArrayRef<const double>, ArrayRef<const double>, MeasuredSet);
template Picture error_map<std::complex<double>>(const Context&, ArrayRef<const std::complex<double>>,
                                                 ArrayRef<const std::complex<double>>, MeasuredSet);

}  // namespace whorl::cli
