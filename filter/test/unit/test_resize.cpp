#include "whorl/filter/geometry/resize.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::value_at;

// Weight of old sample k for a new one, straight from the definition. Beyond the edges k goes on.
double kernel(ResizeMethod method, double distance, double sharpness) {
  const double t = std::abs(distance);
  const double pi_t = std::numbers::pi * t;
  switch (method) {
    case ResizeMethod::bilinear:
      return std::max(0.0, 1 - t);
    case ResizeMethod::bicubic:
      if (t < 1) return (sharpness + 2) * t * t * t - (sharpness + 3) * t * t + 1;
      return t < 2 ? sharpness * (t * t * t - 5 * t * t + 8 * t - 4) : 0;
    default:
      if (t == 0) return 1;
      return t < 3 ? 3 * std::sin(pi_t) * std::sin(pi_t / 3) / (pi_t * pi_t) : 0;
  }
}

// Weights of all old samples for new sample i.
std::vector<double> expected_weights(const ResizeOptions& options, Index old_extent, Index extent, Index i) {
  const auto n = static_cast<double>(old_extent);
  const auto m = static_cast<double>(extent);
  const auto sample = static_cast<double>(i);
  std::vector<double> weights(static_cast<std::size_t>(old_extent), 0.0);
  if (options.method == ResizeMethod::area) {
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const auto left = static_cast<double>(k);
      weights[k] = std::max(0.0, std::min((sample + 1) * n / m, left + 1) - std::max(sample * n / m, left)) * m / n;
    }
    return weights;
  }
  const bool corners = options.align == ResizeAlign::corners;
  const double at = corners ? (extent > 1 ? sample * (n - 1) / (m - 1) : (n - 1) / 2) : (sample + 0.5) * n / m - 0.5;
  if (options.method == ResizeMethod::nearest) {
    weights[static_cast<std::size_t>(std::clamp(std::floor(at + 0.5), 0.0, n - 1))] = 1;
    return weights;
  }
  const double step = corners ? (extent > 1 ? (n - 1) / (m - 1) : n) : n / m;
  const bool widens = options.antialias && options.method != ResizeMethod::bilinear;
  const double stretch = widens ? std::max(1.0, step) : 1.0;
  double sum = 0;
  const auto beyond = static_cast<Index>(4 * stretch) + 2;
  for (Index k = -beyond; k < old_extent + beyond; ++k) {
    const double weight = kernel(options.method, (static_cast<double>(k) - at) / stretch, options.sharpness);
    weights[static_cast<std::size_t>(std::clamp<Index>(k, 0, old_extent - 1))] += weight;
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Direct sums in double precision, neither rounded nor clipped: [slice][y][x][channel].
std::vector<double> expected_result(const Image& image, const ResizeOptions& options, const ImageFormat& output) {
  const ImageFormat& format = image.format();
  std::vector<std::vector<double>> rows;
  std::vector<std::vector<double>> columns;
  for (Index y = 0; y < output.height; ++y) {
    rows.push_back(expected_weights(options, format.height, output.height, y));
  }
  for (Index x = 0; x < output.width; ++x) {
    columns.push_back(expected_weights(options, format.width, output.width, x));
  }
  std::vector<double> result;
  for (Index slice = 0; slice < format.slices(); ++slice) {
    for (const auto& row : rows) {
      for (const auto& column : columns) {
        for (Index c = 0; c < count_of(format.channels); ++c) {
          double sum = 0;
          for (std::size_t j = 0; j < row.size(); ++j) {
            for (std::size_t i = 0; row[j] != 0 && i < column.size(); ++i) {
              if (column[i] == 0) continue;
              sum += row[j] * column[i] * value_at(image, slice, static_cast<Index>(j), static_cast<Index>(i), c);
            }
          }
          result.push_back(sum);
        }
      }
    }
  }
  return result;
}

void expect_result(const Image& image, const ResizeOptions& options) {
  const Context ctx = test::device_context();
  const Image result = to_host(ctx, make_resize(options)->apply(ctx, clone(ctx, image)));
  const std::vector<double> expected = expected_result(image, options, result.format());
  const bool is_float = image.format().type == PixelType::float32;
  // Integers: rounding to the nearest, and before it 0.05 levels of quantized weights for up to 6 taps; shrinking four
  // times as far has four times the taps. float32: two sums of at most 24 products of numbers below 1, rounded to
  // 2^-24, the weights too.
  const double allowed = is_float ? 5e-6 : 0.5 + 0.2;
  std::size_t at = 0;
  double worst = 0;
  with_pixel_type(image.format().type, [&](auto number) {
    for (const auto found : result.pixels<decltype(number)>().span()) {
      double wanted = expected[at++];
      if (!is_float) wanted = std::clamp(wanted, 0.0, full_scale(image.format().type));
      worst = std::max(worst, std::abs(static_cast<double>(found) - wanted));
    }
  });
  EXPECT_LE(worst, allowed) << "method " << static_cast<int>(options.method) << " align "
                            << static_cast<int>(options.align) << " " << to_string(image.format()) << " to "
                            << to_string(result.format());
}

TEST(Resize, HalvesAreMeansOfTwoByTwo) {
  const Context ctx = test::device_context();
  for (const PixelType type : test::pixel_types) {
    for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
      const Image image = test::random_image({type, channels, 1, 2, 6, 74}, 5);
      ResizeOptions options;
      options.scale = 0.5;
      options.align = ResizeAlign::centers;
      const Image result = to_host(ctx, make_resize(options)->apply(ctx, clone(ctx, image)));
      const Image expected = test::make_image(result.format(), [&](Index slice, Index y, Index x, Index c) {
        const double sum = value_at(image, slice, 2 * y, 2 * x, c) + value_at(image, slice, 2 * y, 2 * x + 1, c) +
                           value_at(image, slice, 2 * y + 1, 2 * x, c) +
                           value_at(image, slice, 2 * y + 1, 2 * x + 1, c);
        return type == PixelType::float32 ? sum / 4 : std::floor((sum + 2) / 4);
      });
      // float32: two sums of halves and one of those are rounded, and what is expected, each by 2^-24 of at most one.
      const double tolerance = type == PixelType::float32 ? std::ldexp(4.0, -24) : 0;
      EXPECT_LE(test::largest_difference(result, expected), tolerance);
    }
  }
}

