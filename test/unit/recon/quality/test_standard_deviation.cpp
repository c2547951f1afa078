#include "support/shared.hpp"
#include "whorl/recon/standard_deviation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/recon/dense_encoding.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/g_factor.hpp"

namespace whorl {
namespace {

using test::DenseMatrix;
using test::DenseOperator;

constexpr Index rows = 7;
constexpr Index columns = 9;

class NoiseOfAnImage : public testing::Test {
 protected:
  StandardDeviation<double> estimate(const RegularizedModel<double>& model, double lambda,
                                     const StandardDeviationOptions& options) const {
    return standard_deviation<double>(ctx, "test", model, lambda, options);
  }

  const Context ctx{{.threads = 2}};
  const DenseOperator A{
      test::dense_encoding(test::random_positions(150), rows, columns, test::random_maps(3, rows* columns)),
      {rows, columns}};
  const DenseOperator W{test::dense_differences(rows, columns), {rows, columns}};
  const double s = test::largest_normal_eigenvalue(A.matrix());
};

// The mean of R exponential variables has the relative standard deviation 1/sqrt(R), nearly normal for R = 2000; its
// root half of that, 1.1 %. The largest of 63 deviations stays below 5 of them but for a probability of 63 * 6e-7;
// their root mean square is known to 1/sqrt(2 * 63) = 9 %, less where voxels are not independent: within 30 %. The
// solver's error is below 1e-6 of that.
TEST_F(NoiseOfAnImage, ReplicasEstimateTheDiagonalOfTheCovariance) {
  constexpr int replicas = 2000;
  for (const LinearOperator<double>* penalty :
       {static_cast<const LinearOperator<double>*>(nullptr), static_cast<const LinearOperator<double>*>(&W)}) {
    const double lambda = 0.05;
    const auto found = estimate({test::shared<double>(A), s, test::penalty_of<double>(penalty)}, lambda,
                                {.count = replicas, .batch = 7, .tolerance = 1e-9});
    const DenseMatrix C = test::dense_covariance(A.matrix(), s, lambda, penalty == nullptr ? nullptr : &W.matrix());
    const double expected_error = 0.5 / std::sqrt(double(replicas));
    EXPECT_DOUBLE_EQ(found.relative_error, expected_error);
    ASSERT_EQ(found.values.shape(), (Shape{rows, columns}));
    double squares = 0;
    for (Index i = 0; i < C.rows(); ++i) {
      const double deviation = found.values.data()[i] / std::sqrt(C(i, i).real()) - 1;
      EXPECT_LT(std::abs(deviation), 5 * expected_error) << i;
      squares += deviation * deviation;
    }
    EXPECT_NEAR(std::sqrt(squares / double(C.rows())) / expected_error, 1, 0.3);
    EXPECT_LE(found.residual, 1e-9);
    EXPECT_EQ(found.clipped, 0);
  }
}

// An estimate is off by the mean of P values Re(conj(z_i) C_ij z_j) summed over j, whose variance is half the sum of
// |C_ij|^2. Sums of some sixty terms are nearly normal: 5 deviations as above.
TEST_F(NoiseOfAnImage, ProbesEstimateItWithTheErrorThatTheySay) {
  constexpr int probes = 500;
  for (const LinearOperator<double>* penalty :
       {static_cast<const LinearOperator<double>*>(nullptr), static_cast<const LinearOperator<double>*>(&W)}) {
    const double lambda = 0.05;
    const auto found = estimate({test::shared<double>(A), s, test::penalty_of<double>(penalty)}, lambda,
                                {.method = StandardDeviationMethod::probe, .count = probes, .tolerance = 1e-9});
    const DenseMatrix C = test::dense_covariance(A.matrix(), s, lambda, penalty == nullptr ? nullptr : &W.matrix());
    std::vector<double> errors;
    for (Index i = 0; i < C.rows(); ++i) {
      const double variance = C(i, i).real();
      const double off_diagonal = C.row(i).squaredNorm() - variance * variance;
      const double error = std::sqrt(off_diagonal / (2 * probes));
      EXPECT_LT(std::abs(std::pow(found.values.data()[i], 2) - variance), 5 * error) << i;
      errors.push_back(0.5 * error / variance);
    }
    std::sort(errors.begin(), errors.end());
    // The sum of |C_ij|^2 is a mean over 500 probes of sums of squares: known to some sqrt(1 / 500) = 4 %.
    EXPECT_NEAR(found.relative_error / errors[errors.size() / 2], 1, 0.15);
    EXPECT_EQ(found.clipped, 0);
  }
}

// Nothing but the order of sums depends on it, and the solver's error.
TEST_F(NoiseOfAnImage, ReplicasDoNotDependOnTheBatch) {
  StandardDeviationOptions options{.count = 5, .batch = 5, .seed = 9, .tolerance = 1e-11};
  const auto together = estimate({test::shared<double>(A), s}, 0.1, options);
  options.batch = 2;
  const auto apart = estimate({test::shared<double>(A), s}, 0.1, options);
  options.seed = 10;
  const auto other = estimate({test::shared<double>(A), s}, 0.1, options);
  for (Index i = 0; i < together.values.size(); ++i) {
    EXPECT_NEAR(apart.values.data()[i], together.values.data()[i], 1e-9 * together.values.data()[i]);
    EXPECT_GT(std::abs(other.values.data()[i] - together.values.data()[i]), 1e-6 * together.values.data()[i]);
  }
}

// With a single probe the estimate of a voxel that shares its noise is anything: with this many voxels some are
// negative. They are counted, and no number is.
TEST_F(NoiseOfAnImage, NegativeEstimatesAreCountedAndSetToZero) {
  const auto found = estimate({test::shared<double>(A), s, {{test::shared<double>(W)}}}, 20.0,
                              {.method = StandardDeviationMethod::probe, .count = 1});
  const DenseMatrix C = test::dense_covariance(A.matrix(), s, 20.0, &W.matrix());
  ASSERT_GT(C.row(30).squaredNorm(), 4 * std::norm(C(30, 30)));  // they do share it
  Index zeros = 0;
  for (const double value : found.values.span()) {
    EXPECT_GE(value, 0);
    zeros += value == 0 ? 1 : 0;
  }
  EXPECT_GT(found.clipped, 0);
  EXPECT_EQ(zeros, found.clipped);
}

TEST_F(NoiseOfAnImage, BadOptionsAreRefused) {
  EXPECT_THROW(estimate({test::shared<double>(A), s}, 0.1, {.count = 1}), ValueError);
  EXPECT_THROW(estimate({test::shared<double>(A), s}, 0.1, {.method = StandardDeviationMethod::probe, .count = 0}),
               ValueError);
  EXPECT_THROW(estimate({test::shared<double>(A), s}, 0.1, {.batch = 0}), ValueError);
  EXPECT_THROW(estimate({test::shared<double>(A), s}, 0.1, {.tolerance = -1}), ValueError);
  EXPECT_THROW(estimate({test::shared<double>(A), s}, -0.1, {}), ValueError);
}

TEST_F(NoiseOfAnImage, StopsOnRequest) {
  const Context stopping;
  stopping.request_cancel();
  EXPECT_THROW(standard_deviation<double>(stopping, "test", {test::shared<double>(A), s}, 0.1), Cancelled);
}

// Every `step`-th line of a Cartesian scan.
std::vector<std::array<double, 2>> cartesian(Index rows, Index columns, Index step) {
  std::vector<std::array<double, 2>> points;
  for (Index y = 0; y < rows; y += step) {
    for (Index x = 0; x < columns; ++x) {
      points.push_back({double(x - columns / 2) / double(columns), double(y - rows / 2) / double(rows)});
    }
  }
  return points;
}

Array<std::complex<double>> as_array(const Context& ctx, const DenseMatrix& maps, const Shape& shape) {
  Array<std::complex<double>> array(ctx, shape);
  for (Index c = 0; c < maps.rows(); ++c) {
    for (Index i = 0; i < maps.cols(); ++i) array.data()[c * maps.cols() + i] = maps(c, i);
  }
  return array;
}

class GFactor : public testing::Test {
 protected:
  // g of the model without a penalty (lambda 0), by probes: C couples few voxels or none.
  Array<double> g_of(const std::vector<std::array<double, 2>>& points, Index rows, Index columns,
                     const DenseMatrix& maps, int probes) const {
    const DenseOperator A(test::dense_encoding(points, rows, columns, maps), {rows, columns});
    const auto sigma =
        standard_deviation<double>(ctx, "test", {test::shared<double>(A), test::largest_normal_eigenvalue(A.matrix())},
                                   0, {.method = StandardDeviationMethod::probe, .count = probes, .tolerance = 1e-12});
    return g_factor<double>(ctx, sigma.values, as_array(ctx, maps, {maps.rows(), rows, columns}),
                            static_cast<Index>(points.size()));
  }

