#include "cli/map/map_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

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

}  // namespace

void add_series(App& app, SeriesInput& input) {
  app.add_input("series", input.file, "Series of images [image, (z,) y, x]: FILE or FILE:NAME")->required();
  app.add_input(
         "--series-error", input.errors,
         "Standard deviations of the series' values, for weights and error bars: of the series' shape, or of one image")
      ->when("no --noise", [&input] { return !input.fit.noise.has_value(); });
  add_options(app, input.fit);
}

MapSeries read_series(const Context& ctx, const SeriesInput& input) {
  const NamedArray file = read_array(ctx, input.file);
  MapSeries series{real_values(ctx, file.values), {}, file.affine};
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
