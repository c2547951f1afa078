// Filters that correlate with a small kernel, against sums of doubles pixel by pixel.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/windows/custom.hpp"
#include "whorl/filter/windows/gaussian.hpp"
#include "whorl/filter/windows/laplacian.hpp"
#include "whorl/filter/windows/sobel.hpp"
#include "whorl/filter/windows/unsharp.hpp"

namespace whorl {
namespace {

using test::value_at;

constexpr Border all_borders[] = {Border::reflect, Border::replicate, Border::wrap, Border::constant};

// The sum of the definition; integers and their products are exact in double.
double sum_at(const Image& image, const CustomOptions& o, Index slice, Index y, Index x, Index c) {
  const ImageFormat& format = image.format();
  double sum = 0;
  for (Index i = 0; i < o.kernel.height; ++i) {
    for (Index j = 0; j < o.kernel.width; ++j) {
      const Index from_y = border_index(o.border, y + i - o.kernel.height / 2, format.height);
      const Index from_x = border_index(o.border, x + j - o.kernel.width / 2, format.width);
      const bool outside = from_y < 0 || from_x < 0;
      sum += o.kernel.values[static_cast<std::size_t>(i * o.kernel.width + j)] *
             (outside ? o.border_value : value_at(image, slice, from_y, from_x, c));
    }
  }
  return sum;
}

double expected_at(const Image& image, const CustomOptions& o, Index slice, Index y, Index x, Index c) {
  const double sum = sum_at(image, o, slice, y, x, c) / o.divisor;
  const double value = (o.negatives == Negatives::absolute ? std::abs(sum) : sum) + o.offset;
  if (image.format().type == PixelType::float32 || o.negatives == Negatives::keep) return value;
  return std::clamp(std::floor(value + 0.5), 0.0, full_scale(image.format().type));
}

Image expected(const Image& image, const CustomOptions& o) {
  ImageFormat format = image.format();
  if (o.negatives == Negatives::keep) format.type = PixelType::float32;
  return test::make_image(
      format, [&](Index slice, Index y, Index x, Index c) { return expected_at(image, o, slice, y, x, c); });
}

Image filtered(const Filter& filter, const Image& image) {
  const Context ctx = test::device_context();
  return to_host(ctx, filter.apply(ctx, clone(ctx, image)));
}

// Sums of n float32 products: n roundings of 2^-24 of what was summed, and those of weights, scale and offset.
double float_tolerance(const CustomOptions& o, double largest) {
  double sum = 0;
  for (const double value : o.kernel.values) sum += std::abs(value);
  return 0x1p-24 * (static_cast<double>(o.kernel.values.size()) + 4) *
         (sum * largest / std::abs(o.divisor) + std::abs(o.offset));
}

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

CustomOptions with_kernel(ImageKernel kernel, double divisor = 1, double offset = 0) {
  CustomOptions options;
  options.kernel = std::move(kernel);
  options.divisor = divisor;
  options.offset = offset;
  return options;
}

TEST(Custom, SumsEveryFormatAtEveryBorder) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Channels channels :
         {Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba, Channels::complex}) {
      if (channels == Channels::complex && type != PixelType::float32) continue;
      for (const Border border : all_borders) {
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
      for (const Border border : all_borders) {
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
  for (const Border border : all_borders) {
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
    const auto twentieths = static_cast<std::int64_t>(2 * sum_at(image, integers, slice, y, x, c)) + 15;
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

TEST(Slopes, AreThoseOfTheirKernels) {
  struct Case {
    std::unique_ptr<Filter> filter;
    CustomOptions options;
  };
  for (const Negatives negatives : {Negatives::clip, Negatives::absolute, Negatives::keep}) {
    SlopeOptions slope;
    slope.negatives = negatives;
    slope.border = Border::replicate;
    ScharrOptions scharr_x;
    static_cast<SlopeOptions&>(scharr_x) = slope;
    ScharrOptions scharr_y = scharr_x;
    scharr_y.axis = SlopeAxis::y;
    LaplacianOptions four;
    static_cast<SlopeOptions&>(four) = slope;
    LaplacianOptions eight = four;
    eight.neighbors = LaplacianNeighbors::eight;
    Case cases[] = {{make_sobel_x(slope), with_kernel(parse_kernel("-1,0,1;-2,0,2;-1,0,1"))},
                    {make_sobel_y(slope), with_kernel(parse_kernel("1,2,1;0,0,0;-1,-2,-1"))},
                    {make_scharr(scharr_x), with_kernel(parse_kernel("-3,0,3;-10,0,10;-3,0,3"))},
                    {make_scharr(scharr_y), with_kernel(parse_kernel("-3,-10,-3;0,0,0;3,10,3"))},
                    {make_laplacian(four), with_kernel(parse_kernel("0,1,0;1,-4,1;0,1,0"))},
                    {make_laplacian(eight), with_kernel(parse_kernel("1,1,1;1,-8,1;1,1,1"))}};
    for (Case& one : cases) {
      one.options.border = Border::replicate;
      one.options.negatives = negatives;
      for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
        const Image image = test::random_image({type, Channels::rgb, 1, 1, 35, 41}, 5);
        EXPECT_LE(test::largest_difference(filtered(*one.filter, image), expected(image, one.options)),
                  type == PixelType::float32 ? float_tolerance(one.options, 1) : 0)
            << one.filter->name();
      }
    }
  }
}

// What an image covers has no slope that anyone wants to see.
TEST(Slopes, LeaveAlpha) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Channels channels : {Channels::gray_alpha, Channels::rgba}) {
      const Image image = test::random_image({type, channels, 1, 2, 7, 19}, 9);
      const Index alpha = count_of(channels) - 1;
      for (const Negatives negatives : {Negatives::clip, Negatives::keep}) {
        SlopeOptions slope;
        slope.negatives = negatives;
        CustomOptions options = with_kernel(parse_kernel("-1,0,1;-2,0,2;-1,0,1"));
        options.negatives = negatives;
        const Image slopes = expected(image, options);
        const Image wanted = test::make_image(slopes.format(), [&](Index part, Index y, Index x, Index c) {
          return value_at(c == alpha ? image : slopes, part, y, x, c);
        });
        EXPECT_LE(test::largest_difference(filtered(*make_sobel_x(slope), image), wanted),
                  float_tolerance(options, full_scale(type)))
            << to_string(image.format());
      }
    }
  }
}

TEST(Slopes, AreThoseOfPlanes) {
  const Image plane = test::make_image(
      {PixelType::float32, Channels::gray, 1, 1, 9, 12},
      [](Index, Index y, Index x, Index) { return 3.0 * static_cast<double>(x) + 5.0 * static_cast<double>(y); });
  // The sums of the weights' distances: 8 for Sobel, 32 for Scharr; the second differences of a plane are 0.
  EXPECT_EQ(value_at(filtered(*make_sobel_x({}), plane), 0, 4, 6), 3 * 8);
  EXPECT_EQ(value_at(filtered(*make_sobel_y({}), plane), 0, 4, 6), -5 * 8);
  EXPECT_EQ(value_at(filtered(*make_scharr({}), plane), 0, 4, 6), 3 * 32);
  EXPECT_EQ(value_at(filtered(*make_laplacian({}), plane), 0, 4, 6), 0);
}

TEST(Unsharp, IsThatOfTheProgram) {
  CustomOptions options = with_kernel(parse_kernel("-1,-4,-1;-4,26,-4;-1,-4,-1"), 6);
  options.border = Border::wrap;
  UnsharpOptions unsharp;
  unsharp.border = Border::wrap;
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgb, 1, 1, 35, 41}, 5);
    EXPECT_LE(test::largest_difference(filtered(*make_unsharp(unsharp), image), expected(image, options)),
              type == PixelType::float32 ? float_tolerance(options, 1) : 0);
  }
}

