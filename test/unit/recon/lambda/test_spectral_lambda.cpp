#include "whorl/recon/spectral_lambda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

namespace whorl {
namespace {

constexpr Index coils = 3;

// White noise of E|d|^2 = 1 + power / coils in each sample.
template <class Real>
Array<std::complex<Real>> white_data(const Context& ctx, Index samples, double power) {
  auto data = test::random_array<Real>(ctx.host(), {coils, samples}, 3);
  double energy = 0;
  for (const auto& d : data.span()) energy += std::norm(std::complex<double>(d));
  const double scale = std::sqrt((static_cast<double>(coils) + power) * static_cast<double>(samples) / energy);
  for (auto& d : data.span()) d *= static_cast<Real>(scale);
  return clone(ctx, data.ref());
}

// A map of 1 / sqrt(coils) for each coil.
template <class Real>
Operator<Real> encoding_of(const Context& ctx, const Trajectory& trajectory, const Shape& image) {
  Array<std::complex<Real>> maps(ctx, image.with_front(coils));
  fill<std::complex<Real>>(ctx, maps, static_cast<Real>(1 / std::sqrt(static_cast<double>(coils))));
  return Nufft<Real>(ctx, trajectory.points, image, coils, {.tolerance = 1e-4}) * Sense<Real>(std::move(maps));
}

// Object and noise are both white, so that both integrals have one measure m: R = N int (l^2 P + v t) / (t + l)^2 dm(t)
// has its minimum where l P = v, whatever m. v is 1 for the noise and P epsilon^2 = 1e-4 P for errors of the maps. The mean
// energy of all samples varies by 0.4 %, each measure by about 1 / sqrt(N) = 1.4 %; a step of the search is 6 %.
template <class Real>
void expect_the_inverse_of_the_power(int dim, const Shape& image) {
  const Context ctx = test::device_context();
  constexpr Index samples = 30000;
  const Trajectory trajectory = random_trajectory(ctx.host(), samples, dim, RandomRegion::box, 7);
  const Operator<Real> encoding = encoding_of<Real>(ctx, trajectory, image);
  for (const double power : {0.5, 20.0, 3000.0}) {
    const auto data = white_data<Real>(ctx, samples, power);
    const LambdaChoice found = spectral_lambda<Real>(ctx, trajectory, *encoding, data, 2.5);
    EXPECT_NEAR(found.lambda * 2.5 * power / (1 + 1e-4 * power), 1, 0.06) << power;
    EXPECT_EQ(found.method, LambdaMethod::spectrum);
    EXPECT_TRUE(found.curve.points.empty());
  }
}

TEST(SpectralLambda, OfAWhiteObjectIsTheInverseOfItsPower) {
  expect_the_inverse_of_the_power<float>(2, {60, 80});
  expect_the_inverse_of_the_power<double>(3, {14, 20, 16});
}

// A diagonal of singular values from 0.01 to 1: eigenvalues over four decades, as of a scan that hardly measures a part.
class Diagonal : public LinearOperator<double> {
 public:
  using Values = std::complex<double>;

  explicit Diagonal(const Shape& image) : LinearOperator<double>(image, image, "diagonal") {
    for (Index i = 0; i < image.size(); ++i) {
      values_.push_back(std::pow(10.0, -2 * random_uniform(5, static_cast<std::uint64_t>(i))));
    }
  }
  const std::vector<double>& values() const { return values_; }

 private:
  void do_forward(const Context&, ArrayRef<const Values> x, ArrayRef<Values> y) const override { multiply(x, y); }
  void do_adjoint(const Context&, ArrayRef<const Values> x, ArrayRef<Values> y) const override { multiply(x, y); }
  void multiply(ArrayRef<const Values> x, ArrayRef<Values> y) const {
    for (Index i = 0; i < x.size(); ++i) y.data()[i] = values_[static_cast<std::size_t>(i)] * x.data()[i];
  }

