#include "whorl/filter/windows/canny.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>
#include <utility>
#include <vector>

#include "filter/pipeline/stages.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/descriptor.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl {
namespace {

using test::value_at;

// Canny as it is defined, pixel by pixel, in doubles.
class Reference {
 public:
  Reference(const Image& image, Index slice, const CannyOptions& options)
      : options_(options),
        height_(image.format().height),
        width_(image.format().width),
        type_(image.format().type),
        levels_(static_cast<std::size_t>(height_ * width_)) {
    const bool color = count_of(image.format().channels) >= 3;
    for (Index y = 0; y < height_; ++y) {
      for (Index x = 0; x < width_; ++x) {
        const auto channel = [&](Index c) { return value_at(image, slice, y, x, c); };
        double light = channel(0);
        if (color) {
          light = (2125 * channel(0) + 7154 * channel(1) + 721 * channel(2)) / 10000;
          if (type_ != PixelType::float32) light = std::floor(light);
        }
        levels_[y * width_ + x] = light;
      }
    }
    if (options.sigma != 0) smooth();
    find_edges();
  }

  bool is_edge(Index y, Index x) const { return edges_[y * width_ + x] == 2; }

 private:
  double level(Index y, Index x) const {
    y = border_index(options_.border, y, height_);
    x = border_index(options_.border, x, width_);
    return y < 0 || x < 0 ? options_.border_value : levels_[y * width_ + x];
  }

  // Integers as the plan says: products (weight * level + 2^14) >> 15, six bits of fraction between the passes.
  double product(double weight, double value) const {
    if (type_ != PixelType::uint8) return weight * value;
    return std::floor((std::round(weight * 32768) * value + 16384) / 32768);
  }

  void smooth() {
    const Index radius = options_.radius;
    std::vector<double> weights(static_cast<std::size_t>(radius + 1));
    double sum = 0;
    for (Index k = -radius; k <= radius; ++k) {
      weights[std::abs(k)] = std::exp(-static_cast<double>(k * k) / (2 * options_.sigma * options_.sigma));
      sum += weights[std::abs(k)];
    }
    for (double& weight : weights) weight /= sum;
    if (type_ == PixelType::uint8) {
      double middle = 1;
      for (Index k = 1; k <= radius; ++k) middle -= 2 * std::round(weights[k] * 32768) / 32768;
      weights[0] = middle;
    }
    const double scale = type_ == PixelType::uint8 ? 64 : 1;
    const auto across = [&](Index y, Index x) {
      double total = product(weights[0], level(y, x) * scale);
      for (Index k = 1; k <= radius; ++k) {
        total += product(weights[k], (level(y, x - k) + level(y, x + k)) * scale);
      }
      return total;
    };
    std::vector<double> smoothed(levels_.size());
    for (Index y = 0; y < height_; ++y) {
      for (Index x = 0; x < width_; ++x) {
        double total = product(weights[0], across(y, x));
        for (Index k = 1; k <= radius; ++k) total += product(weights[k], across(y - k, x) + across(y + k, x));
        smoothed[y * width_ + x] = type_ == PixelType::uint8 ? std::floor(total / scale + 0.5) : total;
      }
    }
    levels_ = smoothed;
  }

  double sobel(Index y, Index x, bool along_x) const {
    double sum = 0;
    for (Index i = -1; i <= 1; ++i) {
      const double weight = i == 0 ? 2 : 1;
      sum += weight * (along_x ? level(y + i, x + 1) - level(y + i, x - 1) : level(y + 1, x + i) - level(y - 1, x + i));
    }
    return sum;
  }

  // The square of the l2 norm, which is exact.
  double length(Index y, Index x) const {
    if (y < 0 || x < 0 || y >= height_ || x >= width_) return 0;
    const double a = sobel(y, x, true);
    const double b = sobel(y, x, false);
    return options_.norm == GradientNorm::l2 ? a * a + b * b : std::abs(a) + std::abs(b);
  }

  bool is_thin(Index y, Index x) const {
    const double a = sobel(y, x, true);
    const double b = sobel(y, x, false);
    // In units of 45 degrees; where a sector ends no gradient of integers points to.
    const double angle = std::atan2(b, a) / (std::numbers::pi / 4);
    const int sector = (static_cast<int>(std::lround(angle)) + 8) % 4;
    const Index dx = sector == 2 ? 0 : 1;
    const Index dy = sector == 0 ? 0 : sector == 3 ? -1 : 1;
    const double here = length(y, x);
    double before = length(y - dy, x - dx);
    double after = length(y + dy, x + dx);
    if (options_.ties == EdgeTies::first && sector % 2 == 0) return here > before && here >= after;
    return here > before && here > after;
  }

