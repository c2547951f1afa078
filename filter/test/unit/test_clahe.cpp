#include "whorl/filter/points/clahe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/border.hpp"

namespace whorl {
namespace {

using test::value_at;

// The table of the tile at (ty, tx): counts cut at the limit, the excess handed out one by one.
std::vector<double> table_of(const Image& image, Index slice, Index ty, Index tx, Index height, Index width,
                             double clip) {
  const auto levels = static_cast<Index>(full_scale(image.format().type)) + 1;
  std::vector<Index> counts(static_cast<std::size_t>(levels));
  for (Index y = ty * height; y < (ty + 1) * height; ++y) {
    for (Index x = tx * width; x < (tx + 1) * width; ++x) {
      const double v = value_at(image, slice, border_index(Border::reflect, y, image.format().height),
                                border_index(Border::reflect, x, image.format().width));
      ++counts[static_cast<std::size_t>(v)];
    }
  }
  if (clip > 0) {
    const Index limit = std::max<Index>(
        1, static_cast<Index>(clip * static_cast<double>(width * height) / static_cast<double>(levels)));
    Index excess = 0;
    for (Index& count : counts) {
      excess += std::max<Index>(0, count - limit);
      count = std::min(count, limit);
    }
    for (Index& count : counts) count += excess / levels;
    Index left = excess % levels;
    const Index step = std::max<Index>(1, left > 0 ? levels / left : 1);
    for (Index i = 0; i < levels && left > 0; i += step, --left) ++counts[static_cast<std::size_t>(i)];
  }
  std::vector<double> table;
  double sum = 0;
  for (const Index count : counts) {
    sum += static_cast<double>(count);
    table.push_back(std::nearbyint(sum * static_cast<double>(levels - 1) / static_cast<double>(width * height)));
  }
  return table;
}

void expect_clahe(const ImageFormat& format, const ClaheOptions& options) {
  const Context ctx = test::device_context();
  const Image image = test::random_image(format, 3);
  const Image found = to_host(ctx, make_clahe(options)->apply(ctx, clone(ctx, image)));
  const Index n = options.tiles;
  const Index more = format.width % n != 0 || format.height % n != 0 ? 1 : 0;
  const Index width = format.width / n + more;
  const Index height = format.height / n + more;
  std::vector<std::vector<double>> tables;
  for (Index i = 0; i < format.slices() * n * n; ++i) {
    tables.push_back(table_of(image, i / (n * n), i % (n * n) / n, i % n, height, width, options.clip_limit));
  }
  const Image expected = test::make_image(format, [&](Index s, Index y, Index x, Index c) {
    const double v = value_at(image, s, y, x, c);
    if (c > 0) return v;
    const double py = static_cast<double>(y) / static_cast<double>(height) - 0.5;
    const double px = static_cast<double>(x) / static_cast<double>(width) - 0.5;
    const auto top = static_cast<Index>(std::floor(py));
    const auto left = static_cast<Index>(std::floor(px));
    const auto entry = [&](Index ty, Index tx) {
      const Index tile = (s * n + std::clamp<Index>(ty, 0, n - 1)) * n + std::clamp<Index>(tx, 0, n - 1);
      return tables[static_cast<std::size_t>(tile)][static_cast<std::size_t>(v)];
    };
    const double wx = px - std::floor(px);
    const double wy = py - std::floor(py);
    return std::nearbyint((entry(top, left) * (1 - wx) + entry(top, left + 1) * wx) * (1 - wy) +
                          (entry(top + 1, left) * (1 - wx) + entry(top + 1, left + 1) * wx) * wy);
  });
  // float32 weights next to a half, in the table and between tables, and a place next to a tile's middle.
  EXPECT_LE(test::largest_difference(found, expected), 1) << to_string(format) << " " << n;
}

TEST(Clahe, MixesTheTablesOfTheTilesAround) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16}) {
    expect_clahe({type, Channels::gray, 1, 2, 40, 56}, {4, 3});
    expect_clahe({type, Channels::gray_alpha, 1, 1, 37, 53}, {3, 40});
    expect_clahe({type, Channels::gray, 1, 1, 40, 53}, {4, 0});
    expect_clahe({type, Channels::gray, 1, 1, 1, 5}, {2, 1});
  }
}

TEST(Clahe, RefusesWhatItDoesNotTake) {
  const Context ctx = test::device_context();
  EXPECT_THROW(make_clahe({})->output({PixelType::uint8, Channels::rgb, 1, 1, 4, 4}), Unsupported);
  EXPECT_THROW(make_clahe({})->output({PixelType::float32, Channels::gray, 1, 1, 4, 4}), Unsupported);
  EXPECT_THROW(make_clahe({0, 1}), ValueError);
  EXPECT_THROW(make_clahe({2, -1}), ValueError);
}

}  // namespace
}  // namespace whorl
