#include "whorl/filter/denoise/non_local_means.hpp"

#include <gtest/gtest.h>

#include "support/device.hpp"
#include "support/diffusion.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::Numbers;

Image run(const Context& ctx, const NonLocalMeansOptions& options, const Image& image) {
  return to_host(ctx, make_non_local_means(options)->apply(ctx, clone(ctx, image)));
}

// By the definition, pixel by pixel. h^2 is that of the mean squared difference.
Numbers expected_means(const Image& image, const NonLocalMeansOptions& options) {
  const ImageFormat& format = image.format();
  const Numbers u = test::numbers_of(image);
  const Index channels = count_of(format.channels);
  Numbers result;
  for (Index slice = 0; slice < format.slices(); ++slice) {
    const auto at = [&](Index y, Index x, Index c) {
      return test::number_at(format, u, options.border, options.border_value, slice / format.depth,
                             slice % format.depth, y, x, c);
    };
    const auto distance = [&](Index y, Index x, Index dy, Index dx) {
      double sum = 0;
      for (Index j = -options.patch; j <= options.patch; ++j) {
        for (Index i = -options.patch; i <= options.patch; ++i) {
          for (Index c = 0; c < channels; ++c) {
            // The shift of a place beyond the edge is a place of the extended image.
            sum += std::pow(at(y + j, x + i, c) - at(y + j + dy, x + i + dx, c), 2);
          }
        }
      }
      return sum / static_cast<double>((2 * options.patch + 1) * (2 * options.patch + 1) * channels);
    };
    const double strength = options.strength.value_or(1);
    const double sigma = options.sigma.value_or(0);
    for (Index y = 0; y < format.height; ++y) {
      for (Index x = 0; x < format.width; ++x) {
        double weights = 0;
        Numbers means(static_cast<std::size_t>(channels), 0.0);
        for (Index dy = -options.search; dy <= options.search; ++dy) {
          for (Index dx = -options.search; dx <= options.search; ++dx) {
            const double weight = std::exp(-distance(y, x, dy, dx) / (strength * strength));
            weights += weight;
            for (Index c = 0; c < channels; ++c) {
              const double value = at(y + dy, x + dx, c);
              means[static_cast<std::size_t>(c)] += weight * (options.rician ? value * value : value);
            }
          }
        }
        for (const double mean : means) {
          const double value = mean / weights;
          result.push_back(options.rician ? std::sqrt(std::max(value - 2 * sigma * sigma, 0.0)) : value);
        }
      }
    }
  }
  return result;
}

TEST(NonLocalMeans, IsItsDefinition) {
  const Context ctx = test::device_context();
  using enum PixelType;
  for (const ImageFormat& format :
       {ImageFormat{uint8, Channels::rgb, 1, 1, 19, 23}, ImageFormat{uint16, Channels::rgba, 1, 2, 6, 9},
        ImageFormat{float32, Channels::gray, 1, 1, 34, 131}, ImageFormat{float32, Channels::complex, 1, 1, 35, 13},
        ImageFormat{float32, Channels::gray, 1, 1, 1, 9}, ImageFormat{float32, Channels::rgb, 1, 2, 7, 1},
        ImageFormat{uint8, Channels::gray, 1, 1, 1, 1}}) {
    const Image image = test::random_image(format, 4);
    const double scale = full_scale(format.type);
    for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
      for (const Index patch : {0, 1, 3}) {
        NonLocalMeansOptions options;
        options.strength = 0.2 * scale;
        options.patch = patch;
        options.search = 2;
        options.border = border;
        options.border_value = 0.25 * scale;
        // Sums of 25 terms, of 49 each, round by 25 + 49 eps/2 in the numerator and as much in the weights.
        const double rounding = 2 * (25 + 49) * 6e-8 * scale;
        EXPECT_LE(test::largest_difference_from(run(ctx, options, image), expected_means(image, options)),
                  rounding + (format.type == float32 ? 0 : 0.5))
            << to_string(format) << ", border " << static_cast<int>(border) << ", patch " << patch;
      }
    }
  }
}

