// Gaussians against sums over the window in double.
#include "whorl/filter/windows/gaussian.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "filter/test/unit/all_borders.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/registry.hpp"

namespace whorl {
namespace {

using test::value_at;

std::vector<double> window(double sigma, Index radius) {
  std::vector<double> weights;
  double sum = 0;
  for (Index i = -radius; i <= radius; ++i) {
    weights.push_back(std::exp(-0.5 * static_cast<double>(i * i) / (sigma * sigma)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The sums along one axis of numbers [outer][length][inner], in double.
std::vector<double> summed(const std::vector<double>& numbers, Index length, Index inner, const BorderOptions& border,
                           const std::vector<double>& w) {
  const auto radius = static_cast<Index>(w.size()) / 2;
  std::vector<double> sums(numbers.size());
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const Index i = static_cast<Index>(at) / inner % length;
    for (Index k = -radius; k <= radius; ++k) {
      const Index source = border_index(border.border, i + k, length);
      const double number =
          source < 0 ? border.border_value : numbers[at + static_cast<std::size_t>((source - i) * inner)];
      sums[at] += w[static_cast<std::size_t>(k + radius)] * number;
    }
  }
  return sums;
}

struct Difference {
  double largest = 0;  // from the exact sum, in the image's numbers
  Index other = 0;     // integers that are not the rounded exact sum
  Index count = 0;
};

Difference difference(const Context& ctx, const GaussianOptions& options, Index window_radius, const Image& image) {
  const std::vector<double> w = window(options.sigma, window_radius);
  const Image result = to_host(ctx, make_gaussian(options)->apply(ctx, clone(ctx, image)));
  const ImageFormat& format = image.format();
  Difference found;
  with_pixel_type(format.type, [&](auto number) {
    const auto pixels = image.pixels<decltype(number)>().span();
    const auto values = result.pixels<decltype(number)>().span();
    std::vector<double> exact(pixels.begin(), pixels.end());
    exact = summed(exact, format.width, count_of(format.channels), options, w);
    exact = summed(exact, format.height, format.row(), options, w);
    if (options.along_z) exact = summed(exact, format.depth, format.height * format.row(), options, w);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      found.largest = std::max(found.largest, std::abs(value - exact[i]));
      if (value != std::floor(exact[i] + 0.5)) ++found.other;
      ++found.count;
    }
  });
  return found;
}

// How far a number may be from the exact sum. Integers are rounded: 0.5. uint8 adds the rounding between the passes,
// 2^-7, and that of the taps: each is off by less than 2^-16 here, which 255 levels turn into less than
// 2 (2 radius + 1) 255 / 2^16 / 2 = 0.06 for radius 7. uint16 and float32 are sums of up to 2 (radius + 1) roundings of
// 2^-24 of the largest number, for uint16 2 * 8 * 2^-8 levels.
double allowed(PixelType type, Index radius) {
  const auto count = static_cast<double>(radius + 1);
  switch (type) {
    case PixelType::uint8:
      return 0.5 + 0x1p-7 + 2 * count * 255 * 0x1p-16;
    case PixelType::uint16:
      return 0.5 + 2 * count * 0x1p-8;
    default:
      return 2 * count * 0x1p-24;
  }
}

TEST(Gaussian, IsTheSumOverItsWindow) {
  const Context ctx = test::device_context();
  struct Extent {
    Index height, width;
  };
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const auto& [height, width] : {Extent{1, 1}, Extent{1, 9}, Extent{11, 1}, Extent{5, 4}, Extent{37, 83}}) {
      for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
        const Image image = test::random_image({type, channels, 1, 2, height, width}, 5);
        for (const Border border : test::all_borders) {
          GaussianOptions options;
          options.border = border;
          options.border_value = type == PixelType::float32 ? 0.25 : 77;
          options.sigma = 1.9;
          options.radius = 7;
          EXPECT_LE(difference(ctx, options, 7, image).largest, allowed(type, 7))
              << to_string(image.format()) << " border " << static_cast<int>(border);
        }
      }
    }
  }
}

// Rows of whole vectors, which have kernels of their own on a GPU, down to a single vector.
TEST(Gaussian, TakesRowsOfWholeVectors) {
  const Context ctx = test::device_context();
  struct Extent {
    Index height, width;
  };
  for (const auto& [height, width] : {Extent{3, 16}, Extent{21, 208}}) {
    for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
      const Image image = test::random_image({PixelType::uint8, channels, 1, 2, height, width}, 5);
      for (const Index radius : {1, 2, 3, 4, 7}) {
        for (const Border border : test::all_borders) {
          GaussianOptions options;
          options.border = border;
          options.border_value = 77;
          options.sigma = 0.4 * static_cast<double>(radius) + 0.2;
          options.radius = radius;
          EXPECT_LE(difference(ctx, options, radius, image).largest, allowed(PixelType::uint8, radius))
              << to_string(image.format()) << " radius " << radius << " border " << static_cast<int>(border);
        }
      }
    }
  }
}

TEST(Gaussian, TakesComplexImagesAsTwoChannels) {
  const Context ctx = test::device_context();
  const Image image = test::random_image({PixelType::float32, Channels::complex, 1, 1, 13, 29}, 5);
  GaussianOptions options;
  options.sigma = 0.8;
  EXPECT_LE(difference(ctx, options, 2, image).largest, allowed(PixelType::float32, 2));
}

