#include "whorl/measure/ssim.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/file_content.hpp"
#include "whorl/core/random.hpp"

namespace whorl {
namespace {

using test::error_of;

// Equations 7, 9 and 13 to 17 as they are printed: for every place of the window the weighted means, and then the
// variances as weighted means of squared deviations. Windows of 11 pixels along the last `dim` axes.
double direct_ssim(ArrayRef<const double> x, ArrayRef<const double> y, MeasuredSet set, int dim, double range) {
  const Index nz = dim == 3 ? x.extent(-3) : 1;
  const Index ny = x.extent(-2);
  const Index nx = x.extent(-1);
  const Index depth = dim == 3 ? 5 : 0;
  const auto at = [&](ArrayRef<const double> a, Index v, Index z, Index row, Index column) {
    return a.data()[((v * nz + z) * ny + row) * nx + column];
  };
  double sum = 0;
  Index count = 0;
  for (Index v = 0; v < x.size() / (nz * ny * nx); ++v) {
    for (Index z = depth; z < nz - depth; ++z) {
      for (Index row = 5; row < ny - 5; ++row) {
        for (Index column = 5; column < nx - 5; ++column) {
          const Index center = ((v * nz + z) * ny + row) * nx + column;
          if (set.size() > 0 && !set.data()[center % set.size()]) continue;
          double weights = 0;
          double mx = 0;
          double my = 0;
          const auto over_window = [&](const auto& use) {
            for (Index k = -depth; k <= depth; ++k) {
              for (Index j = -5; j <= 5; ++j) {
                for (Index i = -5; i <= 5; ++i) {
                  use(std::exp(-double(k * k + j * j + i * i) / (2 * 1.5 * 1.5)), at(x, v, z + k, row + j, column + i),
                      at(y, v, z + k, row + j, column + i));
                }
              }
            }
          };
          over_window([&](double w, double a, double b) {
            weights += w;
            mx += w * a;
            my += w * b;
          });
          mx /= weights;
          my /= weights;
          double sxx = 0;
          double syy = 0;
          double sxy = 0;
          over_window([&](double w, double a, double b) {
            sxx += w / weights * (a - mx) * (a - mx);
            syy += w / weights * (b - my) * (b - my);
            sxy += w / weights * (a - mx) * (b - my);
          });
          const double c1 = std::pow(0.01 * range, 2);
          const double c2 = std::pow(0.03 * range, 2);
          sum += (2 * mx * my + c1) * (2 * sxy + c2) / ((mx * mx + my * my + c1) * (sxx + syy + c2));
          ++count;
        }
      }
    }
  }
  return sum / static_cast<double>(count);
}

// A smooth pattern with noise, about 0.3 to 1.
Array<double> pattern(const Context& ctx, const Shape& shape, double noise, std::uint64_t seed) {
  Array<double> image(ctx, shape);
  for (Index i = 0; i < image.size(); ++i) {
    image.data()[i] = 0.65 + 0.3 * std::sin(0.37 * static_cast<double>(i)) * std::cos(0.011 * static_cast<double>(i)) +
                      noise * random_normal(seed, static_cast<std::uint64_t>(i));
  }
  return image;
}

// Moments are subtracted (<x^2> - <x>^2) where the direct sums are of deviations: both lose eps |x|^2 / C2, about
// 2e-16 / 9e-4 here, times a few hundred terms.
constexpr double rounding = 1e-10;

TEST(Ssim, AgreesWithItsDefinition) {
  const Context ctx({.threads = 3});
  const auto truth = pattern(ctx, {3, 14, 19}, 0, 1);
  const auto image = pattern(ctx, {3, 14, 19}, 0.1, 2);
  const double expected = direct_ssim(image, truth, all_pixels(), 2, 0.9);
  EXPECT_GT(expected, 0.3);
  EXPECT_LT(expected, 0.98);
  EXPECT_NEAR(ssim<double>(ctx, image, truth, all_pixels(), {.dim = 2, .range = 0.9}), expected, rounding);
  // The other way round the same number, but for the range that the truth sets.
  EXPECT_NEAR(ssim<double>(ctx, truth, image, all_pixels(), {.dim = 2, .range = 0.9}), expected, rounding);
}

TEST(Ssim, WindowsReachAlongZInThreeDimensions) {
  const Context ctx({.threads = 2});
  const auto truth = pattern(ctx, {2, 13, 12, 15}, 0, 1);
  const auto image = pattern(ctx, {2, 13, 12, 15}, 0.2, 2);
  const double expected = direct_ssim(image, truth, all_pixels(), 3, 1);
  EXPECT_NEAR(ssim<double>(ctx, image, truth, all_pixels(), {.dim = 3, .range = 1.0}), expected, rounding);
  EXPECT_GT(std::abs(expected - direct_ssim(image, truth, all_pixels(), 2, 1)), 1e-3);
}

TEST(Ssim, AMaskChoosesTheCentersOfWindows) {
  const Context ctx;
  const auto truth = pattern(ctx, {2, 16, 13}, 0, 1);
  const auto image = pattern(ctx, {2, 16, 13}, 0.1, 2);
  auto mask = zeros<bool>(ctx, {16, 13});
  mask.view<2>()(0, 0) = true;  // no center of a window
  mask.view<2>()(6, 5) = mask.view<2>()(9, 7) = true;
  EXPECT_NEAR(ssim<double>(ctx, image, truth, mask.ref(), {.range = 0.8}), direct_ssim(image, truth, mask, 2, 0.8),
              rounding);
  mask.view<2>()(6, 5) = mask.view<2>()(9, 7) = false;
  EXPECT_NE(error_of<ValueError>([&] { ssim<double>(ctx, image, truth, mask.ref()); }).find("edge"), std::string::npos);
}

TEST(Ssim, TheRangeIsTheTruthsPeak) {
  const Context ctx;
  const auto truth = pattern(ctx, {12, 14}, 0, 1);
  const auto image = pattern(ctx, {12, 14}, 0.1, 2);
  double peak = 0;
  for (const double value : truth.span()) peak = std::max(peak, value);
  EXPECT_EQ(ssim<double>(ctx, image, truth), ssim<double>(ctx, image, truth, all_pixels(), {.range = peak}));
}

TEST(Ssim, ComplexImagesByTheirMagnitudes) {
  const Context ctx;
  const auto truth = pattern(ctx, {12, 14}, 0, 1);
  const auto image = pattern(ctx, {12, 14}, 0.1, 2);
  Array<std::complex<double>> turned(ctx, {12, 14});
  Array<std::complex<double>> plain(ctx, {12, 14});
  for (Index i = 0; i < truth.size(); ++i) {
    turned.data()[i] = std::polar(image.data()[i], 0.1 * static_cast<double>(i));
    plain.data()[i] = truth.data()[i];
  }
  // The pattern's noise leaves every pixel positive; polar and abs round.
  EXPECT_NEAR(ssim<std::complex<double>>(ctx, turned, plain), ssim<double>(ctx, image, truth), rounding);
}

TEST(Ssim, EqualImagesAreSimilarAndNegativesAreNot) {
  const Context ctx;
  Array<float> truth(ctx, {11, 11});
  Array<float> negative(ctx, {11, 11});
  for (Index i = 0; i < truth.size(); ++i) {
    truth.data()[i] = static_cast<float>(i % 3 - 1);
    negative.data()[i] = -truth.data()[i];
  }
  EXPECT_DOUBLE_EQ(ssim<float>(ctx, truth, truth), 1);
  EXPECT_LT(ssim<float>(ctx, negative, truth), -0.9);
  // Complex numbers of these magnitudes give the same.
  Array<std::complex<float>> complex_truth(ctx, {11, 11});
  Array<std::complex<float>> complex_negative(ctx, {11, 11});
  for (Index i = 0; i < truth.size(); ++i) {
    complex_truth.data()[i] = truth.data()[i];
    complex_negative.data()[i] = negative.data()[i];
  }
  EXPECT_DOUBLE_EQ(ssim<std::complex<float>>(ctx, complex_negative, complex_truth), 1);
}

TEST(Ssim, BadInputIsRefused) {
  const Context ctx;
  const auto small = zeros<float>(ctx, {3, 10, 20});
  EXPECT_NE(error_of<ShapeError>([&] { ssim<float>(ctx, small, small); }).find("11"), std::string::npos);
  EXPECT_THROW(ssim<float>(ctx, zeros<float>(ctx, {20}), zeros<float>(ctx, {20})), ShapeError);
  auto truth = zeros<float>(ctx, {3, 12, 20});
  EXPECT_THROW(ssim<float>(ctx, truth, truth), ValueError);  // no range
  truth.span()[0] = 1;
  EXPECT_NE(error_of<ShapeError>([&] { ssim<float>(ctx, truth, truth, all_pixels(), {.dim = 3}); }).find("slices"),
            std::string::npos);
  EXPECT_THROW(ssim<float>(ctx, truth, truth, all_pixels(), {.dim = 1}), ValueError);
  EXPECT_THROW(ssim<float>(ctx, truth, truth, all_pixels(), {.range = -1.0}), ValueError);
  EXPECT_THROW(ssim<float>(ctx, small, truth), ShapeError);
  truth.span()[5] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(ssim<float>(ctx, truth, truth), ValueError);
}

}  // namespace
}  // namespace whorl