  std::vector<double> values_;
};

// The risk by the eigenvalues themselves. Lambda is within a step or two of its minimum, where the risk is flat: 1 %.
TEST(SpectralLambda, CountsEachModeByItsEigenvalue) {
  const Context ctx;
  const Shape image{40, 48};
  constexpr Index samples = 20000;
  const Trajectory trajectory = random_trajectory(ctx, samples, 2, RandomRegion::box, 7);
  const Diagonal encoding(image);
  const auto voxels = static_cast<double>(image.size());
  double gain = 0;
  for (const double value : encoding.values()) gain += value * value / voxels;
  for (const double power : {0.5, 20.0, 3000.0, 1e6}) {
    const double signal = power * static_cast<double>(samples) / gain / voxels;  // of a voxel
    const auto risk = [&](double lambda) {
      double sum = 0;
      for (const double value : encoding.values()) {
        const double theta = value * value;
        sum += (signal * lambda * lambda + (1 + 1e-4 * signal) * theta) / std::pow(theta + lambda, 2);
      }
      return sum;
    };
    double least = risk(10);
    for (int i = 0; i <= 360; ++i) least = std::min(least, risk(10 * std::pow(10.0, -i / 40.0)));
    const auto data = white_data<double>(ctx, samples, power);
    EXPECT_LT(risk(spectral_lambda<double>(ctx, trajectory, encoding, data, 1).lambda), 1.01 * least) << power;
  }
}

// Samples at |k| = 1/2 exactly, as spokes have at one end, are no samples of the corners: they choose as if they lay just
// inside. If they counted as the corners', these would get the power of the edge, here 100 times that of the rest.
TEST(SpectralLambda, SamplesAtTheEdgeAreNotThoseOfTheCorners) {
  const Context ctx = test::device_context();
  constexpr Index samples = 4000;
  constexpr Index at_edge = 40;
  const Trajectory evenly = random_trajectory(ctx.host(), samples, 2, RandomRegion::ball, 7);
  const Operator<float> encoding = encoding_of<float>(ctx, evenly, {60, 60});
  const auto choose = [&](double edge) {
    Trajectory trajectory{clone(ctx.host(), evenly.points.ref())};
    auto data = white_data<float>(ctx.host(), samples, 2);
    for (Index j = 0; j < at_edge; ++j) {
      const double angle = 0.1 * static_cast<double>(j);
      trajectory.points.view<2>()(j, 0) = edge * std::cos(angle);
      trajectory.points.view<2>()(j, 1) = edge * std::sin(angle);
      for (Index c = 0; c < coils; ++c) data.view<2>()(c, j) *= 10;
    }
    return spectral_lambda<float>(ctx, trajectory, *encoding, clone(ctx, data.ref()), 1).lambda;
  };
  EXPECT_EQ(choose(0.5), choose(0.4999));
  EXPECT_NE(choose(0.55), choose(0.4999));
}

TEST(SpectralLambda, OfNoiseAloneIsTheLargest) {
  const Context ctx = test::device_context();
  const Trajectory trajectory = random_trajectory(ctx.host(), 400, 2, RandomRegion::box, 7);
  const auto silent = zeros<std::complex<float>>(ctx, {coils, 400});
  const Operator<float> encoding = encoding_of<float>(ctx, trajectory, {20, 24});
  const LambdaChoice found = spectral_lambda<float>(ctx, trajectory, *encoding, silent, 1);
  EXPECT_NEAR(found.lambda, 10, 1e-9);
  EXPECT_NE(found.reason.find("no energy above the noise"), std::string::npos);
}

TEST(SpectralLambda, BadArguments) {
  const Context ctx = test::device_context();
  const Trajectory trajectory = random_trajectory(ctx.host(), 400, 2, RandomRegion::box, 7);
  const auto data = white_data<float>(ctx, 400, 5);
  const Operator<float> encoding = encoding_of<float>(ctx, trajectory, {20, 24});
  const Trajectory volume = random_trajectory(ctx.host(), 400, 3, RandomRegion::box, 7);
  EXPECT_THROW(spectral_lambda<float>(ctx, trajectory, *encoding, data, 0), ValueError);
  EXPECT_THROW(spectral_lambda<float>(ctx, trajectory, *encoding, data, 1, -1), ValueError);
  EXPECT_THROW(spectral_lambda<float>(ctx, volume, *encoding, data, 1), ShapeError);
  EXPECT_THROW(spectral_lambda<float>(ctx, trajectory, *encoding, white_data<float>(ctx, 401, 5), 1), ShapeError);
}

// Lines of an image of 32 x 32: those at y = first, first + step, ..., and the middle 12, of samples from x = start on.
Trajectory lines(const Context& ctx, Index first, Index step, Index start) {
  std::vector<double> points;
  for (Index y = 0; y < 32; ++y) {
    if (y < first || ((y - first) % step != 0 && (y < 10 || y >= 22))) continue;
    for (Index x = start; x < 32; ++x) {
      points.push_back(static_cast<double>(x - 16) / 32);
      points.push_back(static_cast<double>(y - 16) / 32);
    }
  }
  Trajectory made{Array<double>(ctx, {std::ssize(points) / 2, 2}), 32 - start};
  std::copy(points.begin(), points.end(), made.points.data());
  return made;
}

// Spokes without the first `missing` of their 64 samples, as of asymmetric echoes.
Trajectory asymmetric(const Context& ctx, Index missing) {
  constexpr Index spokes = 60;
  const Trajectory full = radial_trajectory(ctx, spokes, 64, SpokeOrder::golden_angle);
  Trajectory made{Array<double>(ctx, {spokes * (64 - missing), 2}), 64 - missing};
  double* to = made.points.data();
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const double* const from = full.points.data() + spoke * 128;
    to = std::copy(from + 2 * missing, from + 128, to);
  }
  return made;
}

struct DefaultScan {
  const char* what;
  Trajectory trajectory;
  Index coils;
  double noise;  // the head's gray matter is 0.2 to 0.3
};

// Scans on which a lambda that goes by the noise in fully sampled shells alone left images 2 to 30 times as wrong as
// gridding's: one side of k-space, where coils fill the other, undersampled with noise, and hardly any noise. 1 % of the
// image is what maps leave.
TEST(SpectralLambda, TheDefaultIsNoWorseThanGridding) {
  const Context ctx;
  std::vector<DefaultScan> scans;
  scans.push_back({"all", lines(ctx, 0, 1, 0), 8, 0.05});
  scans.push_back({"5/8 of the lines, hardly any noise", lines(ctx, 12, 1, 0), 4, 3e-4});
  scans.push_back({"3/4 of the lines", lines(ctx, 8, 1, 0), 8, 0.015});
  scans.push_back({"5/8 of the echo, hardly any noise", lines(ctx, 0, 1, 12), 4, 3e-4});
  scans.push_back({"every third line", lines(ctx, 0, 3, 0), 8, 0.03});
  scans.push_back({"asymmetric echoes of spokes, hardly any noise", asymmetric(ctx, 24), 4, 3e-4});
  scans.push_back({"two coils full of noise", lines(ctx, 0, 1, 0), 2, 0.08});
  for (const DefaultScan& one : scans) {
    const auto trajectory = std::make_shared<const Trajectory>(
        Trajectory{clone(ctx, one.trajectory.points.ref()), one.trajectory.readout_length});
    Scan scan = test::make_phantom_scan(ctx, trajectory, {32, 32, 1},
                                        {.coils = one.coils, .noise_standard_deviation = one.noise});
    const auto maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, {32, 32, 1}, one.coils));
    Array<float> truth = rasterize<float>(ctx, shepp_logan(2, PhantomContrast::modified), {32, 32, 1}, 8);
    for (Index i = 0; i < truth.size(); ++i) {
      double energy = 0;
      for (Index c = 0; c < one.coils; ++c) energy += std::norm(std::complex<double>(maps.slice(c).data()[i]));
      truth.data()[i] *= static_cast<float>(std::sqrt(energy));
    }
    const auto error_of = [&](const ReconOptions& options) {
      const Reconstruction found = reconstruct(ctx, scan, options);
      Array<float> image(ctx, {32, 32});
      for (Index i = 0; i < image.size(); ++i) image.data()[i] = std::abs(found.images.data()[i]);
      return scaled_error<float>(ctx, image, truth).nrmse;
    };
    const double gridding = error_of({.method = ReconMethod::gridding});
    const double found = error_of({.lambda_search = LambdaSearchOptions{.method = LambdaMethod::spectrum}});
    std::printf("%s: %.4f by gridding, %.4f by least squares\n", one.what, gridding, found);
    EXPECT_LT(found, 1.1 * gridding + 0.01) << one.what;
  }
}

}  // namespace
}  // namespace whorl
