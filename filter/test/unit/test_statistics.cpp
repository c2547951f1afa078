// Filters that learn from the whole image, against their definitions on sorted pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl {
namespace {

using test::value_at;

Image run_statistics(const std::string& text, const Image& image) {
  const Context ctx = test::device_context();
  return to_host(ctx, Pipeline::parse(text).apply(ctx, clone(ctx, image)));
}

// Darker than full scale and no two channels alike. Whole levels for integers.
Image picture(PixelType type, Channels channels) {
  std::uint64_t at = 0;
  const double full = full_scale(type);
  return test::make_image({type, channels, 1, 1, 37, 53}, [&](Index, Index y, Index x, Index c) {
    const double light = 0.1 + 0.3 * random_uniform(5, at++) + 0.004 * static_cast<double>(x) +
                         0.002 * static_cast<double>(y) - 0.05 * static_cast<double>(c);
    return type == PixelType::float32 ? light : std::floor(full * light);
  });
}

double luma(const Image& image, Index y, Index x) {
  if (count_of(image.format().channels) < 3) return value_at(image, 0, y, x);
  const double sum =
      2125 * value_at(image, 0, y, x, 0) + 7154 * value_at(image, 0, y, x, 1) + 721 * value_at(image, 0, y, x, 2);
  return image.format().type == PixelType::float32 ? sum / 10000 : std::floor(sum / 10000);
}

std::vector<double> sorted_luma(const Image& image) {
  std::vector<double> values;
  for (Index y = 0; y < image.format().height; ++y) {
    for (Index x = 0; x < image.format().width; ++x) values.push_back(luma(image, y, x));
  }
  std::sort(values.begin(), values.end());
  return values;
}

Image changed(const Image& image, const std::function<double(double v, Index c)>& value) {
  const Index colors = count_of(image.format().channels) - (has_alpha(image.format().channels) ? 1 : 0);
  return test::make_image(image.format(), [&](Index s, Index y, Index x, Index c) {
    const double v = value_at(image, s, y, x, c);
    return c < colors ? value(v, c) : v;
  });
}

double cut(double v, PixelType type) {
  return type == PixelType::float32 ? v : std::clamp(std::trunc(v), 0.0, full_scale(type));
}

TEST(GrayWorld, MakesMeansEqual) {
  for (const PixelType type : test::pixel_types) {
    for (const Channels channels : {Channels::rgb, Channels::rgba}) {
      const Image image = picture(type, channels);
      double sums[3] = {};
      for (Index y = 0; y < 37; ++y) {
        for (Index x = 0; x < 53; ++x) {
          for (Index c = 0; c < 3; ++c) sums[c] += value_at(image, 0, y, x, c);
        }
      }
      const double sum = (sums[0] + sums[1] + sums[2]) / 3;
      const Image expected = changed(image, [&](double v, Index c) { return cut(v * sum / sums[c], type); });
      EXPECT_LE(test::largest_difference(run_statistics("gray-world", image), expected),
                type == PixelType::float32 ? 3e-7 : 0);
    }
  }
}

TEST(GrayWorld, AddsTheMeanToADarkChannel) {
  const Image image =
      test::make_image({PixelType::uint8, Channels::rgb, 1, 1, 5, 7},
                       [](Index, Index y, Index, Index c) { return c == 1 ? 0.0 : 60.0 + (y % 2 == 1 ? 10.0 : 0.0); });
  // Two rows of five have 70: 64 on average, and 128 / 3 over the channels.
  const Image found = run_statistics("gray-world", image);
  EXPECT_EQ(value_at(found, 0, 0, 0, 1), 42);
  EXPECT_EQ(value_at(found, 0, 0, 0, 0), 40);  // 60 (128 / 3) / 64
}

TEST(Autocontrast, LeavesAFractionOutAtEachEnd) {
  for (const PixelType type : test::pixel_types) {
    for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
      const Image image = picture(type, channels);
      const std::vector<double> sorted = sorted_luma(image);
      for (const double fraction : {0.0, 0.05, 0.4}) {
        const auto skipped = static_cast<std::size_t>(fraction * static_cast<double>(sorted.size()));
        const double low = sorted[skipped];
        const double high = sorted[sorted.size() - 1 - skipped];
        const Image expected =
            changed(image, [&](double v, Index) { return cut((v - low) * full_scale(type) / (high - low), type); });
        // float32: low and high lie at the edges of bins. One bin more or less of either moves (v - low) / (high - low)
        // by up to its distance from the other over the range squared; v, low and high lie between -0.1 and 0.8.
        const double bin = (sorted.back() - sorted.front()) / 65536;
        const double range = high - low;
        const double by_bins = fraction > 0 ? 2 * bin * 0.9 / (range * range) : 0;
        const double allowed = type == PixelType::float32 ? by_bins + 2e-6 : 0;
        EXPECT_LE(test::largest_difference(run_statistics("autocontrast " + std::to_string(fraction), image), expected),
                  allowed)
            << to_string(image.format()) << " " << fraction;
      }
    }
  }
}

