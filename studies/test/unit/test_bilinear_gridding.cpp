#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "studies/quantitative_mri/bilinear_gridding.hpp"
#include "support/compare.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::studies::quantitative_mri {
namespace {

using Wide = std::complex<double>;
constexpr Index size = 6;

// Samples on the points of the grid meet one of them each: the adjoint of the exact transform comes out, in which the
// FFT of 216 points makes errors of eps log2(216) and the sums of the Dft 1e-14 (whorl/op/dft.hpp).
TEST(BilinearGridding, OnTheGridItIsTheTransform) {
  const Context ctx;
  Array<double> points(ctx, {size * size * size, 3});
  for (Index i = 0; i < points.extent(0); ++i) {
    points.view<2>()(i, 0) = static_cast<double>(i % size - size / 2) / size;
    points.view<2>()(i, 1) = static_cast<double>(i / size % size - size / 2) / size;
    points.view<2>()(i, 2) = static_cast<double>(i / size / size - size / 2) / size;
  }
  Array<Wide> data = test::random_array<double>(ctx, {points.extent(0)}, 3);
  Array<double> weights = test::random_weights<double>(ctx, data.shape(), 4);
  const Array<Wide> image = bilinear_gridding(ctx, points, weights, data, size);
  for (Index j = 0; j < data.size(); ++j) data.data()[j] *= weights.data()[j];
  const Dft<double> dft(ctx, points, {size, size, size}, 1);
  Array<Wide> expected(ctx, dft.domain());
  dft.adjoint(ctx, data.ref().reshape(dft.range()), expected);
  EXPECT_LT(test::relative_error(image, expected), 3e-14);
}

// A sample between the points gives each of eight its share, over the end of the grid too: with k at (2.25, -0.5, -3)
// of 6 along x, y, z the image is a sum of four waves, written down here.
TEST(BilinearGridding, BetweenPointsTheNeighborsShare) {
  const Context ctx;
  Array<double> points(ctx, {1, 3});
  const std::array<double, 3> place{2.25, -0.5, -3};
  for (Index axis = 0; axis < 3; ++axis) points.data()[axis] = place[static_cast<std::size_t>(axis)] / size;
  Array<double> weights(ctx, {1});
  weights.data()[0] = 2;
  Array<Wide> data(ctx, {1});
  data.data()[0] = {1, -3};
  const Array<Wide> image = bilinear_gridding(ctx, points, weights, data, size);
  Array<Wide> expected(ctx, image.shape());
  const auto wave = [](double k, Index r) {
    return std::polar(1.0, 2 * std::numbers::pi * k * static_cast<double>(r - size / 2) / size);
  };
  for (Index z = 0; z < size; ++z) {
    for (Index y = 0; y < size; ++y) {
      for (Index x = 0; x < size; ++x) {
        const Wide along_x = 0.75 * wave(2, x) + 0.25 * wave(3, x);
        const Wide along_y = 0.5 * wave(-1, y) + 0.5 * wave(0, y);
        expected.view<3>()(z, y, x) =
            2.0 * Wide(1, -3) * along_x * along_y * wave(-3, z) / std::sqrt(static_cast<double>(size * size * size));
      }
    }
  }
  // Eight terms and an FFT of 216 points: eps log2(216) and as much for the waves here.
  EXPECT_LT(test::relative_error(image, expected), 20 * std::numeric_limits<double>::epsilon());
}

}  // namespace
}  // namespace whorl::studies::quantitative_mri
