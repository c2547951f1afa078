#include "whorl/filter/geometry/rotate.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::value_at;

RotateOptions by(double angle) {
  RotateOptions options;
  options.angle = angle;
  return options;
}

TEST(Rotate, MovesPixelsByQuarterTurns) {
  const Context ctx = test::device_context();
  const Index h = 37;
  const Index w = 70;
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgb, 1, 2, h, w}, 3);
    for (const double angle : {0.0, 90.0, 180.0, 270.0, -90.0, 450.0}) {
      const Image result = to_host(ctx, make_rotate(by(angle))->apply(ctx, clone(ctx, image)));
      const bool upright = angle == 0 || angle == 180;
      ImageFormat format = image.format();
      if (!upright) std::swap(format.height, format.width);
      // Counterclockwise: the right column becomes the top row.
      const Image expected = test::make_image(format, [&](Index slice, Index y, Index x, Index c) {
        if (angle == 0) return value_at(image, slice, y, x, c);
        if (angle == 180) return value_at(image, slice, h - 1 - y, w - 1 - x, c);
        if (angle == 90 || angle == 450) return value_at(image, slice, x, w - 1 - y, c);
        return value_at(image, slice, h - 1 - x, y, c);
      });
      EXPECT_EQ(test::largest_difference(result, expected), 0) << angle;
    }
  }
}

double keys(double distance) {
  const double t = std::abs(distance);
  if (t < 1) return 1.5 * t * t * t - 2.5 * t * t + 1;
  return t < 2 ? -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2 : 0;
}

double direct(const Image& image, const RotateOptions& options, const ImageFormat& output, Index y, Index x, Index c) {
  const ImageFormat& format = image.format();
  const double angle = options.angle * std::numbers::pi / 180;
  const double v = static_cast<double>(y) - static_cast<double>(output.height - 1) / 2;
  const double u = static_cast<double>(x) - static_cast<double>(output.width - 1) / 2;
  const double at_y = static_cast<double>(format.height - 1) / 2 + u * std::sin(angle) + v * std::cos(angle);
  const double at_x = static_cast<double>(format.width - 1) / 2 + u * std::cos(angle) - v * std::sin(angle);
  const bool cubic = options.method == RotateMethod::bicubic;
  const auto weight = [&](double distance) { return cubic ? keys(distance) : std::max(0.0, 1 - std::abs(distance)); };
  double sum = 0;
  for (auto row = static_cast<Index>(std::floor(at_y)) - 1; row <= static_cast<Index>(std::floor(at_y)) + 2; ++row) {
    for (auto column = static_cast<Index>(std::floor(at_x)) - 1; column <= static_cast<Index>(std::floor(at_x)) + 2;
         ++column) {
      const Index j = border_index(options.border, row, format.height);
      const Index i = border_index(options.border, column, format.width);
      const double value = j < 0 || i < 0 ? options.border_value : value_at(image, 0, j, i, c);
      sum += weight(static_cast<double>(row) - at_y) * weight(static_cast<double>(column) - at_x) * value;
    }
  }
  return sum;
}

TEST(Rotate, ReadsBetweenPixels) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgb, 1, 1, 23, 41}, 3);
    for (const RotateMethod method : {RotateMethod::bilinear, RotateMethod::bicubic}) {
      for (const Border border : {Border::constant, Border::reflect, Border::wrap}) {
        for (const double angle : {31.0, -100.5, 200.25}) {
          RotateOptions options = by(angle);
          options.method = method;
          options.border = border;
          options.border_value = 0.25;
          options.size = border == Border::wrap ? RotateSize::same : RotateSize::fit;
          if (type != PixelType::float32) options.border_value = 9;
          const Image result = to_host(ctx, make_rotate(options)->apply(ctx, clone(ctx, image)));
          const double levels = type == PixelType::float32 ? 1 : full_scale(type);
          // The documented 2e-4 of the largest value from weights of 2^-15, and rounding to integers; float32: weights
          // and sums of 16 products to 2^-24, where a position off by 2^-32 times 70 pixels moves a value by 1e-7.
          const double allowed = type == PixelType::float32 ? 3e-6 : 0.5 + 2e-4 * levels;
          double worst = 0;
          for (Index y = 0; y < result.format().height; ++y) {
            for (Index x = 0; x < result.format().width; ++x) {
              for (Index c = 0; c < 3; ++c) {
                double wanted = direct(image, options, result.format(), y, x, c);
                if (type != PixelType::float32) wanted = std::clamp(wanted, 0.0, levels);
                worst = std::max(worst, std::abs(value_at(result, 0, y, x, c) - wanted));
              }
            }
          }
          EXPECT_LE(worst, allowed) << angle << " " << static_cast<int>(border) << " " << static_cast<int>(type);
        }
      }
    }
  }
}

TEST(Rotate, HoldsTheWholeImageOrKeepsItsSize) {
  const ImageFormat format{PixelType::uint8, Channels::gray, 1, 1, 30, 40};
  RotateOptions options = by(30);
  const ImageFormat fit = make_rotate(options)->output(format);
  // 40 cos 30 + 30 sin 30 = 49.6 and 40 sin 30 + 30 cos 30 = 46.0 (45.98)
  EXPECT_EQ(fit.width, 50);
  EXPECT_EQ(fit.height, 46);
  options.size = RotateSize::same;
  EXPECT_EQ(make_rotate(options)->output(format), format);
}

TEST(Rotate, RefusesNoAngle) { EXPECT_THROW(make_rotate(by(std::numeric_limits<double>::quiet_NaN())), ValueError); }

}  // namespace
}  // namespace whorl
