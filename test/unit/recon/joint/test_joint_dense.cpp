// Several scans for one image, against dense weighted least squares in double.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "support/phantom_scan.hpp"
#include "unit/recon/dense_encoding.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

using test::DenseMatrix;
using test::DenseVector;

constexpr Index joint_ny = 10;
constexpr Index joint_nx = 12;
constexpr Index joint_voxels = joint_ny * joint_nx;
constexpr Index noise_samples = 4000;

// A scan of noise alone, which no image explains: what counts decides. Receivers, positions and noise are its own; the noise
// of coil c has a standard deviation of `noise` (1 + c), and a part of that of coil 0.
struct NoisyScan {
  NoisyScan(const Context& ctx, Index coils, Index samples, double noise, std::uint64_t seed) : points() {
    for (Index j = 0; j < samples; ++j) {
      const auto n = static_cast<std::uint64_t>(j);
      points.push_back({random_uniform(seed, n) - 0.5, random_uniform(seed + 1, n) - 0.5});
    }
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->points = Array<double>(ctx, {samples, 2});
    for (Index j = 0; j < samples; ++j) {
      std::copy_n(points[static_cast<std::size_t>(j)].data(), 2, trajectory->points.data() + 2 * j);
    }
    scan = test::make_trajectory_scan(trajectory, {joint_nx, joint_ny, 1});
    scan.coils = coils;
    scan.frames[0].data = Array<std::complex<float>>(ctx, {coils, samples});
    scan.noise = Array<std::complex<float>>(ctx, {coils, noise_samples});
    scan.coil_maps = Array<std::complex<float>>(ctx, {coils, 1, joint_ny, joint_nx});
    const auto fill_normal = [&](Array<std::complex<float>>& array, std::uint64_t stream) {
      for (Index i = 0; i < array.size(); ++i) {
        const auto n = static_cast<std::uint64_t>(i);
        array.data()[i] = {static_cast<float>(random_normal(stream, n)),
                           static_cast<float>(random_normal(stream + 1, n))};
      }
    };
    fill_normal(scan.frames[0].data, seed + 2);
    fill_normal(scan.noise, seed + 4);
    fill_normal(scan.coil_maps, seed + 6);
    for (Index c = coils; c-- > 0;) {
      for (Index j = 0; j < noise_samples; ++j) {
        auto& value = scan.noise.data()[c * noise_samples + j];
        value = static_cast<float>(noise) * (static_cast<float>(1 + c) * value + 0.5F * scan.noise.data()[j]);
      }
    }
  }

  DenseMatrix matrix_of(const Array<std::complex<float>>& array, Index columns) const {
    DenseMatrix all(scan.coils, columns);
    for (Index c = 0; c < scan.coils; ++c) {
      for (Index j = 0; j < columns; ++j) all(c, j) = std::complex<double>(array.data()[c * columns + j]);
    }
    return all;
  }
  DenseMatrix maps() const { return matrix_of(scan.coil_maps, joint_voxels); }
  // Its inverse weighs the data.
  DenseMatrix noise_covariance() const {
    const DenseMatrix n = matrix_of(scan.noise, noise_samples);
    return n * n.adjoint() / static_cast<double>(noise_samples);
  }

  std::vector<std::array<double, 2>> points;
  Scan scan;
};

// A^H N^-1 A and A^H N^-1 d of all scans together, whose maps have sum_s S_s^H N_s^-1 S_s = 1 in each voxel.
struct JointSystem {
  explicit JointSystem(const std::vector<const NoisyScan*>& scans)
      : normal(DenseMatrix::Zero(joint_voxels, joint_voxels)), b(DenseVector::Zero(joint_voxels)) {
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(joint_voxels);
    for (const NoisyScan* one : scans) {
      const DenseMatrix weight = test::inverse(one->noise_covariance());
      const DenseMatrix maps = one->maps();
      for (Index r = 0; r < joint_voxels; ++r) squares[r] += maps.col(r).dot(weight * maps.col(r)).real();
    }
    for (const NoisyScan* one : scans) {
      const auto samples = static_cast<Index>(one->points.size());
      DenseMatrix maps = one->maps();
      for (Index r = 0; r < joint_voxels; ++r) maps.col(r) /= std::sqrt(squares[r]);
      const DenseMatrix A = test::dense_encoding(one->points, joint_ny, joint_nx, maps);
      const DenseMatrix weight = test::inverse(one->noise_covariance());
      const DenseMatrix d = one->matrix_of(one->scan.frames[0].data, samples);
      for (Index i = 0; i < one->scan.coils; ++i) {
        for (Index j = 0; j < one->scan.coils; ++j) {
          const DenseMatrix rows = A.middleRows(i * samples, samples);
          normal += weight(i, j) * rows.adjoint() * A.middleRows(j * samples, samples);
          b += weight(i, j) * rows.adjoint() * d.row(j).transpose();
        }
      }
    }
    eigenvalue = test::eigenvalues(normal).maxCoeff();
  }

