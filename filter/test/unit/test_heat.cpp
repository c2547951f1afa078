#include "whorl/filter/diffusion/heat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "filter/test/unit/all_borders.hpp"
#include "support/device.hpp"
#include "support/diffusion.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::Numbers;
using test::value_at;

std::vector<ImageFormat> formats() {
  using enum PixelType;
  return {{uint8, Channels::rgb, 1, 1, 19, 23},    {uint16, Channels::rgba, 1, 2, 6, 9},
          {float32, Channels::gray, 2, 3, 21, 70}, {float32, Channels::complex, 1, 1, 75, 13},
          {float32, Channels::gray, 1, 1, 1, 9},   {float32, Channels::rgb, 1, 2, 7, 1},
          {uint8, Channels::gray, 1, 1, 1, 1},     {float32, Channels::gray, 1, 2, 2, 3},
          {float32, Channels::gray, 1, 1, 5, 133}};
}

Image run(const Context& ctx, const HeatOptions& options, const Image& image) {
  return to_host(ctx, make_heat(options)->apply(ctx, clone(ctx, image)));
}

// Integers are rounded; a step rounds a float four times by at most eps/2 of the largest value, and errors do not grow.
double allowed_error(PixelType type, double steps) {
  const double rounding = steps * 4 * 6e-8 * full_scale(type);
  return type == PixelType::float32 ? rounding : 0.5 + rounding;
}

TEST(Heat, MakesTheStepsOfItsDefinition) {
  const Context ctx = test::device_context();
  for (const ImageFormat& format : formats()) {
    const Image image = test::random_image(format, 5);
    for (const Border border : test::all_borders) {
      for (const bool volumes : {false, true}) {
        constexpr int steps = 11;
        const double value = 0.25 * full_scale(format.type);
        HeatOptions options;
        options.border = border;
        options.border_value = value;
        options.diffusivity = 0.5;
        options.time = 3;
        options.step = 3.0 / steps;
        options.volumes = volumes;
        Numbers expected = test::numbers_of(image);
        for (int step = 0; step < steps; ++step) {
          expected = test::diffusion_step(format, expected, border, value, volumes, 0.5 * 3 / steps,
                                          [](double) { return 1.0; });
        }
        EXPECT_LE(test::largest_difference_from(run(ctx, options, image), expected), allowed_error(format.type, steps))
            << to_string(format) << ", border " << static_cast<int>(border) << (volumes ? ", 3d" : "");
      }
    }
  }
}

// One line of (1 - a A)^-1 (1 + a A) u by elimination in a full matrix.
Numbers crank_nicolson(Border border, double a, const Numbers& u) {
  const std::size_t n = u.size();
  std::vector<Numbers> matrix(n, Numbers(n + 1, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i][i] += 1;
    matrix[i][n] += u[i];
    const auto add = [&](Index at, double weight) {
      const Index found = border_index(border, at, static_cast<Index>(n));
      if (found < 0) return;
      matrix[i][static_cast<std::size_t>(found)] -= a * weight;
      matrix[i][n] += a * weight * u[static_cast<std::size_t>(found)];
    };
    add(static_cast<Index>(i) - 1, 1);
    add(static_cast<Index>(i) + 1, 1);
    add(static_cast<Index>(i), -2);
  }
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    for (std::size_t row = 0; row < n; ++row) {
      if (row == pivot) continue;
      const double factor = matrix[row][pivot] / matrix[pivot][pivot];
      for (std::size_t column = pivot; column <= n; ++column) matrix[row][column] -= factor * matrix[pivot][column];
    }
  }
  Numbers solved(n);
  for (std::size_t i = 0; i < n; ++i) solved[i] = matrix[i][n] / matrix[i][i];
  return solved;
}

// Lines of an image of [outer, length, inner] numbers, each stepped by the matrix.
void step_lines(Numbers& image, std::size_t length, std::size_t inner, Border border, double a) {
  for (std::size_t start = 0; start < image.size(); start += length * inner) {
    for (std::size_t at = start; at < start + inner; ++at) {
      Numbers line(length);
      for (std::size_t i = 0; i < length; ++i) line[i] = image[at + i * inner];
      line = crank_nicolson(border, a, line);
      for (std::size_t i = 0; i < length; ++i) image[at + i * inner] = line[i];
    }
  }
}

