// Reconstructions whose samples have weights, against dense weighted least squares in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/phantom_scan.hpp"
#include "unit/recon/dense_encoding.hpp"
#include "unit/recon/encoding/evolving_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/sample_weights.hpp"
#include "whorl/trajectory/sample_times.hpp"

namespace whorl {
namespace {

using test::DenseMatrix;
using test::DenseVector;

constexpr Index ny = 10;
constexpr Index nx = 12;
constexpr Index coils = 3;
constexpr std::array<Index, 3> matrix{nx, ny, 1};
constexpr Index readout = 20;
constexpr double dwell_us = 100;

// Samples at random with data that are noise alone, which no image explains: what counts decides. Readouts of 20 samples, the
// weights of which are from 0 to 2; every seventh counts nothing.
class SampleWeightsRecon : public testing::Test {
 protected:
  void make(Index samples) {
    points = test::random_positions(samples);
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->points = Array<double>(ctx, {samples, 2});
    for (Index j = 0; j < samples; ++j) {
      for (Index axis = 0; axis < 2; ++axis) {
        trajectory->points.view<2>()(j, axis) = points[static_cast<std::size_t>(j)][static_cast<std::size_t>(axis)];
      }
    }
    trajectory->readout_length = readout;
    scan = test::make_trajectory_scan(trajectory, matrix);
    scan.coils = coils;
    scan.dwell_us = dwell_us;
    scan.frames[0].data = Array<std::complex<float>>(ctx, {coils, samples});
    for (Index i = 0; i < coils * samples; ++i) {
      const auto n = static_cast<std::uint64_t>(i);
      scan.frames[0].data.data()[i] = {static_cast<float>(random_normal(31, n)),
                                       static_cast<float>(random_normal(32, n))};
    }
    maps = test::random_maps(coils, ny * nx);
    for (Index r = 0; r < ny * nx; ++r) maps.col(r) /= maps.col(r).norm();  // as reconstruct makes them
    scan.coil_maps = Array<std::complex<float>>(ctx, {coils, 1, ny, nx});
    for (Index c = 0; c < coils; ++c) {
      for (Index r = 0; r < ny * nx; ++r) {
        scan.coil_maps.data()[c * ny * nx + r] = std::complex<float>(std::complex<double>(maps(c, r)));
      }
    }
    weights = Array<double>(ctx, {samples / readout});
    for (Index i = 0; i < weights.size(); ++i) {
      weights.data()[i] = i % 7 == 3 ? 0 : 2 * random_uniform(33, static_cast<std::uint64_t>(i));
    }
  }

  // W^(1/2) A with rows [coil, sample], in the field if there is one.
  DenseMatrix dense(const Array<float>& field) const {
    DenseMatrix A = test::dense_encoding(points, ny, nx, maps);
    const auto samples = static_cast<Index>(points.size());
    for (Index row = 0; row < A.rows(); ++row) {
      const Index j = row % samples;
      A.row(row) *= std::sqrt(weights.data()[j / readout]);
      const double t = 1e-6 * dwell_us * static_cast<double>(j % readout);
      for (Index r = 0; field.size() > 0 && r < ny * nx; ++r) {
        A(row, r) *= std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(field.data()[r]) * t);
      }
    }
    return A;
  }

  DenseVector weighted_data() const {
    const auto samples = static_cast<Index>(points.size());
    DenseVector d(coils * samples);
    for (Index i = 0; i < d.size(); ++i) {
      d[i] = std::sqrt(weights.data()[i % samples / readout]) * std::complex<double>(scan.frames[0].data.data()[i]);
    }
    return d;
  }

  static ReconOptions options() {
    return {.prewhiten = false,
            .coil_maps = CoilMapMethod::file,
            .cg_sense = {.iterations = 300, .tolerance = 1e-6, .lambda = 1e-2},
            .nufft = {.tolerance = 1e-6},
            .mask = ImageMask::none};
  }

  static double relative_difference(const Reconstruction& found, const DenseVector& expected) {
    DenseVector image(expected.size());
    for (Index r = 0; r < image.size(); ++r) image[r] = std::complex<double>(found.images.data()[r]);
    return (image - expected).norm() / expected.norm();
  }