  DenseMatrix regularized(double lambda) const {
    return normal / eigenvalue + lambda * DenseMatrix::Identity(joint_voxels, joint_voxels);
  }
  DenseVector solution(double lambda) const { return test::solve_hermitian(regularized(lambda), b) / eigenvalue; }

  DenseMatrix normal;
  DenseVector b;
  double eigenvalue = 0;
};

class JointDense : public testing::Test {
 protected:
  static ReconOptions options(std::vector<const NoisyScan*> further) {
    ReconOptions made{.judge_noise = false,  // louder than the data, and as few samples
                      .coil_maps = CoilMapMethod::file,
                      .cg_sense = {.iterations = 300, .tolerance = 1e-6, .lambda = 1e-2},
                      .nufft = {.tolerance = 1e-6},
                      .mask = ImageMask::none};
    for (const NoisyScan* one : further) {
      made.joint.push_back({std::shared_ptr<const Scan>(std::shared_ptr<void>(), &one->scan)});
    }
    return made;
  }

  static double difference(const Reconstruction& found, const DenseVector& expected) {
    DenseVector image(expected.size());
    for (Index r = 0; r < image.size(); ++r) image[r] = std::complex<double>(found.images.data()[r]);
    return (image - expected).norm() / expected.norm();
  }

  Context ctx{{.threads = 2}};
  NoisyScan a{ctx, 3, 260, 1, 100};
  NoisyScan b{ctx, 2, 180, 3, 200};
  NoisyScan c{ctx, 1, 180, 0.4, 300};
};

// The system has a condition of 1 / lambda = 100 at most: residuals of 1e-6 leave 1e-4 of the image, rounding in float and the
// NUFFT's tolerance as much again, and the eigenvalue's 1e-3 times lambda less (SampleWeightsRecon). Data with another number of
// samples are one after another, those with as many have an axis of coils.
TEST_F(JointDense, IsLeastSquaresOfAllScansByTheirNoise) {
  for (const auto& further : {std::vector<const NoisyScan*>{&b}, {&b, &c}}) {
    std::vector<const NoisyScan*> all{&a};
    all.insert(all.end(), further.begin(), further.end());
    const DenseVector expected = JointSystem(all).solution(1e-2);
    const Reconstruction found = reconstruct(ctx, a.scan, options(further));
    EXPECT_LT(difference(found, expected), 3e-4);
    EXPECT_GT(difference(found, JointSystem({&a}).solution(1e-2)), 0.1);
  }
  const Reconstruction found = reconstruct(ctx, b.scan, options({&c}));
  EXPECT_LT(difference(found, JointSystem({&b, &c}).solution(1e-2)), 3e-4);
}

TEST_F(JointDense, ExactSumsToo) {
  ReconOptions exact = options({&b});
  exact.transform = TransformMethod::exact;
  EXPECT_LT(difference(reconstruct(ctx, a.scan, exact), JointSystem({&a, &b}).solution(1e-2)), 3e-4);
}

// The covariance of the image is H^-1 (A^H N^-1 A / s^2) H^-1. A variance from 400 replicas has a statistical error of
// sqrt(1 / 400) = 5 %; the mean over 120 voxels one of 0.5 % if they were independent. Neighbors are not: 2 % is four times that.
TEST_F(JointDense, ErrorBarsAreThoseOfAllScans) {
  ReconOptions bars = options({&b});
  bars.error_bars.standard_deviation = true;
  bars.error_bars.noise.method = StandardDeviationMethod::replica;
  bars.error_bars.noise.count = 400;
  const Reconstruction found = reconstruct(ctx, a.scan, bars);
  const JointSystem system({&a, &b});
  const DenseMatrix inverse = test::inverse(system.regularized(1e-2));
  const DenseMatrix covariance = inverse * (system.normal / (system.eigenvalue * system.eigenvalue)) * inverse;
  double ratio = 0;
  for (Index r = 0; r < joint_voxels; ++r) {
    const double sigma = static_cast<double>(found.error_bars.standard_deviation.data()[r]);
    ratio += sigma * sigma / covariance(r, r).real() / static_cast<double>(joint_voxels);
  }
  EXPECT_NEAR(ratio, 1, 0.02);
}

}  // namespace
}  // namespace whorl
