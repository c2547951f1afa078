// Point operations against their definitions in double precision, number by number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl {
namespace {

using test::value_at;

constexpr Channels light_channels[] = {Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba};

Image run_points(const std::string& text, const Image& image) {
  const Context ctx = test::device_context();
  return to_host(ctx, Pipeline::parse(text).apply(ctx, clone(ctx, image)));
}

// Longer than a vector and no multiple of one; several slices. Floats from -0.5 to 1.5.
Image noise(PixelType type, Channels channels, Index height = 13, Index width = 61) {
  const ImageFormat format{type, channels, 2, 1, height, width};
  if (type != PixelType::float32) return test::random_image(format, 7);
  std::uint64_t at = 0;
  return test::make_image(format, [&](Index, Index, Index, Index) { return 2 * random_uniform(7, at++) - 0.5; });
}

bool is_alpha(const Image& image, Index channel) {
  return has_alpha(image.format().channels) && channel + 1 == count_of(image.format().channels);
}

double rounded(double v, PixelType type) {
  return type == PixelType::float32 ? v : std::clamp(std::floor(v + 0.5), 0.0, full_scale(type));
}

// Every color of every type against value(v, full); alpha as it was.
void expect_each(const std::string& text, const std::function<double(double v, double full)>& value) {
  for (const PixelType type : test::pixel_types) {
    for (const Channels channels : light_channels) {
      const Image image = noise(type, channels);
      const Image expected = test::make_image(image.format(), [&](Index s, Index y, Index x, Index c) {
        const double v = value_at(image, s, y, x, c);
        return is_alpha(image, c) ? v : rounded(value(v, full_scale(type)), type);
      });
      // float32: a few roundings of numbers up to 2, each 2^-24 of it.
      const double allowed = type == PixelType::float32 ? 8 * 1.2e-7 : 0;
      EXPECT_LE(test::largest_difference(run_points(text, image), expected), allowed)
          << text << " " << to_string(image.format());
    }
  }
}

TEST(Points, ChangeEachColor) {
  expect_each("gamma 0.45",
              [](double v, double full) { return std::copysign(full * std::pow(std::abs(v) / full, 0.45), v); });
  expect_each("invert", [](double v, double full) { return full - v; });
  expect_each("scale 1.3 -0.2", [](double v, double) { return 1.3 * v - 0.2; });
  expect_each("clip 0.2 150", [](double v, double) { return std::clamp(v, 0.2, 150.0); });
  expect_each("window 0.1 0.9", [](double v, double full) { return std::clamp((v - 0.1) * full / 0.8, 0.0, full); });
  expect_each("window center=0.5 width=0.8",
              [](double v, double full) { return std::clamp((v - 0.1) * full / 0.8, 0.0, full); });
}

// Over all that float32 holds. 1e-6 of the power is what the filter says; float32 itself is 2^-24 = 6e-8 away, and
// below 2^-126 a step of its own, 2^-149.
TEST(Points, TakePowersOfAnyFloat) {
  constexpr Index count = 4099;
  for (const double exponent : {0.01, 0.45, 1.0, 2.2, 7.5, 100.0}) {
    const auto value = [](Index x) {
      const double size = std::exp2(-149.0 + 276.9 * static_cast<double>(x) / count);
      return static_cast<double>(static_cast<float>(x % 3 == 0 ? -size : size));
    };
    for (const bool is_near_one : {false, true}) {
      const auto value_of = [&](Index x) {
        return is_near_one ? static_cast<double>(static_cast<float>(0.5 + static_cast<double>(x) / count)) : value(x);
      };
      const Image image = test::make_image({PixelType::float32, Channels::gray, 1, 1, 1, count},
                                           [&](Index, Index, Index x, Index) { return value_of(x); });
      const Image found = run_points("gamma " + std::to_string(exponent), image);
      for (Index x = 0; x < count; ++x) {
        const double v = value_of(x);
        // The exponent is a float too.
        const double expected =
            std::copysign(std::pow(std::abs(v), static_cast<double>(static_cast<float>(exponent))), v);
        const double here = value_at(found, 0, 0, x);
        if (std::abs(expected) > std::numeric_limits<float>::max()) {
          EXPECT_TRUE(std::isinf(here) && std::signbit(here) == std::signbit(v)) << v << "^" << exponent;
        } else {
          EXPECT_NEAR(here, expected, 1e-6 * std::abs(expected) + 0x1p-149) << v << "^" << exponent;
        }
      }
    }
  }
}

TEST(Points, KeepWhatHasNoPower) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  constexpr float most = std::numeric_limits<float>::infinity();
  constexpr float values[] = {0.0F, -0.0F, none, most, -most, 1.0F, -1.0F};
  const Image image = test::make_image({PixelType::float32, Channels::gray, 1, 1, 1, 7},
                                       [&](Index, Index, Index x, Index) { return values[x]; });
  const Image found = run_points("gamma 0.45", image);
  for (Index x = 0; x < 7; ++x) {
    const auto here = static_cast<float>(value_at(found, 0, 0, x));
    EXPECT_TRUE(here == values[x] || (std::isnan(here) && std::isnan(values[x]))) << values[x] << " " << here;
  }
}

