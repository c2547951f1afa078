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

Image run(const std::string& text, const Image& image) {
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

constexpr PixelType types[] = {PixelType::uint8, PixelType::uint16, PixelType::float32};

double cut(double v, PixelType type) {
  return type == PixelType::float32 ? v : std::clamp(std::trunc(v), 0.0, full_scale(type));
}

TEST(GrayWorld, MakesMeansEqual) {
  for (const PixelType type : types) {
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
      EXPECT_LE(test::largest_difference(run("gray-world", image), expected), type == PixelType::float32 ? 3e-7 : 0);
    }
  }
}

TEST(GrayWorld, AddsTheMeanToADarkChannel) {
  const Image image =
      test::make_image({PixelType::uint8, Channels::rgb, 1, 1, 5, 7},
                       [](Index, Index y, Index, Index c) { return c == 1 ? 0.0 : 60.0 + (y % 2 == 1 ? 10.0 : 0.0); });
  // Two rows of five have 70: 64 on average, and 128 / 3 over the channels.
  const Image found = run("gray-world", image);
  EXPECT_EQ(value_at(found, 0, 0, 0, 1), 42);
  EXPECT_EQ(value_at(found, 0, 0, 0, 0), 40);  // 60 (128 / 3) / 64
}

TEST(Autocontrast, LeavesAFractionOutAtEachEnd) {
  for (const PixelType type : types) {
    for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
      const Image image = picture(type, channels);
      const std::vector<double> sorted = sorted_luma(image);
      for (const double fraction : {0.0, 0.05, 0.4}) {
        const auto skipped = static_cast<std::size_t>(fraction * static_cast<double>(sorted.size()));
        const double low = sorted[skipped];
        const double high = sorted[sorted.size() - 1 - skipped];
        const Image expected =
            changed(image, [&](double v, Index) { return cut((v - low) * full_scale(type) / (high - low), type); });
        // float32: low and high lie at the edges of bins of 1 / 65536 of the range of luma, which moves what comes out
        // by up to two bins in the range that is left, here a quarter of it or more, and twice that beyond its ends.
        const double allowed = type == PixelType::float32 ? (fraction > 0 ? 4 * 2 * 4 / 65536.0 : 2e-6) : 0;
        EXPECT_LE(test::largest_difference(run("autocontrast " + std::to_string(fraction), image), expected), allowed)
            << to_string(image.format()) << " " << fraction;
      }
    }
  }
}

TEST(Autocontrast, LeavesAFlatImageAsItIs) {
  for (const PixelType type : types) {
    const Image image =
        test::make_image({type, Channels::rgb, 1, 1, 5, 7}, [](Index, Index, Index, Index) { return 1; });
    for (const char* text : {"autocontrast", "autocontrast 0.1", "equalize"}) {
      EXPECT_EQ(test::largest_difference(run(text, image), image), 0) << text << " " << to_string(type);
    }
  }
}

TEST(Threshold, PartsTwoClassesWhereTheirVarianceIsLargest) {
  for (const PixelType type : types) {
    const Image image = picture(type, Channels::gray_alpha);
    const std::vector<double> sorted = sorted_luma(image);
    // Every split of the sorted pixels.
    double sum = 0;
    for (const double v : sorted) sum += v;
    double best = 0;
    double at = 0;
    double dark = 0;
    const auto n = static_cast<double>(sorted.size());
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      dark += sorted[i];
      if (sorted[i] == sorted[i + 1]) continue;
      const auto count = static_cast<double>(i + 1);
      const double apart = dark / count - (sum - dark) / (n - count);
      const double variance = count * (n - count) * apart * apart;
      if (variance <= best) continue;
      best = variance;
      at = sorted[i];
    }
    const Image found = run("threshold", image);
    const double bin = type == PixelType::float32 ? 1.0 / 65536 : 0;
    for (Index y = 0; y < 37; ++y) {
      for (Index x = 0; x < 53; ++x) {
        const double v = value_at(image, 0, y, x);
        // The variance changes little over a few bins around its largest.
        if (std::abs(v - at) <= 4 * bin && bin > 0) continue;
        EXPECT_EQ(value_at(found, 0, y, x), v > at ? full_scale(type) : 0) << to_string(type) << " " << v;
        EXPECT_EQ(value_at(found, 0, y, x, 1), value_at(image, 0, y, x, 1));
      }
    }
  }
  EXPECT_THROW(run("threshold", picture(PixelType::uint8, Channels::rgb)), Unsupported);
}

TEST(Equalize, MakesLightTheShareOfThePixelsBelow) {
  for (const PixelType type : types) {
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
      EXPECT_LE(test::largest_difference(run("equalize", image), expected), allowed) << to_string(image.format());
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
    EXPECT_EQ(test::largest_difference(run(text, image), to_host(ctx, one_by_one)), 0);
  }
}

}  // namespace
}  // namespace whorl
