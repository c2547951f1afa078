#include "cli/map/map_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/image_axes.hpp"

namespace whorl::cli {

namespace {

Array<float> real_values(const Context& ctx, const AnyArray& values) {
  Array<float> real(ctx, shape_of(values));
  std::visit(
      [&]<class T>(const Array<T>& from) {
        std::transform(from.span().begin(), from.span().end(), real.span().begin(), [](T value) {
          if constexpr (std::is_floating_point_v<T>) {
            return static_cast<float>(value);
          } else {
            return static_cast<float>(std::abs(value));
          }
        });
      },
      values);
  return real;
}

std::optional<std::array<std::array<double, 4>, 3>> place(const NamedArray& file) {
  return file.affine ? std::optional(file.affine->matrix) : std::nullopt;
}

// Images of several files become one series.
MapSeries read_images(const Context& ctx, const std::vector<std::string>& files) {
  NamedArray first = read_array(ctx, files.front());
  MapSeries series{real_values(ctx, first.values), {}, first.affine};
  if (files.size() == 1) return series;
  const Shape image = without_leading_ones(series.values.shape());
  Array<float> all(ctx, image.with_front(static_cast<Index>(files.size())));
  for (std::size_t i = 0; i < files.size(); ++i) {
    const NamedArray file = read_array(ctx, files[i]);
    Array<float> values = real_values(ctx, file.values);
    const Shape shape = without_leading_ones(values.shape());
    if (shape != image) {
      throw ShapeError(fmt::format("series: '{}' has shape {}, expected {} as '{}' has", files[i], to_string(shape),
                                   to_string(image), files.front()));
    }
    if (place(file) != place(first)) {
      throw ValueError(
          fmt::format("series: '{}' lies elsewhere than '{}'; bring the images to one grid", files[i], files.front()));
    }
    values.reshape(image);
    copy<float>(values, all.ref().slice(static_cast<Index>(i)));
  }
  series.values = std::move(all);
  return series;
}

}  // namespace

void add_series(App& app, SeriesInput& input) {
  app.add_input(
         "series", input.files,
         "Series of images [image, (z,) y, x], or a file for each image: FILE or FILE:NAME, in the order of the times")
      ->required();
  app.add_input(
         "--series-error", input.errors,
         "Standard deviations of the series' values, for weights and error bars: of the series' shape, or of one image")
      ->when("no --noise", [&input] { return !input.fit.noise.has_value(); });
  add_options(app, input.fit);
}

MapSeries read_series(const Context& ctx, const SeriesInput& input) {
  MapSeries series = read_images(ctx, input.files);
  if (!input.errors.empty()) series.errors = real_values(ctx, read_array(ctx, input.errors).values);
  return series;
}

Option* add_map(App& app, MapOutput& output) {
  return app.add_output(output.option, output.path, with_record(array_output()), output.help);
}

void write_map(const Context& ctx, const MapOutput& output, Array<float>& values, const std::optional<Affine>& affine) {
  if (output.path.empty()) return;
  write_array(ctx, output.path, {output.name, std::move(values), affine});
}

std::string counts_text(Index fitted, Index failed) {
  return fmt::format("fitted in {} voxels{}.", fitted,
                     failed > 0 ? fmt::format("; {} above the threshold do not determine it, and are 0", failed) : "");
}

}  // namespace whorl::cli
