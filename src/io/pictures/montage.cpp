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

Montage lay_out(const char* operation, ArrayRef<const float> images, std::optional<Index> tiles) {
  if (images.rank() < 2 || images.size() == 0) {
    throw ShapeError(fmt::format("{}: expected images [..., y, x] with at least one pixel, got {}", operation,
                                 to_string(images.shape())));
  }
  if (tiles && *tiles < 1) throw ValueError(fmt::format("{}: expected 1 tile or more, got {}", operation, *tiles));
  const Index y = images.extent(-2);
  const Index x = images.extent(-1);
  const Index count = images.size() / (y * x);
  const Index shown = std::min(count, tiles.value_or(count));
  const auto flat = images.reshape({count, y, x});
  Montage montage;
  // The middle of each of `shown` equal parts: one tile of a volume is its middle slice.
  for (Index tile = 0; tile < shown; ++tile) montage.tiles.push_back(flat.slice((2 * tile + 1) * count / (2 * shown)));
  const double square = std::sqrt(static_cast<double>(shown * y) / static_cast<double>(x));
  montage.columns = std::clamp<Index>(std::llround(square), 1, shown);
  montage.rows = divide_up(shown, montage.columns);
  montage.width = montage.columns * x;
  montage.height = montage.rows * y;
  constexpr Index most = 65535;  // what other programs open, and a bound for the memory
  if (montage.width > most || montage.height > most) {
    throw ValueError(
        fmt::format("{}: {} images of {} x {} make a picture of {} x {} pixels, at most {} a side; "
                    "show fewer tiles",
                    operation, shown, x, y, montage.width, montage.height, most));
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

double window_top(const Montage& montage, double low) {
  const double percentile = quantile(montage, default_percentile);
  if (percentile > low) return percentile;
  const double highest = quantile(montage, 1);
  return highest > low ? highest : std::nextafter(low, std::numeric_limits<double>::infinity());
}

}  // namespace whorl::io