TEST(Points, ChangeChannels) {
  for (const PixelType type : test::pixel_types) {
    for (const bool alpha : {false, true}) {
      const Image image = noise(type, alpha ? Channels::rgba : Channels::rgb);
      ImageFormat format = image.format();
      format.channels = alpha ? Channels::gray_alpha : Channels::gray;
      const auto expect_weights = [&](const std::string& text, double r, double g, double b, double divisor) {
        const Image expected = test::make_image(format, [&](Index s, Index y, Index x, Index c) {
          if (c == 1) return value_at(image, s, y, x, 3);
          const double sum =
              (r * value_at(image, s, y, x, 0) + g * value_at(image, s, y, x, 1)) + b * value_at(image, s, y, x, 2);
          // The sums are whole, so that the quotient is never rounded across an integer.
          return type == PixelType::float32 ? sum / divisor : std::floor(sum / divisor);
        });
        EXPECT_LE(test::largest_difference(run_points(text, image), expected), type == PixelType::float32 ? 5e-7 : 0)
            << text;
      };
      expect_weights("gray", 2125, 7154, 721, 10000);
      expect_weights("gray bt601", 2990, 5870, 1140, 10000);
      expect_weights("gray mean", 1, 1, 1, 3);
    }
  }
  const Image gray = noise(PixelType::uint8, Channels::gray);
  EXPECT_EQ(test::largest_difference(run_points("gray", gray), gray), 0);
}

TEST(Points, ConvertOverTheWholeScale) {
  for (const PixelType from : test::pixel_types) {
    for (const PixelType to : test::pixel_types) {
      const Image image = noise(from, Channels::gray_alpha);
      ImageFormat format = image.format();
      format.type = to;
      const Image expected = test::make_image(format, [&](Index s, Index y, Index x, Index c) {
        const auto scaled = value_at(image, s, y, x, c) * full_scale(to) / full_scale(from);
        return from == to ? value_at(image, s, y, x, c) : rounded(scaled, to);
      });
      const Image found = run_points("convert " + std::string(to_string(to)), image);
      // float32 to 16 bit: a product of up to 65535 is rounded at 2^-9, so that one next to a half may go the other
      // way.
      const double allowed = from == PixelType::float32 && to != from ? 1 : (to == PixelType::float32 ? 1e-7 : 0);
      EXPECT_LE(test::largest_difference(found, expected), allowed) << to_string(from) << " " << to_string(to);
    }
  }
  const double halves[] = {0.5, 1.5, 254.5, -3, 300, std::nan(""), 253.49};
  const double levels[] = {1, 2, 255, 0, 255, 0, 253};
  const Image image = test::make_image({PixelType::float32, Channels::gray, 1, 1, 1, 7},
                                       [&](Index, Index, Index x, Index) { return halves[x] / 255; });
  for (Index x = 0; x < 7; ++x) {
    // A half of 255ths is no float32, and may lie on either side.
    EXPECT_NEAR(value_at(run_points("convert uint8", image), 0, 0, x), levels[x], x < 3 ? 1 : 0) << x;
  }
}

TEST(Points, TakeComplexImagesApart) {
  const Image image = noise(PixelType::float32, Channels::complex);
  ImageFormat format = image.format();
  format.channels = Channels::gray;
  const auto expect_part = [&](const std::string& text, const std::function<double(std::complex<double>)>& value) {
    const Image expected = test::make_image(format, [&](Index s, Index y, Index x, Index) {
      return value({value_at(image, s, y, x, 0), value_at(image, s, y, x, 1)});
    });
    // Four roundings of numbers up to pi.
    EXPECT_LE(test::largest_difference(run_points(text, image), expected), 4 * 2.4e-7) << text;
  };
  expect_part("magnitude", [](std::complex<double> z) { return std::abs(z); });
  expect_part("phase", [](std::complex<double> z) { return std::arg(z); });
  expect_part("real", [](std::complex<double> z) { return z.real(); });
  expect_part("imaginary", [](std::complex<double> z) { return z.imag(); });
  expect_part("scale 2 0.5 | real", [](std::complex<double> z) { return 2 * z.real() + 0.5; });
  expect_part("scale 2 0.5 | imaginary", [](std::complex<double> z) { return 2 * z.imag(); });
  const Image real = noise(PixelType::float32, Channels::gray);
  EXPECT_EQ(value_at(run_points("magnitude", real), 1, 5, 6), std::abs(value_at(real, 1, 5, 6)));
}