TEST(Heat, SolvesImplicitSteps) {
  const Context ctx = test::device_context();
  for (const ImageFormat& format : formats()) {
    const Image image = test::random_image(format, 6);
    for (const Border border : test::all_borders) {
      for (const bool volumes : {false, true}) {
        constexpr int steps = 3;
        const double value = border == Border::constant ? 0.25 * full_scale(format.type) : 0;
        HeatOptions options;
        options.border = border;
        options.border_value = value;
        options.method = HeatMethod::implicit;
        options.time = 7.5;
        options.step = 2.5;
        options.volumes = volumes;
        Numbers expected = test::numbers_of(image);
        for (double& number : expected) number -= value;
        const auto channels = static_cast<std::size_t>(count_of(format.channels));
        const auto row = static_cast<std::size_t>(format.row());
        for (int step = 0; step < steps; ++step) {
          step_lines(expected, static_cast<std::size_t>(format.width), channels, border, 1.25);
          step_lines(expected, static_cast<std::size_t>(format.height), row, border, 1.25);
          if (!volumes) continue;
          step_lines(expected, static_cast<std::size_t>(format.depth), row * static_cast<std::size_t>(format.height),
                     border, 1.25);
        }
        for (double& number : expected) number += value;
        // A sweep of the elimination rounds about as often as an explicit step, there are two for each of three axes,
        // and 2 w - u makes three errors of one.
        EXPECT_LE(test::largest_difference_from(run(ctx, options, image), expected),
                  allowed_error(format.type, 6 * 3 * steps))
            << to_string(format) << ", border " << static_cast<int>(border) << (volumes ? ", 3d" : "");
      }
    }
  }
}

// Largest residual of (1 - a A) w - (1 + a A) u along a line of numbers `apart` from each other.
double largest_residual(Border border, double a, const Numbers& u, const Numbers& w, Index length, std::size_t apart,
                        std::size_t first) {
  double largest = 0;
  for (Index i = 0; i < length; ++i) {
    const auto second_difference = [&](const Numbers& of) {
      const auto number = [&](Index at) {
        const Index found = border_index(border, at, length);
        return found < 0 ? 0.0 : of[first + static_cast<std::size_t>(found) * apart];
      };
      return number(i - 1) - 2 * number(i) + number(i + 1);
    };
    const std::size_t at = first + static_cast<std::size_t>(i) * apart;
    largest = std::max(largest, std::abs(w[at] - a * second_difference(w) - u[at] - a * second_difference(u)));
  }
  return largest;
}

TEST(Heat, SolvesImplicitStepsOfLongLines) {
  const Context ctx = test::device_context();
  constexpr Index length = 2500;
  // Along an axis of one pixel nothing changes but where what is beyond is held.
  for (const Border border : {Border::reflect, Border::replicate, Border::wrap}) {
    for (const bool upright : {false, true}) {
      for (const double a : {1.0, 40.0}) {
        const Index height = upright ? length : 1;
        const ImageFormat format{PixelType::float32, Channels::complex, 1, 1, height, upright ? 1 : length};
        const Image image = test::random_image(format, 7);
        HeatOptions options;
        options.border = border;
        options.method = HeatMethod::implicit;
        options.time = 2 * a;
        options.step = 2 * a;
        const Numbers before = test::numbers_of(image);
        const Numbers after = test::numbers_of(run(ctx, options, image));
        for (const std::size_t channel : {std::size_t{0}, std::size_t{1}}) {
          // Factors and sums are rounded to 6e-8 of the largest number, in two sweeps that each carry on errors by
          // 1 / (1 - r) = (1 + sqrt(1 + 4 a)) / 2 pixels at most; w = 2 v - u doubles them, 1 - a A takes 1 + 4 a.
          const double sweep = (1 + std::sqrt(1 + 4 * a)) / 2;
          EXPECT_LE(largest_residual(border, a, before, after, length, 2, channel), (1 + 4 * a) * 2 * 2 * sweep * 6e-8)
              << "border " << static_cast<int>(border) << ", a = " << a << (upright ? ", upright" : "");
        }
      }
    }
  }
}

