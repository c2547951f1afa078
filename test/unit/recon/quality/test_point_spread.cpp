#include "whorl/recon/point_spread.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "recon/quality/main_lobe.hpp"
#include "support/compare.hpp"
#include "support/shared.hpp"
#include "unit/recon/dense_encoding.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/expected_image.hpp"

namespace whorl {
namespace {

using test::DenseMatrix;
using test::DenseOperator;
using test::DenseVector;
using ComplexDouble = std::complex<double>;

// |t| where |sin(pi n t / N) / (n sin(pi t / N))| = 1/2, by bisection, times two: the width of n adjacent frequencies
// of N samples.
double dirichlet_width(double n, double N) {
  double inside = 0;
  double outside = N / n;
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (inside + outside);
    const double angle = std::numbers::pi * t / N;
    (std::abs(std::sin(n * angle) / (n * std::sin(angle))) > 0.5 ? inside : outside) = t;
  }
  return 2 * inside;
}

// Frequencies -above .. above along x and y of an image.
std::vector<std::array<double, 2>> central(Index rows, Index columns, Index above) {
  std::vector<std::array<double, 2>> points;
  for (Index y = -above; y <= above; ++y) {
    for (Index x = -above; x <= above; ++x) points.push_back({double(x) / double(columns), double(y) / double(rows)});
  }
  return points;
}

class PointSpreadOf : public testing::Test {
 protected:
  static constexpr double lambda = 0.02;
  const Context ctx;
  const LeastSquaresOptions options{.iterations = 200, .tolerance = 1e-12, .lambda = lambda};
};

// A^H A projects onto the frequencies that are sampled, so the response is their sum, over 1 + lambda: a product of
// Dirichlet kernels of 5 frequencies, on an odd and on an even extent. Widths are found to 1e-3.
TEST_F(PointSpreadOf, TheCenterOfKSpaceIsADirichletKernel) {
  constexpr Index rows = 12;
  constexpr Index columns = 15;
  const DenseOperator A(
      test::dense_encoding(central(rows, columns, 2), rows, columns, DenseMatrix::Ones(1, rows * columns)),
      {rows, columns});
  const auto found = point_spread<double>(ctx, "test", {test::shared<double>(A), 1}, options, {3, 13});
  EXPECT_NEAR(std::abs(found.peak - 25.0 / (rows * columns) / (1 + lambda)), 0, 1e-10);
  EXPECT_NEAR(std::abs(found.sum - 1 / (1 + lambda)), 0, 1e-10);
  ASSERT_EQ(found.widths.size(), 2U);
  EXPECT_NEAR(found.widths[0], dirichlet_width(5, rows), 2e-3);
  EXPECT_NEAR(found.widths[1], dirichlet_width(5, columns), 2e-3);
  const double apart = std::numbers::pi * 2 / columns;
  EXPECT_NEAR(std::abs(found.response.view<2>()(3, 11) / found.peak), std::sin(5 * apart) / (5 * std::sin(apart)),
              1e-9);
}

TEST_F(PointSpreadOf, AnExactImageHasTheWidthOfItsVoxels) {
  const DenseOperator A(DenseMatrix::Identity(9 * 31, 9 * 31), {9, 31});
  const auto found = point_spread<double>(ctx, "test", {test::shared<double>(A), 1}, {.lambda = 0}, {0, 30});
  EXPECT_EQ(found.peak, ComplexDouble(1));
  EXPECT_EQ(found.sum, ComplexDouble(1));
  EXPECT_NEAR(found.widths[0], dirichlet_width(9, 9), 2e-3);
  EXPECT_NEAR(found.widths[1], dirichlet_width(31, 31), 2e-3);
  EXPECT_NEAR(found.widths[1], 1.207, 0.01);  // what the header says of long axes
  EXPECT_THROW(point_spread<double>(ctx, "test", {test::shared<double>(A), 1}, {}, {9, 0}), ShapeError);
  EXPECT_THROW(point_spread<double>(ctx, "test", {test::shared<double>(A), 1}, {}, {0, -1}), ShapeError);
  EXPECT_THROW(point_spread<double>(ctx, "test", {test::shared<double>(A), 1}, {}, {4}), ShapeError);
}

TEST(MainLobe, FollowsAMaximumBetweenSamples) {
  // The Dirichlet kernel of 7 frequencies in 24 samples, moved by 0.4 samples.
  std::vector<ComplexDouble> line(24);
  for (int i = 0; i < 24; ++i) {
    for (int f = -3; f <= 3; ++f) line[size_t(i)] += std::polar(1.0, 2 * std::numbers::pi * f * (i - 10.4) / 24);
  }
  // The top is found to 1/128 sample, where it is 2e-4 lower: half of it is reached 1e-3 sample further out.
  EXPECT_NEAR(recon::main_lobe_width(line, 10), dirichlet_width(7, 24), 2e-3);
  EXPECT_EQ(recon::main_lobe_width(std::vector<ComplexDouble>(6, 2.0), 1), 6);
}

// Against the dense H^-1 (A^H A / s); residuals of 1e-12 of systems with a condition of some 100.
TEST(ExpectedImage, IsWhatTheDenseModelSays) {
  constexpr Index rows = 7;
  constexpr Index columns = 9;
  const Context ctx;
  const DenseOperator A(
      test::dense_encoding(test::random_positions(150), rows, columns, test::random_maps(3, rows * columns)),
      {rows, columns});
  const DenseOperator W(test::dense_differences(rows, columns), {rows, columns});
  const double s = test::largest_normal_eigenvalue(A.matrix());
  const auto object = test::random_array<double>(ctx, {rows, columns}, 4);
  Array<ComplexDouble> image(ctx, {rows, columns});
  const auto report = expected_image<double>(ctx, "test", {test::shared<double>(A), s, {{test::shared<double>(W)}}},
                                             {.iterations = 500, .tolerance = 1e-12, .lambda = 0.3}, object, image);
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  const DenseVector expected =
      test::solve_hermitian(test::dense_normal(A.matrix(), s, 0.3, &W.matrix()),
                            A.normal_matrix() * Eigen::Map<const DenseVector>(object.data(), rows * columns) / s);
  EXPECT_LT((Eigen::Map<const DenseVector>(image.data(), rows * columns) - expected).norm() / expected.norm(), 1e-9);
}

}  // namespace
}  // namespace whorl