  const Context ctx;
};

// A^H A = diag(sum |s|^2), so one probe is exact; the solver stops at 1e-12 of a system with a condition of some 100.
TEST_F(GFactor, IsOneForAFullCartesianScanHoweverOften) {
  const DenseMatrix maps = test::random_maps(3, 8 * 5);
  auto points = cartesian(8, 5, 1);
  const auto once = g_of(points, 8, 5, maps, 1);
  points.insert(points.end(), points.begin(), points.end());
  const auto twice = g_of(points, 8, 5, maps, 1);
  for (Index i = 0; i < once.size(); ++i) {
    EXPECT_NEAR(once.data()[i], 1, 1e-9);
    EXPECT_NEAR(twice.data()[i], 1, 1e-9);
  }
}

// Every second of 8 lines folds voxel y onto y + 4: g = sqrt([(S^H S)^-1]_rr [S^H S]_rr) with S the sensitivities of
// the two (Pruessmann 1999, equation 21). |C_12|^2 < C_11 C_22: the relative error of sigma with 4000 probes is 0.5
// sqrt(C_22 / C_11 / 8000), so 5 of these; the ratio of the two variances is that of the two g / |s|, squared.
TEST_F(GFactor, IsPruessmannsWhereLinesAreLeftOut) {
  const DenseMatrix maps = test::random_maps(4, 8 * 5);
  const auto g = g_of(cartesian(8, 5, 2), 8, 5, maps, 4000);
  for (Index y = 0; y < 8; ++y) {
    for (Index x = 0; x < 5; ++x) {
      DenseMatrix S(4, 2);
      S.col(0) = maps.col(y * 5 + x);
      S.col(1) = maps.col((y + 4) % 8 * 5 + x);
      const DenseMatrix gram = S.adjoint() * S;
      const DenseMatrix inverse = test::inverse(gram);
      const double expected = std::sqrt(inverse(0, 0).real() * gram(0, 0).real());
      const double error = 0.5 * std::sqrt(inverse(1, 1).real() / inverse(0, 0).real() / 8000);
      EXPECT_NEAR(g.data()[y * 5 + x] / expected, 1, 5 * error) << y << " " << x;
    }
  }
}

TEST_F(GFactor, ShapesAreChecked) {
  const auto maps = as_array(ctx, test::random_maps(3, 8 * 5), {3, 8, 5});
  EXPECT_THROW(g_factor<double>(ctx, zeros<double>(ctx, {5, 8}), maps, 40), ShapeError);
  EXPECT_THROW(g_factor<double>(ctx, zeros<double>(ctx, {8, 5}), maps, 0), ValueError);
}

}  // namespace
}  // namespace whorl