// A chain in one pass is the chain in passes of its own, also where integers go by tables that stand for several steps.
TEST(Points, InOnePassAreWhatTheyAreOneByOne) {
  const std::string chains[] = {
      "gamma 0.45 | invert | window 20 200",
      "gamma 0.8 | gray | gamma 2 | scale 0.9 3 | convert uint16 | invert",
      "convert float32 | scale 1.1 -0.03 | gamma 0.7 | convert uint8 | gray | threshold 100",
      "scale 0.9 | clip 0.1 200 | invert | scale 0.8 | invert | scale 1.1 | invert | scale 0.7 | invert | scale 1.2 "
      "0.3",
  };
  const Context ctx = test::device_context();
  for (const std::string& text : chains) {
    for (const PixelType type : test::pixel_types) {
      for (const Channels channels : light_channels) {
        const Image image = noise(type, channels);
        const Pipeline pipeline = Pipeline::parse(text);
        Image one_by_one = clone(ctx, image);
        for (const auto& filter : pipeline.filters()) one_by_one = filter->apply(ctx, one_by_one);
        const Image expected = to_host(ctx, one_by_one);
        // Powers of float32 are the device's, and those of tables the host's: they differ by a few roundings. Numbers
        // reach 255 where an image of floats is scaled for one of 8 bit. The chain that ends in a threshold is of
        // levels between: of the few that another rounding moves, none lies beside the threshold in this image.
        const bool exact = ctx.device() == Device{} || type != PixelType::float32;
        EXPECT_LE(test::largest_difference(run_points(text, image), expected), exact ? 0 : 255 * 1e-6)
            << text << " " << to_string(image.format());
      }
    }
  }
}

TEST(Points, ThresholdAboveAValue) {
  for (const PixelType type : test::pixel_types) {
    const Image image = noise(type, Channels::rgba);
    const double limit = type == PixelType::float32 ? 0.25 : 100;
    const Image found = run_points("threshold " + std::to_string(limit), image);
    for (Index c = 0; c < 4; ++c) {
      const double v = value_at(image, 1, 3, 5, c);
      EXPECT_EQ(value_at(found, 1, 3, 5, c), c == 3 ? v : (v > limit ? full_scale(type) : 0));
    }
  }
}

TEST(Points, RootSumOfSquares) {
  for (const Channels channels : {Channels::gray, Channels::complex}) {
    const ImageFormat format{PixelType::float32, channels, 6, 2, 7, 11};
    const Image image = test::random_image(format, 9);
    for (const Index coils : {1, 3, 6}) {
      const Image found = run_points("root-sum-of-squares " + std::to_string(coils), image);
      ImageFormat one = format;
      one.channels = Channels::gray;
      one.volumes = 6 / coils;
      const Image expected = test::make_image(one, [&](Index slice, Index y, Index x, Index) {
        double sum = 0;
        for (Index coil = 0; coil < coils; ++coil) {
          for (Index part = 0; part < count_of(channels); ++part) {
            sum += std::pow(value_at(image, (slice / 2 * coils + coil) * 2 + slice % 2, y, x, part), 2);
          }
        }
        return std::sqrt(sum);
      });
      EXPECT_LE(test::largest_difference(found, expected), 8 * 6e-8 * std::sqrt(12.0));
    }
  }
  EXPECT_THROW(
      run_points("root-sum-of-squares 4", test::random_image({PixelType::float32, Channels::gray, 6, 1, 2, 3}, 1)),
      ShapeError);
  EXPECT_THROW(run_points("root-sum-of-squares", noise(PixelType::uint8, Channels::gray)), Unsupported);
}

TEST(Points, RefuseWhatTheyDoNotTake) {
  const Image complex = noise(PixelType::float32, Channels::complex);
  for (const char* text : {"gray", "gamma 2", "window 1 2", "invert", "clip 0 1", "convert uint8", "threshold 1"}) {
    EXPECT_THROW(run_points(text, complex), Unsupported) << text;
  }
  const Image gray = noise(PixelType::uint8, Channels::gray);
  for (const char* text : {"phase", "real", "imaginary", "gray-world"})
    EXPECT_THROW(run_points(text, gray), Unsupported) << text;
  EXPECT_THROW(run_points("window 3 3", gray), ValueError);
  EXPECT_THROW(run_points("window center=3", gray), ValueError);
  EXPECT_THROW(run_points("window 1 2 center=3 width=2", gray), ValueError);
  EXPECT_THROW(run_points("window center=3 width=0", gray), ValueError);
  EXPECT_THROW(run_points("clip 3 2", gray), ValueError);
  EXPECT_THROW(run_points("gamma 0", gray), ValueError);
}

}  // namespace
}  // namespace whorl