TEST(Autocontrast, LeavesAFlatImageAsItIs) {
  for (const PixelType type : test::pixel_types) {
    const Image image =
        test::make_image({type, Channels::rgb, 1, 1, 5, 7}, [](Index, Index, Index, Index) { return 1; });
    for (const char* text : {"autocontrast", "autocontrast 0.1", "equalize"}) {
      EXPECT_EQ(test::largest_difference(run_statistics(text, image), image), 0) << text << " " << to_string(type);
    }
  }
}

TEST(Threshold, PartsTwoClassesWhereTheirVarianceIsLargest) {
  for (const PixelType type : test::pixel_types) {
    const Image image = picture(type, Channels::gray_alpha);
    const std::vector<double> sorted = sorted_luma(image);
    // Sum of a split after the darkest i pixels.
    double sum = 0;
    for (const double v : sorted) sum += v;
    const auto n = static_cast<double>(sorted.size());
    std::vector<double> variances(sorted.size());
    double dark_sum = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      dark_sum += sorted[i - 1];
      if (sorted[i - 1] == sorted[i]) continue;
      const auto count = static_cast<double>(i);
      const double apart = dark_sum / count - (sum - dark_sum) / (n - count);
      variances[i] = count * (n - count) * apart * apart;
    }
    const Image found = run_statistics("threshold", image);
    std::size_t dark = 0;
    double darkest_light = 1e9;
    double lightest_dark = -1;
    for (Index y = 0; y < 37; ++y) {
      for (Index x = 0; x < 53; ++x) {
        const double v = value_at(image, 0, y, x);
        const bool light = value_at(found, 0, y, x) == full_scale(type);
        if (!light) {
          EXPECT_EQ(value_at(found, 0, y, x), 0);
          ++dark;
        }
        (light ? darkest_light : lightest_dark) = light ? std::min(darkest_light, v) : std::max(lightest_dark, v);
        EXPECT_EQ(value_at(found, 0, y, x, 1), value_at(image, 0, y, x, 1));
      }
    }
    EXPECT_LT(lightest_dark, darkest_light);
    // float32: means of bins are off by up to a bin, 1.5e-5 of the range, where the classes are a third of it apart or
    // more, and the variance is a square. Integers: roundings of sums.
    const double allowed = type == PixelType::float32 ? 1e-4 : 1e-12;
    const double best = *std::max_element(variances.begin(), variances.end());
    EXPECT_GE(variances[dark], best * (1 - allowed)) << to_string(type);
  }
  EXPECT_THROW(run_statistics("threshold", picture(PixelType::uint8, Channels::rgb)), Unsupported);
}

TEST(Equalize, MakesLightTheShareOfThePixelsBelow) {
  for (const PixelType type : test::pixel_types) {
    for (const Channels channels : {Channels::gray, Channels::rgba}) {
      const Image image = picture(type, channels);
      const std::vector<double> sorted = sorted_luma(image);
      const double n = static_cast<double>(sorted.size());
      const auto up_to = [&](double v) {
        return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), v) - sorted.begin());
      };
      const double first = up_to(sorted.front());
      const double range = sorted.back() - sorted.front();
      const Image expected = changed(image, [&](double v, Index) {
        const double share = std::max(0.0, (up_to(v) - first) / (n - first));
        if (type == PixelType::float32) return sorted.front() + range * share;
        return std::floor(full_scale(type) * share + 0.5);
      });
      // float32: the few pixels of one bin, and of the one beside it, are not told apart.
      const double allowed = type == PixelType::float32 ? 8 / n * range : 0;
      EXPECT_LE(test::largest_difference(run_statistics("equalize", image), expected), allowed)
          << to_string(image.format());
    }
  }
}

// What is learned, and the point operations after it, are one pass, and the same as one by one.
TEST(Statistics, AreFollowedByPointOperations) {
  const Context ctx = test::device_context();
  const Image image = picture(PixelType::uint8, Channels::rgb);
  for (const char* text : {"gamma 0.8 | gray-world | gamma 0.7 | gray | autocontrast 0.01 | invert | convert uint16"}) {
    const Pipeline pipeline = Pipeline::parse(text);
    Image one_by_one = clone(ctx, image);
    for (const auto& filter : pipeline.filters()) one_by_one = filter->apply(ctx, one_by_one);
    EXPECT_EQ(test::largest_difference(run_statistics(text, image), to_host(ctx, one_by_one)), 0);
  }
}

}  // namespace
}  // namespace whorl