// Noise over the whole range, where each rounding shows most.
TEST(Gaussian, RoundsIntegersToTheNearest) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16}) {
    const Image image = test::random_image({type, Channels::gray, 1, 1, 95, 211}, 5);
    for (const double sigma : {0.1, 0.8, 1.4, 3.0}) {
      GaussianOptions options;
      options.sigma = sigma;
      const Difference found = difference(ctx, options, std::max<Index>(1, std::lround(3 * sigma)), image);
      EXPECT_LE(found.largest, 1);
      EXPECT_LE(found.other, found.count / 100) << sigma;
    }
  }
}

TEST(Gaussian, FiltersVolumesAcrossSlices) {
  const Context ctx = test::device_context();
  GaussianOptions options;
  options.along_z = true;
  options.radius = 2;
  for (const Border border : test::all_borders) {
    options.border = border;
    for (const PixelType type : {PixelType::uint8, PixelType::float32}) {
      const Image image = test::random_image({type, Channels::gray, 2, 4, 9, 13}, 5);
      // Integers are rounded between the slices and across them.
      const double once_more = type == PixelType::uint8 ? 0.5 : 0x1p-24;
      EXPECT_LE(difference(ctx, options, 2, image).largest, allowed(type, 2) + 3 * once_more);
    }
  }
}

// Windows reach 6 sigma here: what is beyond is 4e-9 of them.
constexpr double recursive_test_sigma = 16.5;
constexpr Index recursive_test_radius = 99;

TEST(Gaussian, IsRecursiveForLargeSigmas) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Channels channels : {Channels::gray, Channels::rgb}) {
      const Image image = test::random_image({type, channels, 1, 2, 11, 19}, 5);
      for (const Border border : test::all_borders) {
        GaussianOptions options;
        options.border = border;
        options.border_value = type == PixelType::float32 ? 0.25 : 77;
        options.sigma = recursive_test_sigma;
        const Difference found = difference(ctx, options, recursive_test_radius, image);
        // 2e-5 of the range as the window's error, and for integers half a level, 2^-6 where halves go up (uint16), and
        // 2^-8 between the passes (uint8).
        const double range = type == PixelType::float32 ? 1 : full_scale(type);
        const double rounding = type == PixelType::float32 ? 0x1p-22 : 0.5 + 0x1p-6;
        EXPECT_LE(found.largest, 2e-5 * range + rounding)
            << to_string(image.format()) << " border " << static_cast<int>(border);
      }
    }
  }
}

TEST(Gaussian, RecursiveWindowIsCloseToTheGaussian) {
  const Context ctx = test::device_context();
  for (const double sigma : {recursive_sigma, 41.3, 100.0}) {
    const auto half = static_cast<Index>(9 * sigma);
    const Image impulse = test::make_image({PixelType::float32, Channels::gray, 1, 1, 1, 2 * half + 1},
                                           [&](Index, Index, Index x, Index) { return x == half ? 1 : 0; });
    GaussianOptions options;
    options.sigma = sigma;
    options.border = Border::constant;
    const Image result = to_host(ctx, make_gaussian(options)->apply(ctx, clone(ctx, impulse)));
    // Along y the row is the only one, and only its share is left.
    const std::vector<double> w = window(sigma, half);
    const double share = w[static_cast<std::size_t>(half)];
    double sum = 0;
    for (Index x = 0; x < 2 * half + 1; ++x) {
      sum += std::abs(value_at(result, 0, 0, x) / share - w[static_cast<std::size_t>(x)]);
    }
    EXPECT_LE(sum, 2e-5) << sigma;
  }
}

// What a checkerboard leaves, halves, must go up on both sides of every rounding.
TEST(Gaussian, RecursiveRoundingIsSteady) {
  const Context ctx = test::device_context();
  const Image image = test::make_image({PixelType::uint8, Channels::gray, 1, 1, 64, 66},
                                       [](Index, Index y, Index x, Index) { return static_cast<double>((x + y) % 2); });
  GaussianOptions options;
  options.sigma = 20;
  options.border = Border::wrap;
  const Image result = to_host(ctx, make_gaussian(options)->apply(ctx, clone(ctx, image)));
  for (Index y = 0; y < 64; ++y) {
    for (Index x = 0; x < 66; ++x) ASSERT_EQ(value_at(result, 0, y, x), 1) << y << " " << x;
  }
}

TEST(Gaussian, RefusesWhatIsOutOfRange) {
  const auto make = [](double sigma, std::optional<Index> radius, double border_value) {
    GaussianOptions options;
    options.sigma = sigma;
    options.radius = radius;
    options.border = Border::constant;
    options.border_value = border_value;
    return make_gaussian(options);
  };
  EXPECT_NO_THROW(make(1, 1, 0));
  EXPECT_THROW(make(0.05, {}, 0), ValueError);
  EXPECT_THROW(make(101, {}, 0), ValueError);
  EXPECT_THROW(make(1, 0, 0), ValueError);
  EXPECT_THROW(make(1, 451, 0), ValueError);
  EXPECT_THROW(make(1, 1, std::numeric_limits<double>::quiet_NaN()), ValueError);
  EXPECT_EQ(FilterRegistry::global().find("gaussian-separable").name, "gaussian");
}

}  // namespace
}  // namespace whorl