  Context ctx{{.threads = 2}};
  std::vector<std::array<double, 2>> points;
  DenseMatrix maps;
  Array<double> weights;
  Scan scan;
};

DenseVector solution(const DenseMatrix& A, const DenseVector& d, double lambda) {
  const double s = test::largest_normal_eigenvalue(A);
  return test::solve_hermitian(test::dense_normal(A, s, lambda), A.adjoint() * d) / s;
}

bool says(const Reconstruction& result, const std::string& part) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

// The system has a condition of 1 / lambda = 100 at most. Residuals of 1e-6 leave 1e-4 of the image, rounding in float and the
// NUFFT's tolerance as much again, the eigenvalue's 1e-3 times lambda over the least eigenvalue less. By NUFFT the normal operator
// is a convolution with a weighted spectrum, by exact sums the adjoint after the forward transform.
TEST_F(SampleWeightsRecon, AreWeightedLeastSquares) {
  make(800);
  const DenseVector expected = solution(dense({}), weighted_data(), 1e-2);
  EXPECT_GT(relative_difference(reconstruct(ctx, scan, options()), expected), 0.1);
  ReconOptions weighs = options();
  weighs.signal.weights = weigh_samples(ctx, scan, weights);
  for (const TransformMethod transform : {TransformMethod::nufft, TransformMethod::exact}) {
    weighs.transform = transform;
    const Reconstruction found = reconstruct(ctx, scan, weighs);
    EXPECT_LT(relative_difference(found, expected), 3e-4);
    EXPECT_EQ(says(found, "Normal operator: convolutions with the 1 spectra"), transform == TransformMethod::nufft);
  }
}

TEST_F(SampleWeightsRecon, GoTogetherWithAField) {
  make(800);
  Array<float> field(ctx, {ny, nx});
  for (Index r = 0; r < ny * nx; ++r) field.data()[r] = 200 * static_cast<float>(random_uniform(34, std::uint64_t(r)));
  ReconOptions weighs = options();
  weighs.signal.field_map = test::map_image(ctx, "field", field, matrix);
  weighs.signal.tolerance = 1e-6;
  scan.frames[0].geometry.field_of_view_mm = {static_cast<double>(nx), static_cast<double>(ny), 1};
  weighs.signal.weights = weigh_samples(ctx, scan, weights);
  const Reconstruction found = reconstruct(ctx, scan, weighs);
  EXPECT_LT(relative_difference(found, solution(dense(field), weighted_data(), 1e-2)), 3e-4);
}

// Weights are the precision of the noise: the error bars are those of W^(1/2) A with noise of 1. 200 replicas have an error of
// 1 / sqrt(400) = 5 % in each voxel, and 0.5 % in the root of the mean square over 120 voxels.
TEST_F(SampleWeightsRecon, AreThePrecisionOfTheNoise) {
  make(800);
  const DenseMatrix A = dense({});
  const double s = test::largest_normal_eigenvalue(A);
  ReconOptions weighs = options();
  weighs.prewhiten = true;
  scan.noise = Array<std::complex<float>>(ctx, {coils, 200000});  // white, of variance 2 as the data: whitened to 1
  for (Index i = 0; i < scan.noise.size(); ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    scan.noise.data()[i] = {static_cast<float>(random_normal(35, n)), static_cast<float>(random_normal(36, n))};
  }
  weighs.signal.weights = weigh_samples(ctx, scan, weights);
  weighs.error_bars = {.standard_deviation = true, .noise = {.count = 200}};
  const Reconstruction found = reconstruct(ctx, scan, weighs);
  double squares = 0;
  for (const float sigma : found.error_bars.standard_deviation.span()) squares += double(sigma) * double(sigma);
  const double expected = test::dense_covariance(A, s, 1e-2).diagonal().real().sum();
  std::printf("root mean square of error bars over dense: %.4f\n", std::sqrt(squares / expected));
  EXPECT_NEAR(std::sqrt(squares / expected), 1, 0.02);
}

// The certificate compares W^(1/2) A with its exact form.
TEST_F(SampleWeightsRecon, AreInTheCertificate) {
  make(800);
  ReconOptions weighs = options();
  weighs.certified_samples = 200;
  weighs.signal.weights = weigh_samples(ctx, scan, weights);
  const Reconstruction found = reconstruct(ctx, scan, weighs);
  ASSERT_EQ(found.certificates.size(), 1U);
  EXPECT_GT(found.certificates[0].relative_error, 0);
  EXPECT_LT(found.certificates[0].relative_error, 1e-5);  // the NUFFT's tolerance and float
}

// Readouts that another object has spoiled change nothing where they have no weight, also of maps that are estimated.
TEST_F(SampleWeightsRecon, LeaveOutWhatCountsNothing) {
  make(800);
  Scan spoiled = clone(ctx, scan);
  for (Index c = 0; c < coils; ++c) {
    for (Index j = 0; j < 800; ++j) {
      if (weights.data()[j / readout] == 0) spoiled.frames[0].data.data()[c * 800 + j] = {100, -70};
    }
  }
  for (const auto maps_by : {CoilMapMethod::file, CoilMapMethod::espirit, CoilMapMethod::walsh, CoilMapMethod::nlinv}) {
    ReconOptions weighs = options();
    weighs.coil_maps = maps_by;
    weighs.espirit.eigenvalue_threshold = 0;  // noise has no support
    weighs.signal.weights = weigh_samples(ctx, scan, weights);
    const Reconstruction clean = reconstruct(ctx, scan, weighs);
    weighs.signal.weights = weigh_samples(ctx, spoiled, weights);
    const Reconstruction other = reconstruct(ctx, spoiled, weighs);
    for (Index r = 0; r < ny * nx; ++r) {
      ASSERT_EQ(clean.images.data()[r], other.images.data()[r]) << static_cast<int>(maps_by);
    }
  }
}

TEST_F(SampleWeightsRecon, WhatTheyDoNotFitIsRefused) {
  make(400);
  const auto refuses = [&](const std::string& part, const auto& work) {
    try {
      work();
      ADD_FAILURE() << "nothing was thrown, expected: " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refuses("21 numbers, expected one for each of the 20 readouts",
          [&] { weigh_samples(ctx, scan, zeros<double>(ctx, {21})); });
  refuses("all of frame 0 are 0", [&] { weigh_samples(ctx, scan, zeros<double>(ctx, {400})); });
  weights.data()[5] = -1;
  refuses("number 5 is -1", [&] { weigh_samples(ctx, scan, weights); });
  weights.data()[5] = 1;
  ReconOptions weighs = options();
  weighs.signal.weights = weigh_samples(ctx, scan, weights);
  weighs.method = ReconMethod::gridding;
  refuses("gridding has density weights", [&] { reconstruct(ctx, scan, weighs); });
  weighs = options();
  weighs.signal.weights = std::make_shared<SampleWeights>();
  refuses("frame 0 has none", [&] { reconstruct(ctx, scan, weighs); });
}

// Frames that share a trajectory: those of equal weights go on to, the others get copies.
TEST_F(SampleWeightsRecon, FramesOfOtherWeightsHaveTheirOwnTrajectory) {
  make(400);
  const auto add = [&](int repetition) {
    const ScanFrame& first = scan.frames[0];
    scan.frames.push_back(
        {{.repetition = repetition}, first.trajectory, nullptr, clone(ctx, first.data.ref()), first.geometry});
  };
  add(1);
  add(2);
  Array<double> all(ctx, {3, 20});
  for (Index i = 0; i < 60; ++i) all.data()[i] = i / 20 == 1 ? 1 + double(i % 20) : 1;
  const auto made = weigh_samples(ctx, scan, all);
  EXPECT_EQ(scan.frames[0].trajectory, scan.frames[2].trajectory);
  EXPECT_NE(scan.frames[0].trajectory, scan.frames[1].trajectory);
  EXPECT_EQ(made->of(*scan.frames[1].trajectory)->data()[399], 20);
  EXPECT_EQ(made->of(*scan.frames[2].trajectory)->data()[399], 1);
}

}  // namespace
}  // namespace whorl
