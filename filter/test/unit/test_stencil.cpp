// Filters that correlate with a small kernel, against sums of doubles pixel by pixel.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "filter/test/unit/all_borders.hpp"
#include "filter/test/unit/stencil_reference.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/windows/custom.hpp"

namespace whorl {
namespace {

using test::expected;
using test::filtered;
using test::float_tolerance;
using test::value_at;
using test::with_kernel;

void expect_as_defined(const CustomOptions& o, const ImageFormat& format, double levels_off = 0) {
  const Image image = test::random_image(format, 5);
  const Image result = filtered(*make_custom(o), image);
  const bool floats = result.format().type == PixelType::float32;
  const double largest = std::max(full_scale(format.type), std::abs(o.border_value));
  EXPECT_LE(test::largest_difference(result, expected(image, o)), floats ? float_tolerance(o, largest) : levels_off)
      << to_string(format) << ", kernel " << o.kernel.width << " x " << o.kernel.height << ", border "
      << static_cast<int>(o.border) << ", negatives " << static_cast<int>(o.negatives);
}

// Not symmetric in any way, of integers from -most to most with some zeros.
ImageKernel integer_kernel(Index width, Index height, double most) {
  ImageKernel kernel{width, height, {}};
  for (Index i = 0; i < width * height; ++i) {
    const double value = std::floor((2 * random_uniform(17, static_cast<std::uint64_t>(i)) - 1) * (most + 1));
    kernel.values.push_back(i % 5 == 3 ? 0 : std::clamp(value, -most, most));
  }
  return kernel;
}

TEST(Custom, SumsEveryFormatAtEveryBorder) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Channels channels :
         {Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba, Channels::complex}) {
      if (channels == Channels::complex && type != PixelType::float32) continue;
      for (const Border border : test::all_borders) {
        CustomOptions options = with_kernel(integer_kernel(5, 3, 9), 7, 90);
        options.border = border;
        options.border_value = type == PixelType::float32 ? 0.75 : 200;
        expect_as_defined(options, {type, channels, 1, 2, 37, 139});
      }
    }
  }
}

TEST(Custom, TakesImagesSmallerThanTheKernel) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const auto& [height, width] : {std::pair<Index, Index>{1, 1}, {1, 41}, {43, 1}, {3, 2}}) {
      for (const Border border : test::all_borders) {
        CustomOptions options = with_kernel(integer_kernel(9, 11, 6), 13);
        options.border = border;
        expect_as_defined(options, {type, Channels::rgb, 1, 1, height, width});
      }
    }
  }
}

// Longer than the parts that an image is taken in, and not a multiple of them.
TEST(Custom, TakesImagesInParts) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    expect_as_defined(with_kernel(integer_kernel(3, 5, 3), 4, 20), {type, Channels::rgb, 1, 1, 67, 1123});
    expect_as_defined(with_kernel(integer_kernel(7, 5, 3), 4, 20), {type, Channels::gray, 1, 1, 67, 3301});
    expect_as_defined(with_kernel(integer_kernel(3, 3, 3), 4, 20), {type, Channels::rgb, 1, 1, 67, 2161});
  }
}

// An image that is larger than caches goes past them; a part of it does not. Every sum has the same terms in the same
// order.
TEST(Custom, LargeImagesAreThoseOfTheirParts) {
  constexpr Index height = 1031;
  constexpr Index width = 4624;
  constexpr Index top = 514;
  constexpr Index part_height = 71;
  const auto number = [](Index y, Index x) { return static_cast<double>((y * 37 + x * 11) % 256) / 256; };
  const Image whole = test::make_image({PixelType::float32, Channels::gray, 1, 1, height, width},
                                       [&](Index, Index y, Index x, Index) { return number(y, x); });
  const Image part = test::make_image({PixelType::float32, Channels::gray, 1, 1, part_height, width},
                                      [&](Index, Index y, Index x, Index) { return number(top + y, x); });
  const auto filter = make_custom(with_kernel(integer_kernel(3, 3, 5), 7));
  const Image of_whole = filtered(*filter, whole);
  const Image of_part = filtered(*filter, part);
  Index different = 0;
  for (Index y = 1; y + 1 < part_height; ++y) {
    for (Index x = 0; x < width; ++x) {
      different += test::value_at(of_whole, 0, top + y, x, 0) != test::value_at(of_part, 0, y, x, 0) ? 1 : 0;
    }
  }
  EXPECT_EQ(different, 0);
}