  void find_edges() {
    const auto power = [&](double threshold) {
      return options_.norm == GradientNorm::l2 ? threshold * threshold : threshold;
    };
    const double low = power(options_.low.value_or(0));
    const double high = power(options_.high.value_or(0));
    edges_.assign(levels_.size(), 0);
    std::vector<Index> waiting;
    for (Index y = 0; y < height_; ++y) {
      for (Index x = 0; x < width_; ++x) {
        if (!(length(y, x) > low) || !is_thin(y, x)) continue;
        const bool strong = length(y, x) > high;
        edges_[y * width_ + x] = strong ? 2 : 1;
        if (strong) waiting.push_back(y * width_ + x);
      }
    }
    while (!waiting.empty()) {
      const Index at = waiting.back();
      waiting.pop_back();
      for (Index y = std::max<Index>(at / width_ - 1, 0); y <= std::min(at / width_ + 1, height_ - 1); ++y) {
        for (Index x = std::max<Index>(at % width_ - 1, 0); x <= std::min(at % width_ + 1, width_ - 1); ++x) {
          if (edges_[y * width_ + x] != 1) continue;
          edges_[y * width_ + x] = 2;
          waiting.push_back(y * width_ + x);
        }
      }
    }
  }

  CannyOptions options_;
  Index height_, width_;
  PixelType type_;
  std::vector<double> levels_;
  std::vector<int> edges_;
};

// How many pixels of the result are not what they should be.
Index count_wrong(const Image& image, const CannyOptions& options, const Image& result, Index* edges = nullptr) {
  const ImageFormat& format = image.format();
  ImageFormat expected = format;
  expected.channels = Channels::gray;
  EXPECT_EQ(result.format(), expected);
  Index wrong = 0;
  for (Index slice = 0; slice < format.slices(); ++slice) {
    const Reference reference(image, slice, options);
    for (Index y = 0; y < format.height; ++y) {
      for (Index x = 0; x < format.width; ++x) {
        const bool edge = reference.is_edge(y, x);
        if (edge && edges != nullptr) ++*edges;
        if (value_at(result, slice, y, x) != (edge ? full_scale(format.type) : 0)) ++wrong;
      }
    }
  }
  return wrong;
}

Image apply(const CannyOptions& options, const Image& image) {
  const Context ctx = test::device_context();
  return to_host(ctx, make_canny(options)->apply(ctx, clone(ctx, image)));
}

// Numbers of eight bits times a power of two, so that gradients and their squares are exact in float32.
double unit_of(PixelType type) {
  constexpr double of_uint16 = 256;
  constexpr double of_float = 1.0 / 256;
  return type == PixelType::uint8 ? 1 : type == PixelType::uint16 ? of_uint16 : of_float;
}

// Waves in noise: long weak lines and short strong ones.
Image textured(const ImageFormat& format, std::uint64_t seed) {
  std::uint64_t at = 0;
  return test::make_image(format, [&](Index slice, Index y, Index x, Index c) {
    const auto wave = std::sin(0.31 * static_cast<double>(x) + 0.11 * static_cast<double>(c)) *
                      std::cos(0.23 * static_cast<double>(y) - 0.5 * static_cast<double>(slice));
    const double level = std::floor(100 + 70 * wave + 60 * random_uniform(seed, at++));
    return level * unit_of(format.type);
  });
}

CannyOptions thresholds(PixelType type, double low, double high) {
  CannyOptions options;
  options.low = low * unit_of(type);
  options.high = high * unit_of(type);
  return options;
}

constexpr PixelType types[] = {PixelType::uint8, PixelType::uint16, PixelType::float32};
constexpr Border borders[] = {Border::reflect, Border::replicate, Border::wrap, Border::constant};

TEST(Canny, IsAsDefinedWithoutSmoothing) {
  for (const PixelType type : types) {
    for (const Border border : borders) {
      for (const GradientNorm norm : {GradientNorm::l2, GradientNorm::l1}) {
        for (const EdgeTies ties : {EdgeTies::drop, EdgeTies::first}) {
          CannyOptions options = thresholds(type, 90, 220);
          options.sigma = 0;
          options.border = border;
          options.border_value = 90 * unit_of(type);
          options.norm = norm;
          options.ties = ties;
          const Image image = textured({type, Channels::gray, 1, 1, 47, 75}, 1);
          Index edges = 0;
          EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0);
          EXPECT_GT(edges, 100);
        }
      }
    }
  }
}