// Amounts with which sums are exact in double.
TEST(Unsharp, AddsAsMuchDetailAsIsSaid) {
  for (const double amount : {0.0, 0.5, 4.0}) {
    ImageKernel kernel{3, 3, {}};
    for (const double weight : {-1, -4, -1, -4, 20, -4, -1, -4, -1}) kernel.values.push_back(amount * weight);
    kernel.values[4] += 6;
    const CustomOptions options = with_kernel(kernel, 6);
    UnsharpOptions unsharp;
    unsharp.amount = amount;
    for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
      const Image image = test::random_image({type, Channels::gray, 1, 1, 23, 31}, 6);
      EXPECT_LE(test::largest_difference(filtered(*make_unsharp(unsharp), image), expected(image, options)),
                type == PixelType::float32 ? float_tolerance(options, 1) : 0);
    }
  }
}

// Against the definition in double on what the Gaussian makes. For integers float32 is exact up to the product, whose
// rounding (2^-24 of up to 65535 * 2.5) can only turn what lies that near to a half. For float32 three roundings, of
// numbers up to 1 + 2.5.
TEST(Unsharp, TakesAGaussianAwayWithSigma) {
  UnsharpOptions options;
  options.amount = 2.5;
  options.sigma = 1.3;
  options.border = Border::wrap;
  GaussianOptions blur;
  blur.sigma = *options.sigma;
  blur.border = options.border;
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgba, 2, 1, 19, 37}, 8);
    const Image blurred = filtered(*make_gaussian(blur), image);
    const Image raised = filtered(*make_unsharp(options), image);
    const bool is_float = type == PixelType::float32;
    for (Index i = 0; i < image.format().shape().size(); ++i) {
      const auto number = [&](const Image& of) {
        return with_pixel_type(type, [&](auto v) { return static_cast<double>(of.pixels<decltype(v)>().data()[i]); });
      };
      const double exact = number(image) + options.amount * (number(image) - number(blurred));
      if (is_float) {
        ASSERT_NEAR(number(raised), exact, 3 * 3.5 * std::numeric_limits<float>::epsilon() / 2);
      } else {
        ASSERT_NEAR(number(raised), std::clamp(exact, 0.0, full_scale(type)), 0.5 + 65535 * 2.5 / 16777216);
      }
    }
  }
}

TEST(Unsharp, RefusesWhatIsOutOfRange) {
  UnsharpOptions options;
  options.amount = 10.5;
  EXPECT_THROW(make_unsharp(options), ValueError);
  options.amount = 1;
  options.sigma = 0;
  EXPECT_THROW(make_unsharp(options), ValueError);
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