TEST(Resize, IsTheDirectSum) {
  for (const PixelType type : test::pixel_types) {
    const Image image = test::random_image({type, Channels::rgb, 1, 2, 19, 43}, 3);
    for (const auto method : {ResizeMethod::bilinear, ResizeMethod::bicubic, ResizeMethod::lanczos, ResizeMethod::area,
                              ResizeMethod::nearest}) {
      for (const auto align : {ResizeAlign::corners, ResizeAlign::centers}) {
        for (const auto& [width, height] : {std::pair<Index, Index>{65, 28}, {43, 19}, {30, 27}, {71, 11}, {11, 5}}) {
          ResizeOptions options;
          options.width = width;
          options.height = height;
          options.method = method;
          options.align = align;
          options.antialias = width != 30;
          options.sharpness = height == 28 ? -0.75 : -0.5;
          expect_result(image, options);
        }
      }
    }
  }
}

TEST(Resize, TakesImagesOfAnyChannelsAndExtents) {
  for (const PixelType type : test::pixel_types) {
    for (const Channels channels : {Channels::gray, Channels::gray_alpha, Channels::rgba, Channels::complex}) {
      if (channels == Channels::complex && type != PixelType::float32) continue;
      for (const auto& [height, width] : {std::pair<Index, Index>{1, 1}, {1, 40}, {37, 1}, {2, 3}, {9, 130}}) {
        const Image image = test::random_image({type, channels, 1, 1, height, width}, 5);
        for (const double scale : {0.3, 1.5, 4.0}) {
          for (const auto method : {ResizeMethod::bilinear, ResizeMethod::lanczos, ResizeMethod::area}) {
            ResizeOptions options;
            options.scale = scale;
            options.method = method;
            expect_result(image, options);
          }
        }
      }
    }
  }
}

TEST(Resize, LeavesAnImageOfTheSameSizeAsItIs) {
  const Context ctx = test::device_context();
  for (const PixelType type : test::pixel_types) {
    const Image image = test::random_image({type, Channels::rgb, 1, 1, 17, 50}, 3);
    for (const auto method : {ResizeMethod::bilinear, ResizeMethod::bicubic, ResizeMethod::lanczos, ResizeMethod::area,
                              ResizeMethod::nearest}) {
      ResizeOptions options;
      options.scale = 1;
      options.method = method;
      const Image result = to_host(ctx, make_resize(options)->apply(ctx, clone(ctx, image)));
      // The zeros of a float sine are 1e-17.
      EXPECT_LE(test::largest_difference(result, image), type == PixelType::float32 ? 1e-7 : 0.0);
    }
  }
}