TEST(Canny, TakesExtentsBelowAVectorAndAboveAStrip) {
  constexpr std::array<Index, 2> extents[] = {{1, 1},   {1, 37},   {41, 1},   {2, 2},    {2, 33},   {3, 5},
                                              {33, 2},  {64, 64},  {5, 1025}, {9, 1057}, {131, 66}, {8, 8},
                                              {31, 16}, {13, 520}, {21, 748}, {19, 240}, {17, 1040}};
  for (const auto& [height, width] : extents) {
    for (const Border border : borders) {
      for (const double sigma : {0.0, 1.4}) {
        for (const PixelType type : types) {
          CannyOptions options = thresholds(type, 40, 120);
          options.sigma = sigma;
          options.border = border;
          options.border_value = 255 * unit_of(type);
          const Image image = textured({type, Channels::gray, 1, 1, height, width}, 2);
          EXPECT_EQ(count_wrong(image, options, apply(options, image)), 0)
              << height << " x " << width << ", border " << static_cast<int>(border) << ", sigma " << sigma << ", "
              << to_string(image.format());
        }
      }
    }
  }
}

// Weights of 1/4, 1/2 and 1/4 are exact, and so is all that follows of the l1 norm.
TEST(Canny, SmoothsByAGaussian) {
  for (const PixelType type : types) {
    for (const Border border : borders) {
      CannyOptions options = thresholds(type, 30, 90);
      options.sigma = 1 / std::sqrt(2 * std::numbers::ln2);
      options.radius = 1;
      options.norm = GradientNorm::l1;
      options.border = border;
      options.border_value = 200 * unit_of(type);
      const Image image = textured({type, Channels::gray, 1, 1, 45, 71}, 3);
      EXPECT_EQ(count_wrong(image, options, apply(options, image)), 0);
    }
  }
}

// The reference rounds uint8 as the filter does. Of floats a comparison differs where two numbers are within 1e-6 of
// each other relative to their size: five comparisons in each of 3000 pixels, 0.02 pixels to be expected.
TEST(Canny, TakesAnyRadius) {
  for (const PixelType type : types) {
    for (const Index radius : {1, 2, 3, 7, 15}) {
      CannyOptions options = thresholds(type, 4, 12);
      options.sigma = 0.5 * static_cast<double>(radius) + 0.4;
      options.radius = radius;
      const Image image = textured({type, Channels::gray, 1, 1, 43, 69}, 4);
      Index edges = 0;
      EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0) << "radius " << radius;
      EXPECT_GT(edges, 10);
    }
  }
}

TEST(Canny, TakesTheLightOfColors) {
  for (const PixelType type : types) {
    for (const Channels channels : {Channels::gray_alpha, Channels::rgb, Channels::rgba}) {
      // Floats are rounded in another order than in the reference: see TakesAnyRadius.
      const CannyOptions options = thresholds(type, 20, 60);
      for (const auto& [height, width] : {std::pair<Index, Index>{37, 75}, {9, 744}}) {
        const Image image = textured({type, channels, 1, 1, height, width}, 5);
        Index edges = 0;
        EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0);
        EXPECT_GT(edges, 100);
      }
    }
  }
}

TEST(Canny, TakesVolumesSliceBySlice) {
  const CannyOptions options = thresholds(PixelType::uint16, 40, 120);
  const Image image = textured({PixelType::uint16, Channels::gray, 2, 3, 19, 35}, 6);
  EXPECT_EQ(count_wrong(image, options, apply(options, image)), 0);
}

// A step of height h along a square spiral has gradients of 4 h; a single pixel of it is made strong.
TEST(Canny, FollowsASpiralToItsEnd) {
  constexpr Index extent = 301;
  for (const bool is_strong : {false, true}) {
    Image image = test::make_image({PixelType::uint8, Channels::gray, 1, 1, extent, extent},
                                   [](Index, Index, Index, Index) { return 0; });
    std::uint8_t* pixels = image.pixels<std::uint8_t>().data();
    Index y = 8;
    Index x = 8;
    Index dy = 0;
    Index dx = 1;
    Index length = extent - 16;
    pixels[y * extent + x] = is_strong ? 255 : 30;
    for (int side = 0; length > 8; ++side) {
      for (Index i = 0; i < length; ++i) {
        y += dy;
        x += dx;
        pixels[y * extent + x] = 30;
      }
      std::swap(dy, dx);
      dx = -dx;
      if (side % 2 == 1) length -= 8;
    }
    CannyOptions options = thresholds(PixelType::uint8, 50, 400);
    options.sigma = 0;
    Index edges = 0;
    EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0);
    if (is_strong) {
      EXPECT_GT(edges, 5000);
    } else {
      EXPECT_EQ(edges, 0);
    }
  }
}

