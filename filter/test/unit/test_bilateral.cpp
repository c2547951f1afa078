#include "whorl/filter/denoise/bilateral.hpp"

#include <gtest/gtest.h>

#include "filter/test/unit/all_borders.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/registry.hpp"

namespace whorl {
namespace {

using test::value_at;

struct Mean {
  double value = 0;
  double change = 0;  ///< mean |image(q) - image(p)| under the weights
  int terms = 0;
};

// By the definition, over all pixels of the square that are in the disc.
Mean mean_at(const Image& image, const BilateralOptions& options, Index slice, Index y, Index x, Index c) {
  const ImageFormat& format = image.format();
  const Index colors = count_of(format.channels) - (has_alpha(format.channels) ? 1 : 0);
  const Index radius = options.radius.value_or(std::max<Index>(std::lround(std::floor(2 * options.sigma + 0.5)), 1));
  const double range = options.range.value_or(0.1 * full_scale(format.type));
  const auto at = [&](Index row, Index column, Index channel) {
    row = border_index(options.border, row, format.height);
    column = border_index(options.border, column, format.width);
    return row < 0 || column < 0 ? options.border_value : value_at(image, slice, row, column, channel);
  };
  double weights = 0;
  double sum = 0;
  double change = 0;
  int terms = 0;
  for (Index dy = -radius; dy <= radius; ++dy) {
    for (Index dx = -radius; dx <= radius; ++dx) {
      const auto square = static_cast<double>(dy * dy + dx * dx);
      if (std::sqrt(square) > static_cast<double>(radius)) continue;
      double distance = 0;
      for (Index k = 0; k < colors; ++k) distance += std::abs(at(y + dy, x + dx, k) - at(y, x, k));
      const double weight =
          std::exp(-square / (2 * options.sigma * options.sigma) - distance * distance / (2 * range * range));
      weights += weight;
      ++terms;
      sum += weight * at(y + dy, x + dx, c);
      change += weight * std::abs(at(y + dy, x + dx, c) - at(y, x, c));
    }
  }
  return {sum / weights, change / weights, terms};
}

// Weights: 2.8e-6 by the polynomial, and powers up to 20 (those beyond are below 1e-6) rounded six times,
// 20 ln 2 6 2^-24 = 5e-6. Their sums: each term rounds once, 2^-24. Products and quotients 2e-7. An error e of each
// weight moves the mean by at most 2 e times the mean change. Float32 results are rounded in the end.
void expect_bilateral(const Context& ctx, const Image& image, const BilateralOptions& options) {
  const ImageFormat& format = image.format();
  const Image found = to_host(ctx, make_bilateral(options)->apply(ctx, clone(ctx, image)));
  ASSERT_EQ(found.format(), format);
  const double rounding = format.type == PixelType::float32 ? 0 : 0.5;
  double worst = 0;
  for (Index slice = 0; slice < format.slices(); ++slice) {
    for (Index y = 0; y < format.height; ++y) {
      for (Index x = 0; x < format.width; ++x) {
        for (Index c = 0; c < count_of(format.channels); ++c) {
          const Mean mean = mean_at(image, options, slice, y, x, c);
          constexpr double unit = 6e-8;
          const double of_change = 2 * (8e-6 + unit * mean.terms);
          const double allowed = rounding + of_change * mean.change + 2 * unit * std::abs(mean.value);
          worst = std::max(worst, std::abs(value_at(found, slice, y, x, c) - mean.value) / allowed);
        }
      }
    }
  }
  EXPECT_LE(worst, 1) << to_string(format) << ", border " << static_cast<int>(options.border);
}

BilateralOptions options_of(double sigma, std::optional<double> range, std::optional<Index> radius) {
  BilateralOptions options;
  options.sigma = sigma;
  options.range = range;
  options.radius = radius;
  return options;
}

TEST(Bilateral, IsTheWeightedMeanOfTheDisc) {
  const Context ctx = test::device_context();
  for (const PixelType type : test::pixel_types) {
    const double scale = full_scale(type);
    for (const Channels channels : {Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba}) {
      const Image image = test::random_image({type, channels, 1, 1, 19, 37}, 3);
      expect_bilateral(ctx, image, {});
      expect_bilateral(ctx, image, options_of(1.3, 0.4 * scale, 5));
      expect_bilateral(ctx, image, options_of(0.4, 0.03 * scale, {}));
    }
    // More than one tile each way.
    expect_bilateral(ctx, test::random_image({type, Channels::gray, 1, 1, 70, 301}, 4), options_of(2, 0.2 * scale, 2));
  }
}

TEST(Bilateral, TakesAllBordersAndExtents) {
  const Context ctx = test::device_context();
  constexpr std::array<Index, 2> extents[] = {{1, 1}, {1, 19}, {21, 1}, {2, 3}, {5, 35}, {33, 17}};
  for (const Border border : test::all_borders) {
    for (const auto& [height, width] : extents) {
      BilateralOptions options = options_of(3, 90, 6);
      options.border = border;
      options.border_value = 200;
      expect_bilateral(ctx, test::random_image({PixelType::uint8, Channels::rgb, 1, 1, height, width}, 5), options);
      options.range = 0.4;
      options.border_value = 0.3;
      expect_bilateral(ctx, test::random_image({PixelType::float32, Channels::gray, 1, 1, height, width}, 6), options);
    }
  }
}

// Whose rows are in shared memory in several chunks.
TEST(Bilateral, TakesTheWidestWindow) {
  const Context ctx = test::device_context();
  for (const Channels channels : {Channels::gray, Channels::rgba}) {
    expect_bilateral(ctx, test::random_image({PixelType::uint8, channels, 1, 1, 2, 5}, 7), options_of(50, 100, {}));
  }
}

TEST(Bilateral, TakesVolumesSliceBySlice) {
  const Context ctx = test::device_context();
  expect_bilateral(ctx, test::random_image({PixelType::uint16, Channels::gray, 2, 3, 11, 18}, 8), {});
}

// A step of ten times the range: what is across has weights below e^-50.
TEST(Bilateral, KeepsSteps) {
  const Context ctx = test::device_context();
  for (const PixelType type : test::pixel_types) {
    const Image image = test::make_image({type, Channels::gray, 1, 1, 9, 23},
                                         [&](Index, Index, Index x, Index) { return x < 11 ? 0 : full_scale(type); });
    const Image found = to_host(ctx, make_bilateral({})->apply(ctx, clone(ctx, image)));
    EXPECT_LE(test::largest_difference(found, image), type == PixelType::float32 ? 1e-20 : 0);
  }
}

// Exactly: differences are averaged.
TEST(Bilateral, KeepsEvenAreas) {
  const Context ctx = test::device_context();
  const Image image = test::make_image({PixelType::float32, Channels::rgb, 1, 1, 13, 29},
                                       [](Index, Index, Index, Index c) { return 1234.5678 * static_cast<double>(c); });
  const Image found = to_host(ctx, make_bilateral({})->apply(ctx, clone(ctx, image)));
  EXPECT_EQ(test::largest_difference(found, image), 0);
}

TEST(Bilateral, SaysWhatItDoesNotTake) {
  EXPECT_THROW(make_bilateral({})->output({PixelType::float32, Channels::complex, 1, 1, 3, 4}), Unsupported);
  EXPECT_THROW(make_bilateral(options_of(0, {}, {})), ValueError);
  EXPECT_THROW(make_bilateral(options_of(51, {}, {})), ValueError);
  EXPECT_THROW(make_bilateral(options_of(3, 0.0, {})), ValueError);
  EXPECT_THROW(make_bilateral(options_of(3, std::nan(""), {})), ValueError);
  EXPECT_THROW(make_bilateral(options_of(3, {}, 0)), ValueError);
  EXPECT_THROW(make_bilateral(options_of(3, {}, 101)), ValueError);
  EXPECT_NO_THROW(make_bilateral(options_of(50, 1, 100)));
  const std::vector<FilterArgument> arguments{{"", "3"}, {"", "30"}, {"", "4"}};
  EXPECT_NO_THROW(FilterRegistry::global().find("bilateral").make(std::span(arguments)));
}

}  // namespace
}  // namespace whorl