TEST(Resize, KeepsConstants) {
  const Context ctx = test::device_context();
  for (const PixelType type : test::pixel_types) {
    const double value = type == PixelType::float32 ? 0.7 : full_scale(type);
    const Image image =
        test::make_image({type, Channels::gray, 1, 1, 21, 34}, [&](Index, Index, Index, Index) { return value; });
    for (const auto method :
         {ResizeMethod::bilinear, ResizeMethod::bicubic, ResizeMethod::lanczos, ResizeMethod::area}) {
      for (const double scale : {0.37, 1.9}) {
        ResizeOptions options;
        options.scale = scale;
        options.method = method;
        const Image result = to_host(ctx, make_resize(options)->apply(ctx, clone(ctx, image)));
        const Image expected = test::make_image(result.format(), [&](Index, Index, Index, Index) { return value; });
        // Weights of float32 sum to one within some units of 2^-24.
        EXPECT_LE(test::largest_difference(result, expected), type == PixelType::float32 ? 1e-6 : 0.0);
      }
    }
  }
}

TEST(Resize, KeepsRampsStraight) {
  const Context ctx = test::device_context();
  const Image ramp =
      test::make_image({PixelType::float32, Channels::gray, 1, 1, 40, 60},
                       [](Index, Index y, Index x, Index) { return 0.01 * static_cast<double>(x + 2 * y); });
  for (const auto method : {ResizeMethod::bilinear, ResizeMethod::bicubic}) {
    ResizeOptions options;
    options.width = 95;
    options.height = 61;
    options.method = method;
    const Image result = to_host(ctx, make_resize(options)->apply(ctx, clone(ctx, ramp)));
    // Two old pixels from the edge, which the bicubic kernel would look beyond.
    for (Index y = 4; y < 57; ++y) {
      for (Index x = 4; x < 91; ++x) {
        const double expected = 0.01 * (static_cast<double>(x) * 59 / 94 + 2 * static_cast<double>(y) * 39 / 60);
        // Sums of 16 products of numbers up to 1.4, rounded to 2^-24 of that.
        EXPECT_NEAR(value_at(result, 0, y, x), expected, 3e-6);
      }
    }
  }
}

TEST(Resize, CutsTheSizeToIntegers) {
  const ImageFormat input{PixelType::uint8, Channels::gray, 1, 1, 101, 67};
  const auto size = [&](const ResizeOptions& options) {
    const ImageFormat output = make_resize(options)->output(input);
    return std::pair{output.height, output.width};
  };
  ResizeOptions options;
  options.scale = 1.5;
  EXPECT_EQ(size(options), (std::pair<Index, Index>{151, 100}));
  options.scale = 0.001;
  EXPECT_EQ(size(options), (std::pair<Index, Index>{1, 1}));
  options.scale.reset();
  options.width = 134;
  EXPECT_EQ(size(options), (std::pair<Index, Index>{202, 134}));
  options.height = 7;
  EXPECT_EQ(size(options), (std::pair<Index, Index>{7, 134}));
}

// Results beyond what caches hold are written another way than those of a band.
TEST(Resize, WritesLargeImagesAsSmallOnes) {
  const Context ctx = test::device_context();
  for (const PixelType type : test::pixel_types) {
    for (const ResizeMethod method : {ResizeMethod::bilinear, ResizeMethod::bicubic, ResizeMethod::lanczos}) {
      ResizeOptions options;
      options.scale = 2.1;
      options.method = method;
      const auto filter = make_resize(options);
      const Image image = clone(ctx, test::random_image({type, Channels::rgb, 1, 1, 701, 1013}, 5));
      const Image whole = to_host(ctx, filter->apply(ctx, image));
      const RowRange wanted{700, 731};
      ImageFormat format = whole.format();
      format.height = wanted.count();
      Image band(ctx, format);
      filter->apply_to_band(ctx, image.format(), image, {0, 701}, wanted, band);
      const Image found = to_host(ctx, band);
      const double largest = with_pixel_type(type, [&](auto number) {
        using T = decltype(number);
        const T* rows = whole.pixels<T>().data() + wanted.first * format.row();
        double difference = 0;
        for (const T& value : found.pixels<T>().span()) {
          difference = std::max(difference, std::abs(static_cast<double>(value) - static_cast<double>(*rows++)));
        }
        return difference;
      });
      // Floats may be rounded in another order where a row begins at another place of a vector: by 1e-6 at most.
      EXPECT_LE(largest, type == PixelType::float32 ? 1e-6 : 0.0);
    }
  }
}

TEST(Resize, RefusesWhatHasNoSize) {
  EXPECT_THROW(make_resize({}), ValueError);
  ResizeOptions options;
  options.scale = 2;
  options.width = 3;
  EXPECT_THROW(make_resize(options), ValueError);
  options.width.reset();
  options.scale = -1;
  EXPECT_THROW(make_resize(options), ValueError);
  options.scale = 1e9;
  EXPECT_THROW(make_resize(options)->output({PixelType::uint8, Channels::gray, 1, 1, 5, 7}), ValueError);
}

}  // namespace
}  // namespace whorl
