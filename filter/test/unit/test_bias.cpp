#include "whorl/filter/denoise/bias.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/device.hpp"
#include "support/diffusion.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

Image run(const Context& ctx, const BiasOptions& options, const Image& image) {
  return to_host(ctx, make_bias(options)->apply(ctx, clone(ctx, image)));
}

// One line of (1 - a A)^-4 between walls half a pixel beyond its ends, by cosines: A's eigenvectors there.
void smooth_line(double* line, Index n, Index apart, double a) {
  test::Numbers result(static_cast<std::size_t>(n), 0.0);
  for (Index k = 0; k < n; ++k) {
    const double step = std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    double coefficient = 0;
    for (Index i = 0; i < n; ++i) coefficient += line[i * apart] * std::cos(step * (static_cast<double>(i) + 0.5));
    coefficient *= (k == 0 ? 1.0 : 2.0) / static_cast<double>(n) / std::pow(1 + 2 * a * (1 - std::cos(step)), 4);
    for (Index i = 0; i < n; ++i) {
      result[static_cast<std::size_t>(i)] += coefficient * std::cos(step * (static_cast<double>(i) + 0.5));
    }
  }
  for (Index i = 0; i < n; ++i) line[i * apart] = result[static_cast<std::size_t>(i)];
}

// Field of an image of one volume.
test::Numbers expected_field(const Image& image, double sigma, double threshold, bool volumes) {
  const ImageFormat& format = image.format();
  const test::Numbers numbers = test::numbers_of(image);
  test::Numbers logs(numbers.size(), 0.0);
  test::Numbers share(numbers.size(), 0.0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] <= threshold) continue;
    logs[i] = std::log(numbers[i]);
    share[i] = 1;
  }
  const Index plane = format.height * format.width;
  for (test::Numbers* part : {&logs, &share}) {
    const double a = sigma * sigma / 8;
    for (Index line = 0; line < format.slices() * format.height; ++line) {
      smooth_line(part->data() + line * format.width, format.width, 1, a);
    }
    for (Index slice = 0; slice < format.slices(); ++slice) {
      for (Index x = 0; x < format.width; ++x) {
        smooth_line(part->data() + slice * plane + x, format.height, format.width, a);
      }
    }
    for (Index at = 0; volumes && at < plane; ++at) smooth_line(part->data() + at, format.depth, plane, a);
  }
  double mean = 0;
  double count = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    logs[i] /= share[i];
    if (numbers[i] <= threshold) continue;
    mean += logs[i];
    count += 1;
  }
  for (double& value : logs) value = std::exp(value - mean / count);
  return logs;
}

TEST(Bias, IsItsDefinition) {
  const Context ctx = test::device_context();
  const Image image = test::random_image({PixelType::float32, Channels::gray, 1, 4, 23, 31}, 4);
  for (const bool volumes : {false, true}) {
    BiasOptions options;
    options.sigma = 3;
    options.threshold = 0.3;
    options.volumes = volumes;
    const test::Numbers field = expected_field(image, 3, 0.3, volumes);
    test::Numbers corrected = test::numbers_of(image);
    for (std::size_t i = 0; i < corrected.size(); ++i) corrected[i] /= field[i];
    // Twelve sweeps of two roundings each of numbers up to 1, in logs and in mask: 2 * 24 * 6e-8, at fields up to 2 and
    // masks above a third.
    EXPECT_LE(test::largest_difference_from(run(ctx, options, image), corrected), 2e-5);
    options.output = BiasOutput::field;
    EXPECT_LE(test::largest_difference_from(run(ctx, options, image), field), 2e-5);
  }
}

// A disc of two tissues, 60 and 140, under a known field that grows by 2.7 from side to side; nothing around it.
TEST(Bias, FindsTheFieldOfAPhantom) {
  const Context ctx = test::device_context();
  constexpr Index h = 120;
  constexpr Index w = 150;
  const auto radius = [](Index y, Index x) {
    return std::hypot((static_cast<double>(y) - 59) / 52, (static_cast<double>(x) - 74) / 66);
  };
  const auto field = [](Index y, Index x) {
    return std::exp(0.5 * std::sin(0.018 * (static_cast<double>(x) - 74)) +
                    0.1 * std::cos(0.03 * static_cast<double>(y)));
  };
  const auto tissue = [](Index y, Index x) { return (x / 5 + y / 5) % 2 == 0 ? 140.0 : 60.0; };
  const ImageFormat format{PixelType::uint16, Channels::gray, 1, 1, h, w};
  const Image image = test::make_image(format, [&](Index, Index y, Index x, Index) {
    return radius(y, x) < 1 ? std::round(100 * tissue(y, x) * field(y, x)) : 0;
  });
  // How far the logarithm of the image over the truth is from constant in the disc.
  const auto spread = [&](const Image& of) {
    double sum = 0;
    double square = 0;
    double count = 0;
    for (Index y = 0; y < h; ++y) {
      for (Index x = 0; x < w; ++x) {
        if (radius(y, x) > 0.98) continue;
        const double log = std::log(test::value_at(of, 0, y, x) / tissue(y, x));
        sum += log;
        square += log * log;
        count += 1;
      }
    }
    return std::sqrt(square / count - sum * sum / (count * count));
  };
  BiasOptions options;
  options.sigma = 12;
  // The low-pass lets sin(0.018 x) through to 1 - (12 * 0.018)^2 / 2 = 2.3 % of it; at the rim of the mask, sigma wide,
  // it sees one side only and lags by its slope: 0.5 * 0.018 * 12 * sqrt(2/pi) = 9 % there, in a fourth of the disc.
  EXPECT_LE(spread(run(ctx, options, image)), spread(image) / 4);
  EXPECT_GE(spread(image), 0.2);
}

TEST(Bias, RefusesWhatItCanNotTake) {
  EXPECT_THROW(make_bias({})->output({PixelType::uint8, Channels::rgb, 1, 1, 8, 8}), Unsupported);
  BiasOptions options;
  options.output = BiasOutput::field;
  EXPECT_EQ(make_bias(options)->output({PixelType::uint8, Channels::gray, 1, 1, 8, 8}).type, PixelType::float32);
  options.sigma = 0;
  EXPECT_THROW(make_bias(options), ValueError);
}

}  // namespace
}  // namespace whorl
