#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "unit/recon/dense_encoding.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/recon/outlook.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

Scan scan_along(const Context& ctx, const std::array<Index, 3>& matrix,
                const std::vector<std::array<double, 2>>& points, Index readout) {
  Scan scan;
  scan.matrix = matrix;
  scan.dwell_us = 5;
  Trajectory trajectory;
  trajectory.points = Array<double>(ctx, {static_cast<Index>(points.size()), 2});
  trajectory.readout_length = readout;
  for (std::size_t j = 0; j < points.size(); ++j) {
    std::copy(points[j].begin(), points[j].end(), trajectory.points.data() + 2 * j);
  }
  ScanFrame& frame = scan.frames.emplace_back();
  frame.trajectory = std::make_shared<const Trajectory>(std::move(trajectory));
  frame.geometry.field_of_view_mm = {2.0 * static_cast<double>(matrix[0]), 3.0 * static_cast<double>(matrix[1]), 5};
  return scan;
}

// 15 x 11 samples on the grid, with the weights that are right for it.
Scan full_grid(const Context& ctx) {
  std::vector<std::array<double, 2>> points;
  for (int y = -5; y <= 5; ++y) {
    for (int x = -7; x <= 7; ++x) points.push_back({x / 15.0, y / 11.0});
  }
  Scan scan = scan_along(ctx, {15, 11, 1}, points, 15);
  Array<float> weights(ctx, {165});
  std::fill(weights.span().begin(), weights.span().end(), 1.0F);
  scan.frames[0].weights = std::make_shared<const Array<float>>(std::move(weights));
  return scan;
}

// Full width at half maximum of sin(pi x) / (n sin(pi x / n)), in voxels.
double dirichlet_width(double n) {
  const auto value = [n](double x) {
    return std::sin(std::numbers::pi * x) / (n * std::sin(std::numbers::pi * x / n));
  };
  double inside = 0.1;
  double outside = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (inside + outside) / 2;
    (value(middle) > 0.5 ? inside : outside) = middle;
  }
  return 2 * inside;
}

double median_of(const Array<float>& values, const std::vector<Index>& voxels) {
  std::vector<float> inside;
  for (const Index voxel : voxels) inside.push_back(values.data()[voxel]);
  std::nth_element(inside.begin(), inside.begin() + std::ssize(inside) / 2, inside.end());
  return inside[inside.size() / 2];
}

// The transform is unitary: a voxel has the noise of a sample, g is 1, and a point is the Dirichlet kernel. 200 replicas
// know each standard deviation to 0.5 / sqrt(200) = 3.5 %, the median of 100 voxels to 1.25 * 3.5 % / 10 = 0.4 %: 2 % are
// five of these. Gridding's are exact, to the tolerance of its transform, 1e-3.
TEST(Outlook, AFullGridLosesNothing) {
  const Context ctx;
  const ScanOutlook outlook =
      scan_outlook(ctx, full_grid(ctx), {.noise = 0.05, .signal = 2, .coils = 0, .lambda = 1e-8, .replicas = 200});
  EXPECT_NEAR(median_of(outlook.least_squares.standard_deviation, outlook.object), 0.05, 0.02 * 0.05);
  EXPECT_NEAR(median_of(outlook.least_squares.snr, outlook.object), 40, 0.02 * 40);
  EXPECT_NEAR(median_of(outlook.g_factor, outlook.object), 1, 0.02);
  EXPECT_NEAR(median_of(outlook.gridding.standard_deviation, outlook.object), 0.05, 2e-3 * 0.05);
  EXPECT_NEAR(median_of(outlook.gridding.snr, outlook.object), 40, 2e-3 * 40);
  ASSERT_EQ(outlook.least_squares.widths.size(), 2U);  // to 1e-3 voxel (point_spread.hpp)
  EXPECT_NEAR(outlook.least_squares.widths[0], dirichlet_width(11), 2e-3);
  EXPECT_NEAR(outlook.least_squares.widths[1], dirichlet_width(15), 2e-3);
  EXPECT_LT(outlook.least_squares.side_lobe, 1e-4);
  EXPECT_EQ(outlook.voxel_mm, (std::array<double, 3>{2, 3, 5}));
  EXPECT_GT(outlook.bytes, 165 * 8);
}