TEST(Custom, TakesKernelsOfAnySize) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const auto& [width, height] :
         {std::pair<Index, Index>{1, 1}, {1, 7}, {7, 1}, {9, 5}, {11, 3}, {13, 13}, {15, 15}, {17, 3}, {31, 29}}) {
      const double divisor = 2.0 * static_cast<double>(width * height);
      expect_as_defined(with_kernel(integer_kernel(width, height, 7), divisor, 100),
                        {type, Channels::rgb, 1, 1, 35, 53});
    }
    expect_as_defined(with_kernel(integer_kernel(255, 5, 2), 200, 100), {type, Channels::rgba, 1, 1, 9, 21});
    expect_as_defined(with_kernel(integer_kernel(3, 255, 2), 200, 100), {type, Channels::rgb, 1, 1, 9, 21});
    expect_as_defined(with_kernel(integer_kernel(255, 255, 2), 9000, 100), {type, Channels::gray, 1, 1, 5, 7});
  }
}

TEST(Custom, KnowsWhatBecomesOfNegatives) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Channels channels : {Channels::gray, Channels::rgb, Channels::gray_alpha}) {
      for (const Negatives negatives : {Negatives::clip, Negatives::absolute, Negatives::keep}) {
        for (const double divisor : {3.0, -0.3}) {
          CustomOptions options = with_kernel(integer_kernel(3, 3, 2), divisor, -2.5);
          options.negatives = negatives;
          expect_as_defined(options, {type, channels, 1, 1, 33, 131});
        }
      }
    }
  }
}

// Large kernels that are no product of a column and a row go by Fourier transforms in double: what is left is the
// rounding of weights and results to float32.
TEST(Custom, LargeKernelsGoByTransforms) {
  CustomOptions o;
  o.kernel = {173, 151, {}};
  for (Index i = 0; i < 173 * 151; ++i) {
    o.kernel.values.push_back(random_uniform(23, static_cast<std::uint64_t>(i)) - 0.3);
  }
  o.divisor = -40;
  double sum = 0;
  for (const double value : o.kernel.values) sum += std::abs(value);
  for (const Border border : test::all_borders) {
    o.border = border;
    o.border_value = 0.25;
    for (const ImageFormat& format : {ImageFormat{PixelType::float32, Channels::gray, 1, 2, 9, 13},
                                      ImageFormat{PixelType::float32, Channels::rgb, 1, 1, 11, 7},
                                      ImageFormat{PixelType::float32, Channels::complex, 1, 1, 7, 23}}) {
      const Image image = test::random_image(format, 5);
      const Image result = filtered(*make_custom(o), image);
      EXPECT_LE(test::largest_difference(result, expected(image, o)), 3 * 0x1p-24 * sum / 40) << to_string(format);
    }
  }
}

// Weights whose sums of bytes reach the ends of 16 bits, and those just beyond.
TEST(Custom, SumsBytesUpToTheirEnds) {
  for (const double sign : {1.0, -1.0}) {
    for (const double beside : {0.0, 1.0, 2.0}) {
      for (const double divisor : {1.0, 7.0, 128.0}) {
        CustomOptions options = with_kernel({3, 3, {0, 0, 0, 0, sign * 127, sign * beside, 0, 0, 0}}, divisor);
        options.negatives = Negatives::absolute;
        const Image white = test::make_image({PixelType::uint8, Channels::rgb, 1, 1, 3, 131},
                                             [](Index, Index, Index x, Index) { return x % 5 == 0 ? 254.0 : 255.0; });
        EXPECT_EQ(test::largest_difference(filtered(*make_custom(options), white), expected(white, options)), 0);
      }
    }
  }
}

// Weights that take two bytes, more than 16 bits, and sums that take more than 32.
TEST(Custom, TakesLongWeights) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16}) {
    for (const double most : {1000.0, 30000.0, 1e6, 1e8}) {
      for (const Negatives negatives : {Negatives::clip, Negatives::keep}) {
        CustomOptions options = with_kernel(integer_kernel(5, 7, most), most, 12);
        options.negatives = negatives;
        expect_as_defined(options, {type, Channels::rgb, 1, 1, 37, 45});
      }
    }
  }
}