TEST(Canny, IsTheSameOnAnyNumberOfThreads) {
  const Image image = textured({PixelType::uint8, Channels::gray, 1, 1, 600, 333}, 7);
  const CannyOptions options = thresholds(PixelType::uint8, 25, 110);
  const Image expected = make_canny(options)->apply(Context({.threads = 1}), image);
  EXPECT_EQ(count_wrong(image, options, expected), 0);
  for (const int threads : {2, 3, 7}) {
    const Image result = make_canny(options)->apply(Context({.threads = threads}), image);
    EXPECT_EQ(test::largest_difference(result, expected), 0);
  }
}

// Sobel's windows give both sides of it the same gradient, 4 times its height.
TEST(Canny, FindsAnIdealStepOnce) {
  const Image image = test::make_image({PixelType::uint8, Channels::gray, 1, 1, 9, 21},
                                       [](Index, Index, Index x, Index) { return x < 8 ? 40 : 90; });
  CannyOptions options = thresholds(PixelType::uint8, 100, 199);
  options.sigma = 0;
  const Image once = apply(options, image);
  options.ties = EdgeTies::drop;
  const Image never = apply(options, image);
  for (Index y = 0; y < 9; ++y) {
    for (Index x = 0; x < 21; ++x) {
      EXPECT_EQ(value_at(once, 0, y, x), x == 7 ? 255 : 0) << y << ", " << x;
      EXPECT_EQ(value_at(never, 0, y, x), 0) << y << ", " << x;
    }
  }
}

TEST(Canny, ScalesItsThresholdsWithTheType) {
  for (const PixelType type : types) {
    const double scale = full_scale(type);
    CannyOptions given;
    given.low = 50 * scale / 255;
    given.high = 100 * scale / 255;
    const Image image = test::random_image({type, Channels::gray, 1, 1, 31, 57}, 8);
    EXPECT_EQ(test::largest_difference(apply({}, image), apply(given, image)), 0);
  }
}

// Widths above 1024 have two strips on the CPU; 64 is a whole number of groups on the GPU.
TEST(Canny, DoesWhatStandsBeforeItAsItReads) {
  const Context ctx = test::device_context();
  const auto check = [&](const char* text, const ImageFormat& format) {
    const Pipeline pipeline = Pipeline::parse(text);
    EXPECT_EQ(filters::stages_of(pipeline.filters(), format, ctx.device().kind).size(), 1U) << text;
    const Image image = clone(ctx, textured(format, 9));
    Image expected = clone(ctx, image);
    for (const auto& filter : pipeline.filters()) expected = filter->apply(ctx, expected);
    const Image found = to_host(ctx, pipeline.apply(ctx, image));
    EXPECT_EQ(test::largest_difference(found, to_host(ctx, expected)), 0) << text << " " << to_string(format);
    const Image black = test::make_image(found.format(), [](Index, Index, Index, Index) { return 0.0; });
    EXPECT_GT(test::largest_difference(found, black), 0) << text << " has no edges";
  };
  for (const char* border : {"reflect", "wrap", "constant"}) {
    const std::string canny = fmt::format("canny border={} border-value=0.5", border);
    for (const PixelType type : types) {
      for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
        check(("gamma 0.6 | " + canny).c_str(), {type, channels, 1, 2, 37, 64});
        check(("gray | scale 0.8 | gamma 1.2 | invert | " + canny + " sigma=0").c_str(),
              {type, channels, 1, 1, 29, 43});
      }
    }
    check(("convert uint8 | " + canny + " radius=4").c_str(), {PixelType::float32, Channels::rgb, 2, 1, 17, 1100});
    check(("magnitude | " + canny + " 0.01 0.02").c_str(), {PixelType::float32, Channels::complex, 1, 1, 41, 23});
  }
}

TEST(Canny, SaysWhatItDoesNotTake) {
  const auto make = [](const std::vector<FilterArgument>& arguments) {
    return find_filter("canny").make(std::span(arguments));
  };
  EXPECT_NO_THROW(make({{"", "50"}, {"", "100"}}));
  EXPECT_THROW(make({{"", "50"}}), ValueError);
  EXPECT_THROW(make({{"", "100"}, {"", "50"}}), ValueError);
  EXPECT_THROW(make({{"low", "-1"}, {"high", "50"}}), ValueError);
  EXPECT_THROW(make({{"radius", "16"}}), ValueError);
  EXPECT_THROW(make({{"sigma", "101"}}), ValueError);
  EXPECT_THROW(make_canny({})->output({PixelType::float32, Channels::complex, 1, 1, 3, 3}), Unsupported);
}

}  // namespace
}  // namespace whorl