TEST(Outlook, AveragesDivideTheNoiseByTheirRoot) {
  const Context ctx;
  OutlookOptions options{.noise = 0.05, .coils = 0, .replicas = 2, .repetition_ms = 4};
  const ScanOutlook once = scan_outlook(ctx, full_grid(ctx), options);
  EXPECT_EQ(once.readouts, 11);
  EXPECT_DOUBLE_EQ(once.readout_ms, 0.075);
  EXPECT_DOUBLE_EQ(once.pass_seconds, 0.044);
  options.scan_seconds = 9 * 0.044;
  const ScanOutlook often = scan_outlook(ctx, full_grid(ctx), options);
  EXPECT_NEAR(often.averages, 9, 1e-12);
  for (const Index voxel : often.object) {
    EXPECT_NEAR(often.least_squares.snr.data()[voxel], 3 * once.least_squares.snr.data()[voxel],
                1e-5 * often.least_squares.snr.data()[voxel]);
    EXPECT_NEAR(often.gridding.standard_deviation.data()[voxel], once.gridding.standard_deviation.data()[voxel] / 3,
                1e-7);
  }
  EXPECT_DOUBLE_EQ(scan_outlook(ctx, full_grid(ctx), {.noise = 1, .replicas = 2, .dead_ms = 1}).pass_seconds,
                   11 * 1.075e-3);
}

// Three coils of any maps, whose noise is correlated, and 150 samples at random: against the covariance by dense matrices.
class OutlookOfASmallProblem : public testing::Test {
 protected:
  static constexpr Index nx = 8;
  static constexpr Index ny = 6;
  static constexpr Index voxels = nx * ny;
  static constexpr Index coils = 3;
  static constexpr double lambda = 1e-2;

  OutlookOfASmallProblem() {
    scan.coil_maps = Array<Complex>(ctx, {coils, 1, ny, nx});
    for (Index c = 0; c < coils; ++c) {
      for (Index v = 0; v < voxels; ++v) scan.coil_maps.data()[c * voxels + v] = Complex(maps(c, v));
    }
    const test::DenseMatrix mix{
        {{0.5, 0}, {0, 0}, {0, 0}}, {{0.2, 0.1}, {0.7, 0}, {0, 0}}, {{0, -0.3}, {0.1, 0}, {0.4, 0}}};
    const test::DenseMatrix covariance = mix * mix.adjoint();
    Array<std::complex<double>> matrix(ctx, {coils, coils});
    for (Index i = 0; i < coils * coils; ++i) matrix.data()[i] = covariance(i / coils, i % coils);
    options = {.lambda = lambda,
               .replicas = 400,
               .covariance = std::make_shared<const Array<std::complex<double>>>(std::move(matrix))};
    white = test::inverse(mix) * maps;
    sensitivity = white.colwise().norm();
    unit = white * sensitivity.cwiseInverse().asDiagonal();
    encoding = test::dense_encoding(points, ny, nx, unit);
  }

  // The object, as the images show it: 1 in the ellipse, times the root-sum-of-squares of the maps.
  test::DenseVector object(const std::vector<Index>& inside) const {
    test::DenseVector image = test::DenseVector::Zero(voxels);
    for (const Index voxel : inside) image(voxel) = sensitivity(voxel);
    return image;
  }

