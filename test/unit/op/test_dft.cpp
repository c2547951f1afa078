#include <gtest/gtest.h>

#include <numbers>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

// The sum as the design writes it: one exponential of the whole phase per pixel and sample.
Array<std::complex<double>> direct(const Context& ctx, ArrayRef<const double> points,
                                   const Array<std::complex<double>>& image) {
  const auto k = points.view<2>();
  const auto x = image.view<3>();
  auto y = zeros<std::complex<double>>(ctx, {1, k.extent(0)});
  for (Index j = 0; j < k.extent(0); ++j)
    for (Index iz = 0; iz < x.extent(0); ++iz)
      for (Index iy = 0; iy < x.extent(1); ++iy)
        for (Index ix = 0; ix < x.extent(2); ++ix) {
          const double turns = k(j, 0) * double(ix - x.extent(2) / 2) + k(j, 1) * double(iy - x.extent(1) / 2) +
                               k(j, 2) * double(iz - x.extent(0) / 2);
          y.data()[j] += x(iz, iy, ix) * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
  for (auto& value : y.span()) value /= std::sqrt(double(x.size()));
  return y;
}

TEST(Dft, IsTheSumOfTheDesign) {
  const Context ctx;
  const auto points = test::random_points(ctx, 40, 3);
  const auto image = test::random_array<double>(ctx, {5, 4, 7}, 1);
  const auto expected = direct(ctx, points, image);
  const Dft<double> dft(ctx, points, {5, 4, 7}, 1);
  Array<std::complex<double>> result(ctx, {1, 40});
  dft.forward(ctx, image.ref().reshape({1, 5, 4, 7}), result);
  // Phases of up to 4 turns, rounded at eps: 4 * 2 pi * 1e-16, summed with random signs.
  EXPECT_LT(test::relative_error(result, expected), 1e-14);
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

TEST(Dft, RefusesWhatDoesNotFit) {
  const Context ctx;
  auto points = test::random_points(ctx, 11, 2);
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4, 4}, 1), ShapeError);
  EXPECT_THROW(Dft<float>(ctx, points, {4, 0}, 1), ShapeError);
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4}, 0), ShapeError);
  points.data()[5] = 0.51;
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4}, 1), ValueError);
  points.data()[5] = std::nan("");
  EXPECT_THROW(Dft<float>(ctx, points, {4, 4}, 1), ValueError);
  EXPECT_THROW(Dft<float>(ctx, Array<double>(ctx, {11, 4}), {4, 4}, 1), ShapeError);
}

}  // namespace
}  // namespace whorl