TEST(Custom, RoundsDecimalsExactly) {
  // Sums of tenths by 0.25: many results are halves, which are rounded up.
  ImageKernel kernel{3, 3, {0.1, 0.2, 0.1, 0.3, -0.5, 0.3, 0.05, 0.2, 0.05}};
  const Image image = test::random_image({PixelType::uint8, Channels::gray, 1, 1, 64, 65}, 9);
  const Image result = filtered(*make_custom(with_kernel(kernel, 0.5, 0.25)), image);
  for (double& value : kernel.values) value = std::round(value * 20);
  // (s / 20 / 0.5 + 0.25) + 0.5 = (2 s + 15) / 20 in integers.
  const CustomOptions integers = with_kernel(kernel);
  const Image exact = test::make_image(image.format(), [&](Index slice, Index y, Index x, Index c) {
    const auto twentieths = static_cast<std::int64_t>(2 * test::sum_at(image, integers, slice, y, x, c)) + 15;
    return std::clamp(static_cast<double>(twentieths < 0 ? -1 : twentieths / 20), 0.0, 255.0);
  });
  EXPECT_EQ(test::largest_difference(result, exact), 0);
}

// Weights that are no decimals are rounded: a quarter of a level, so that a result may be the one beside.
TEST(Custom, RoundsRealWeights) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Index extent : {3, 7, 15}) {
      ImageKernel kernel{extent, extent, {}};
      for (Index i = 0; i < extent * extent; ++i) {
        kernel.values.push_back((random_uniform(3, static_cast<std::uint64_t>(i)) - 0.3) /
                                static_cast<double>(extent * extent));
      }
      expect_as_defined(with_kernel(kernel, 0.7, 3), {type, Channels::rgb, 1, 1, 41, 67}, 1);
      kernel.values[0] = 3;  // a peak leaves the others few bits
      expect_as_defined(with_kernel(kernel, 0.7, 3), {type, Channels::gray, 1, 1, 41, 67}, 1);
    }
  }
}

// The product of a column and a row, and the same with one entry changed.
TEST(Custom, TakesSeparableKernels) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const double scale : {1.0, 0.1234567}) {
      ImageKernel kernel{9, 11, {}};
      for (Index y = 0; y < 11; ++y) {
        for (Index x = 0; x < 9; ++x) {
          kernel.values.push_back(scale * static_cast<double>((y % 4 - 1) * (x * x % 5 - 1)));
        }
      }
      expect_as_defined(with_kernel(kernel, 11, 40), {type, Channels::rgb, 1, 1, 43, 71}, scale == 1 ? 0 : 1);
      kernel.values[50] += 1;
      expect_as_defined(with_kernel(kernel, 11, 40), {type, Channels::rgb, 1, 1, 43, 71}, scale == 1 ? 0 : 1);
    }
  }
}

TEST(Custom, LetsNoNumberBe) {
  const Context ctx = test::device_context();
  const ImageFormat format{PixelType::float32, Channels::gray, 1, 1, 21, 35};
  const Image image = test::make_image(format, [](Index, Index y, Index x, Index) {
    return y == 9 && x == 17 ? std::nan("") : static_cast<double>(x + y);
  });
  const Image result = filtered(*make_custom(with_kernel(integer_kernel(5, 3, 4))), image);
  for (Index y = 0; y < format.height; ++y) {
    for (Index x = 0; x < format.width; ++x) {
      EXPECT_EQ(std::isnan(value_at(result, 0, y, x)), std::abs(y - 9) <= 1 && std::abs(x - 17) <= 2) << y << " " << x;
    }
  }
}

TEST(Custom, IsMadeFromText) {
  const Image image = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 15, 21}, 5);
  const Context ctx = test::device_context();
  const auto applied = [&](const std::string& text) {
    return to_host(ctx, Pipeline::parse(text).apply(ctx, clone(ctx, image)));
  };
  CustomOptions options = with_kernel(parse_kernel("1,2,1;0,0,0;-1,-2,-1"), 2, 128);
  options.negatives = Negatives::absolute;
  const Image defined = expected(image, options);
  EXPECT_EQ(
      test::largest_difference(applied("custom '1,2,1;0,0,0;-1,-2,-1' divisor=2 offset=128 output=absolute"), defined),
      0);
  const std::string path = testing::TempDir() + "/kernel.txt";
  std::ofstream(path) << "1, 2, +1\r\n0,0,0\n-1,-2,-1\n\n";
  EXPECT_EQ(
      test::largest_difference(applied("custom file='" + path + "' divisor=2 offset=128 output=absolute"), defined), 0);
}

}  // namespace
}  // namespace whorl