// A product of cosines that the walls through the first and the last pixel do not change: it decays by
// exp(t (2 (cos kx - 1) + 2 (cos ky - 1))) when time is not cut into steps.
double error_on_a_mode(const Context& ctx, HeatMethod method, double step) {
  constexpr Index height = 9;
  constexpr Index width = 12;
  constexpr double time = 2;
  const double kx = std::numbers::pi * 2 / (width - 1);
  const double ky = std::numbers::pi * 3 / (height - 1);
  const ImageFormat format{PixelType::float32, Channels::gray, 1, 1, height, width};
  const auto mode = [&](Index, Index y, Index x, Index) {
    return std::cos(kx * static_cast<double>(x)) * std::cos(ky * static_cast<double>(y));
  };
  HeatOptions options;
  options.time = time;
  options.step = step;
  options.method = method;
  const Image image = run(ctx, options, test::make_image(format, mode));
  const double decay = std::exp(time * 2 * (std::cos(kx) + std::cos(ky) - 2));
  return std::abs(value_at(image, 0, 0, 0) - decay);
}

TEST(Heat, ConvergesInTimeAtTheOrderOfItsSteps) {
  const Context ctx = test::device_context();
  // The leading term of the error falls by 2 and by 4; the next terms change that by a share of the step times the
  // rate of decay (1.9): by some percent here.
  EXPECT_NEAR(error_on_a_mode(ctx, HeatMethod::steps, 0.05) / error_on_a_mode(ctx, HeatMethod::steps, 0.025), 2, 0.1);
  EXPECT_NEAR(error_on_a_mode(ctx, HeatMethod::implicit, 0.5) / error_on_a_mode(ctx, HeatMethod::implicit, 0.25), 4,
              0.2);
}