  const Context ctx{{.threads = 2}};
  const std::vector<std::array<double, 2>> points = test::random_positions(150);
  const test::DenseMatrix maps = test::random_maps(coils, voxels);
  Scan scan = scan_along(ctx, {nx, ny, 1}, points, 0);
  OutlookOptions options;
  test::DenseMatrix white;
  Eigen::RowVectorXd sensitivity;
  test::DenseMatrix unit;
  test::DenseMatrix encoding;
};

// 400 replicas: 2.5 % for each voxel, 5 of which hold for 48 voxels but for a probability of 3e-5; the mean of voxels that
// share noise, of which a third count, to 2.5 % / 4: 2.5 % are four of these.
TEST_F(OutlookOfASmallProblem, LeastSquaresHasTheNoiseOfTheDenseCovariance) {
  const ScanOutlook outlook = scan_outlook(ctx, scan, options);
  const double s = test::largest_normal_eigenvalue(encoding);
  const Eigen::VectorXd sigma = test::dense_covariance(encoding, s, lambda).diagonal().real().cwiseSqrt();
  const test::DenseVector mean = test::inverse(test::dense_normal(encoding, s, lambda)) *
                                 (encoding.adjoint() * (encoding * object(outlook.object)) / s);
  double ratios = 0;
  for (const Index v : outlook.object) {
    const double ratio = outlook.least_squares.snr.data()[v] / (std::abs(mean(v)) / sigma(v));
    EXPECT_NEAR(ratio, 1, 0.125) << v;
    ratios += ratio / static_cast<double>(outlook.object.size());
    EXPECT_NEAR(outlook.least_squares.standard_deviation.data()[v], sigma(v) / sensitivity(v),
                0.125 * sigma(v) / sensitivity(v));
    EXPECT_NEAR(outlook.g_factor.data()[v], sigma(v) * std::sqrt(150.0 / voxels), 0.125 * outlook.g_factor.data()[v]);
  }
  EXPECT_NEAR(ratios, 1, 0.025);
}

// Exact to the tolerance of gridding's transform, 1e-3 of the largest values.
TEST_F(OutlookOfASmallProblem, GriddingHasTheNoiseOfItsWeights) {
  const ScanOutlook outlook = scan_outlook(ctx, scan, options);
  const Array<float> weights =
      density_weights<float>(ctx, *scan.frames[0].trajectory, scan.image_shape(), nullptr, DensityMethod::automatic)
          .weights;
  Eigen::VectorXd w(coils * 150);
  for (Index i = 0; i < w.size(); ++i) w(i) = weights.data()[i % 150];
  const test::DenseMatrix adjoint = encoding.adjoint() * w.asDiagonal();
  const test::DenseVector mean = adjoint * (encoding * object(outlook.object));
  const Eigen::VectorXd sigma = adjoint.rowwise().norm();
  for (const Index v : outlook.object) {
    const double expected = std::abs(mean(v)) / sigma(v);
    EXPECT_NEAR(outlook.gridding.snr.data()[v], expected, 2e-3 * mean.cwiseAbs().maxCoeff() / sigma(v)) << v;
  }
}

TEST_F(OutlookOfASmallProblem, FailuresSayWhatIsWrong) {
  const auto message = [&](const OutlookOptions& wrong) -> std::string {
    try {
      scan_outlook(ctx, scan, wrong);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message({}).find("expected the standard deviation of the noise, or its covariance"), std::string::npos);
  OutlookOptions two = options;
  two.noise = 1;
  EXPECT_NE(message(two).find("not both"), std::string::npos);
  OutlookOptions others = options;
  others.covariance = std::make_shared<const Array<std::complex<double>>>(ctx, Shape{2, 2});
  EXPECT_NE(message(others).find("expected [3, 3] for 3 coils"), std::string::npos) << message(others);
  EXPECT_NE(message({.noise = 1, .scan_seconds = 1}).find("time of the scan is not known"), std::string::npos);
  scan.frames.clear();
  EXPECT_NE(message(options).find("no trajectory"), std::string::npos);
}

}  // namespace
}  // namespace whorl