TEST(NonLocalMeans, TakesFromMagnitudesWhatNoiseAddsToThem) {
  const Context ctx = test::device_context();
  const Image image = test::random_image({PixelType::float32, Channels::gray, 1, 1, 21, 34}, 2);
  NonLocalMeansOptions options;
  options.strength = 0.3;
  options.sigma = 0.2;
  options.patch = 1;
  options.search = 2;
  options.rician = true;
  // The root makes the rounding of 2 * 25 eps/2 of a square larger by at most 1/(2 * 0.1) where 0.1 is left.
  EXPECT_LE(test::largest_difference_from(run(ctx, options, image), expected_means(image, options)), 5 * 50 * 6e-8);

  // Where there is no signal, magnitudes have the mean 1.25 sigma; of a mean of squares over hundreds, 2 sigma^2 (1 +-
  // 0.1) stays: the root of a tenth of it is what may be left.
  std::uint64_t at = 0;
  const Image empty =
      test::make_image({PixelType::float32, Channels::gray, 1, 1, 48, 40}, [&](Index, Index, Index, Index) {
        const double real = 0.2 * random_normal(5, at++);
        return std::hypot(real, 0.2 * random_normal(5, at++));
      });
  options.search = 10;
  options.strength = 10;
  double mean = 0;
  for (const double value : test::numbers_of(run(ctx, options, empty))) mean += value / (48 * 40);
  EXPECT_LE(mean, 0.2 * std::sqrt(2 * 0.1));
}

// White noise on steps of height 1: the estimate of the noise is what `strength` is made of, so that the result is that
// of 1.2 sigma.
TEST(NonLocalMeans, EstimatesTheNoise) {
  const Context ctx = test::device_context();
  std::uint64_t at = 0;
  const Image image = test::make_image(
      {PixelType::float32, Channels::gray, 1, 2, 91, 107},
      [&](Index, Index, Index x, Index) { return static_cast<double>(x / 27) + 0.05 * random_normal(7, at++); });
  NonLocalMeansOptions options;
  options.patch = 1;
  options.search = 2;
  const Image estimated = run(ctx, options, image);
  // The median of 4770 values is known to 1.17/sqrt(4770) of sigma, 1.7 %; at three times that both ways the results
  // enclose the one of the estimate on average.
  const auto power = [&](const Image& result) {
    double square = 0;
    const Numbers numbers = test::numbers_of(result);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      square += std::pow(numbers[i] - static_cast<double>(i % 107 / 27), 2);
    }
    return square;
  };
  options.strength = 1.2 * 0.05 * 1.05;
  const double stronger = power(run(ctx, options, image));
  options.strength = 1.2 * 0.05 * 0.95;
  const double weaker = power(run(ctx, options, image));
  EXPECT_LT(stronger, power(estimated));
  EXPECT_GT(weaker, power(estimated));
}

TEST(NonLocalMeans, RefusesWhatItCanNotTake) {
  NonLocalMeansOptions options;
  options.rician = true;
  EXPECT_THROW(make_non_local_means(options)->output({PixelType::float32, Channels::complex, 1, 1, 8, 8}), Unsupported);
  EXPECT_THROW(make_non_local_means(options)->output({PixelType::float32, Channels::gray, 1, 1, 1, 8}), ShapeError);
  options.strength = 0;
  EXPECT_THROW(make_non_local_means(options), ValueError);
  options.strength = 1;
  options.sigma = -1;
  EXPECT_THROW(make_non_local_means(options), ValueError);
  options.sigma = 1;
  EXPECT_NO_THROW(make_non_local_means(options)->output({PixelType::float32, Channels::gray, 1, 1, 1, 8}));
  options.patch = 11;
  EXPECT_THROW(make_non_local_means(options), ValueError);
}

}  // namespace
}  // namespace whorl