double sum_of(const Image& image) {
  const Numbers numbers = test::numbers_of(image);
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TEST(Heat, KeepsTheSum) {
  const Context ctx = test::device_context();
  const Image image = test::random_image({PixelType::float32, Channels::gray, 1, 1, 17, 29}, 8);
  for (const HeatMethod method : {HeatMethod::steps, HeatMethod::implicit}) {
    for (const Border border : {Border::replicate, Border::wrap, Border::reflect}) {
      HeatOptions options;
      options.border = border;
      options.time = 6;
      options.method = method;
      const Image result = run(ctx, options, image);
      const auto weighted = [&](const Image& of) {
        if (border != Border::reflect) return sum_of(of);
        double sum = 0;
        for (Index y = 0; y < 17; ++y) {
          for (Index x = 0; x < 29; ++x) {
            sum += value_at(of, 0, y, x) * (x % 28 == 0 ? 0.5 : 1) * (y % 16 == 0 ? 0.5 : 1);
          }
        }
        return sum;
      };
      // 48 explicit steps round each number by 3e-8 of itself, where a smooth image may prefer a sign. 3 implicit steps
      // of two axes round less often.
      EXPECT_NEAR(weighted(result) / weighted(image), 1, 1.5e-6) << static_cast<int>(border);
    }
  }
}

TEST(Heat, LeavesAnEvenImageAsItIs) {
  const Context ctx = test::device_context();
  // Nothing flows between equal numbers, whatever the steps. 97: lines in parts on a GPU.
  for (const Index width : {Index{13}, Index{97}}) {
    const ImageFormat format{PixelType::float32, Channels::gray, 1, 3, 5, width};
    const Image image = test::make_image(format, [](Index, Index, Index, Index) { return 0.7; });
    for (const HeatMethod method : {HeatMethod::steps, HeatMethod::implicit}) {
      for (const Border border : {Border::reflect, Border::replicate, Border::wrap}) {
        HeatOptions options;
        options.border = border;
        options.method = method;
        options.volumes = true;
        options.time = 20;
        EXPECT_EQ(test::largest_difference(run(ctx, options, image), image), 0)
            << "border " << static_cast<int>(border) << ", width " << width;
      }
    }
  }
}

TEST(Heat, KeepsTheMeanOfABrightImage) {
  const Context ctx = test::device_context();
  constexpr int steps = 50;
  for (const Index width : {Index{37}, Index{131}}) {
    const ImageFormat format{PixelType::float32, Channels::gray, 1, 1, 29, width};
    std::uint64_t at = 0;
    const Image image =
        test::make_image(format, [&](Index, Index, Index, Index) { return 1 + 0.5 * random_uniform(9, at++); });
    for (const Border border : {Border::replicate, Border::wrap}) {
      HeatOptions options;
      options.border = border;
      options.method = HeatMethod::implicit;
      options.step = 2;
      options.time = 2 * steps;
      // Along each of two axes a step rounds each number once, by at most half of 1.2e-7 with no preferred sign:
      // sqrt(1/12) of that interval in the mean of squares. Numbers that have become nearly equal may round alike, so
      // the mean walks as one of them does; four standard deviations of 100 of its steps.
      constexpr double interval = std::numeric_limits<float>::epsilon();
      const double walk = interval * std::sqrt(2 * steps / 12.0);
      const auto pixels = static_cast<double>(29 * width);
      EXPECT_NEAR(sum_of(run(ctx, options, image)) / pixels, sum_of(image) / pixels, 4 * walk)
          << "border " << static_cast<int>(border) << ", width " << width;
    }
  }
}

TEST(Heat, WidensAGaussianByTwiceTheTime) {
  const Context ctx = test::device_context();
  const ImageFormat format{PixelType::float32, Channels::gray, 1, 1, 61, 75};
  const Image image = test::make_image(format, [](Index, Index y, Index x, Index) {
    const auto dx = static_cast<double>(x - 37);
    const auto dy = static_cast<double>(y - 30);
    return std::exp(-(dx * dx + dy * dy) / (2 * 9));
  });
  for (const HeatMethod method : {HeatMethod::steps, HeatMethod::implicit}) {
    HeatOptions options;
    options.diffusivity = 0.5;
    options.time = 16;
    options.method = method;
    const Image result = run(ctx, options, image);
    double variance = 0;
    for (Index y = 0; y < 61; ++y) {
      for (Index x = 0; x < 75; ++x) variance += value_at(result, 0, y, x) * static_cast<double>((x - 37) * (x - 37));
    }
    // The second difference of x^2 is 2: each step adds 2 D dt exactly. What reaches the edge, 30 pixels or 6 sigma
    // away, is 1e-8 of the mass; numbers are rounded to 6e-8 of theirs.
    EXPECT_NEAR(variance / sum_of(result), 9 + 16, 2e-3);
  }
}

std::string error_of(const HeatOptions& options) {
  try {
    make_heat(options);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "none";
}

TEST(Heat, RefusesStepsThatAreNotStable) {
  HeatOptions options;
  options.step = 0.25;
  EXPECT_EQ(error_of(options), "none");
  options.volumes = true;
  EXPECT_EQ(
      error_of(options),
      "heat: an explicit step of 0.25 is not stable, expected at most 1/(6 D) = 0.16666666666666666; take a shorter "
      "one or method=implicit");
  options.method = HeatMethod::implicit;
  EXPECT_EQ(error_of(options), "none");
  options.time = 1e7;
  EXPECT_NE(error_of(options).find("40000000 steps"), std::string::npos) << error_of(options);
  options.time = -1;
  EXPECT_EQ(error_of(options), "heat: time is -1, expected a number, 0 to 1000000000 pixels^2");
  options.time = 1;
  options.diffusivity = 0;
  EXPECT_EQ(error_of(options), "heat: diffusivity is 0, expected a number, above 0, up to 1000000000");
}

}  // namespace
}  // namespace whorl
