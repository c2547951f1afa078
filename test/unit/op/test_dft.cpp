#include <gtest/gtest.h>

#include <numbers>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "support/simd_targets.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

// The sum as the design writes it: one exponential of the whole phase per pixel and sample; image [z, y, x].
template <class Use>
void for_each_term(ArrayRef<const double> points, const Shape& image, const Use& use) {
  const auto k = points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j)
    for (Index iz = 0; iz < image[0]; ++iz)
      for (Index iy = 0; iy < image[1]; ++iy)
        for (Index ix = 0; ix < image[2]; ++ix) {
          const double turns = k(j, 0) * double(ix - image[2] / 2) + k(j, 1) * double(iy - image[1] / 2) +
                               k(j, 2) * double(iz - image[0] / 2);
          use(j, (iz * image[1] + iy) * image[2] + ix,
              std::polar(1 / std::sqrt(double(image.size())), -2 * std::numbers::pi * (turns - std::nearbyint(turns))));
        }
}

TEST(Dft, IsTheSumOfTheDesignOnEveryTarget) {
  const Context ctx({.threads = 2});
  // Even, odd and single extents; more samples than a block; lines longer than a panel is high, and more than a group
  // has.
  for (const Shape& image :
       {Shape{5, 4, 7}, Shape{1, 1, 1}, Shape{2, 3, 1}, Shape{3, 1, 2}, Shape{1, 2, 401}, Shape{5, 27, 4}}) {
    SCOPED_TRACE(to_string(image));
    const Index samples = image.size() > 500 ? 107 : 203;
    const auto points = test::random_points(ctx, samples, 3);
    const auto x = test::random_array<double>(ctx, image.with_front(2), 1);
    const auto y = test::random_array<double>(ctx, {2, samples}, 2);
    auto forward = zeros<std::complex<double>>(ctx, {2, samples});
    auto adjoint = zeros<std::complex<double>>(ctx, image.with_front(2));
    for_each_term(points, image, [&](Index j, Index pixel, std::complex<double> e) {
      for (Index c = 0; c < 2; ++c) {
        forward.data()[c * samples + j] += e * x.data()[c * image.size() + pixel];
        adjoint.data()[c * image.size() + pixel] += std::conj(e) * y.data()[c * samples + j];
      }
    });
    test::for_each_simd_target([&] {
      const Dft<double> dft(ctx, points, image, 2);
      Array<std::complex<double>> result(ctx, {2, samples});
      Array<std::complex<double>> back(ctx, image.with_front(2));
      dft.forward(ctx, x, result);
      dft.adjoint(ctx, y, back);
      // The phases here, of up to 8 turns (100 in the long lines), are rounded at eps: 8 * 2 pi * 1e-16, and summed
      // with random signs; the operator's own are not.
      const double bound = image[2] > 100 ? 5e-14 : 5e-15;
      EXPECT_LT(test::relative_error(result, forward), bound);
      EXPECT_LT(test::relative_error(back, adjoint), bound);
    });
  }
}

TEST(Dft, SingleDiffersFromDoubleByTheRoundingOfTheData) {
  const Context ctx;
  const auto points = test::random_points(ctx, 211, 2);
  const auto narrow = test::random_array<float>(ctx, {2, 18, 13}, 1);
  Array<std::complex<double>> wide(ctx, narrow.shape());
  for (std::size_t i = 0; i < narrow.span().size(); ++i) wide.span()[i] = std::complex<double>(narrow.span()[i]);
  Array<std::complex<float>> y(ctx, {2, 211});
  Array<std::complex<double>> expected(ctx, {2, 211});
  Dft<float>(ctx, points, {18, 13}, 2).forward(ctx, narrow, y);
  Dft<double>(ctx, points, {18, 13}, 2).forward(ctx, wide, expected);
  EXPECT_LT(test::relative_error(y, expected), 6e-8);  // one rounding of the result
}

// src/backend/cpu/exact/single_dft.hpp has the bound, relative to the sum of the terms' magnitudes: 140 u. Data without signs that
// are summed in the middle of k-space have that sum as their image: their roundings are random too.
TEST(Dft, SumsInSinglePrecisionWhereThatIsAskedFor) {
  const Context ctx({.threads = 2});
  constexpr double u = 0x1p-24;
  for (const Shape& image : {Shape{7, 5, 9}, Shape{1, 3, 70}, Shape{2, 21, 33}, Shape{1, 1, 1}}) {
    SCOPED_TRACE(to_string(image));
    for (const bool coherent : {false, true}) {
      const Index samples = 700;  // more than four chunks
      auto points = test::random_points(ctx, samples, 3);
      auto y = test::random_array<float>(ctx, {2, samples}, 5);
      if (coherent) {
        for (double& k : points.span()) k *= 1e-3;
        for (auto& value : y.span()) value = std::abs(value);
      }
      Array<std::complex<double>> wide(ctx, y.shape());
      for (Index i = 0; i < y.size(); ++i) wide.data()[i] = std::complex<double>(y.data()[i]);
      Array<std::complex<double>> expected(ctx, image.with_front(2));
      Dft<double>(ctx, points, image, 2).adjoint(ctx, wide, expected);
      test::for_each_simd_target([&] {
        Array<std::complex<float>> exact(ctx, expected.shape());
        Array<std::complex<float>> found(ctx, expected.shape());
        Dft<float>(ctx, points, image, 2, {.tolerance = 9e-6}).adjoint(ctx, y, exact);
        EXPECT_LT(test::relative_error(exact, expected), u);
        Dft<float>(ctx, points, image, 2, {.tolerance = 1e-5}).adjoint(ctx, y, found);
        if (image.size() > 1) {  // one number may well be rounded to the same
          EXPECT_NE(test::relative_error(found, exact), 0);
        }
        EXPECT_LT(test::relative_error(found, expected), 5e-7);
        for (Index c = 0; c < 2; ++c) {
          double terms = 0;
          for (Index j = 0; j < samples; ++j) terms += std::abs(wide.data()[c * samples + j]);
          terms /= std::sqrt(static_cast<double>(image.size()));
          for (Index r = 0; r < image.size(); ++r) {
            const Index i = c * image.size() + r;
            EXPECT_LT(std::abs(std::complex<double>(found.data()[i]) - expected.data()[i]), 140 * u * terms) << r;
          }
        }
      });
    }
  }
}

TEST(Dft, RefusesWhatDoesNotFit) {
  const Context ctx;
  auto points = test::random_points(ctx, 11, 2);
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4, 4}, 1), ShapeError);
  EXPECT_THROW(Dft<float>(ctx, points, {4, 0}, 1), ShapeError);
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4}, 0), ShapeError);
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4}, 1, {.tolerance = -1e-3}), ValueError);
  points.data()[5] = 0.51;
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4}, 1), ValueError);
  points.data()[5] = std::nan("");
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4}, 1), ValueError);
  EXPECT_THROW(Dft<float>(ctx, Array<double>(ctx, {11, 4}), {4, 4}, 1), ShapeError);
}

}  // namespace
}  // namespace whorl
