#include "io/pictures/montage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::io {

namespace {

constexpr double default_percentile = 0.995;

}  // namespace

MontageLayout montage_layout(const char* operation, const Shape& images, std::optional<Index> tiles) {
  if (images.rank() < 2 || images.size() == 0) {
    throw ShapeError(
        fmt::format("{}: expected images [..., y, x] with at least one pixel, got {}", operation, to_string(images)));
  }
  if (tiles && *tiles < 1) throw ValueError(fmt::format("{}: expected 1 tile or more, got {}", operation, *tiles));
  const Index y = images[-2];
  const Index x = images[-1];
  MontageLayout layout;
  layout.count = images.size() / (y * x);
  layout.shown = std::min(layout.count, tiles.value_or(layout.count));
  const double square = std::sqrt(static_cast<double>(layout.shown * y) / static_cast<double>(x));
  layout.columns = std::clamp<Index>(std::llround(square), 1, layout.shown);
  layout.rows = divide_up(layout.shown, layout.columns);
  layout.width = layout.columns * x;
  layout.height = layout.rows * y;
  constexpr Index most = 65535;  // what other programs open, and a bound for the memory
  if (layout.width > most || layout.height > most) {
    throw ValueError(
        fmt::format("{}: {} images of {} x {} make a picture of {} x {} pixels, at most {} a side; "
                    "show fewer tiles",
                    operation, layout.shown, x, y, layout.width, layout.height, most));
  }
  return layout;
}

Montage lay_out(const char* operation, ArrayRef<const float> images, std::optional<Index> tiles) {
  Montage montage{montage_layout(operation, images.shape(), tiles), {}};
  const auto flat = images.reshape({montage.count, images.extent(-2), images.extent(-1)});
  for (Index tile = 0; tile < montage.shown; ++tile) {
    montage.tiles.push_back(flat.slice(image_of_tile(montage, tile)));
  }
  return montage;
}

void check_finite(const char* operation, const Montage& montage) {
  for (std::size_t tile = 0; tile < montage.tiles.size(); ++tile) {
    const auto values = montage.tiles[tile].span();
    const auto bad = std::find_if_not(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
    if (bad == values.end()) continue;
    const Index at = bad - values.begin();
    const Index x = montage.tiles[tile].extent(1);
    throw ValueError(fmt::format("{}: pixel x {}, y {} of image {} is {}; every pixel must be finite", operation,
                                 at % x, at / x, tile, *bad));
  }
}

double quantile(const Montage& montage, double part) {
  std::vector<float> values;
  for (const auto& tile : montage.tiles) values.insert(values.end(), tile.span().begin(), tile.span().end());
  const auto rank = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

double window_top(const Montage& montage, double low) { return window_top_at(montage, low, default_percentile); }

double window_top_at(const Montage& montage, double low, double part) {
  const double percentile = quantile(montage, part);
  if (percentile > low) return percentile;
  const double highest = quantile(montage, 1);
  return highest > low ? highest : std::nextafter(low, std::numeric_limits<double>::infinity());
}

}  // namespace whorl::io
