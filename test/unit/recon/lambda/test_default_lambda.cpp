// Lambda where the noise is not what is wrong: coil maps, and what else the model misses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <vector>

#include "recon/lambda/least_change.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/core/random.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Values = std::complex<double>;

// Singular values from 1 down to 1e-3, evenly in their logarithm.
class FadingModes : public LinearOperator<double> {
 public:
  static constexpr Index count = 600;

  FadingModes() : LinearOperator<double>({count}, {count}, "fading modes") {}
  static double eigenvalue(Index i) { return std::pow(10.0, -6 * static_cast<double>(i) / (count - 1)); }

 private:
  void do_forward(const Context&, ArrayRef<const Values> x, ArrayRef<Values> y) const override {
    for (Index i = 0; i < count; ++i) y.data()[i] = std::sqrt(eigenvalue(i)) * x.data()[i];
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Values> x, ArrayRef<Values> y) const override {
    do_forward(ctx, x, y);
  }
};

struct Modes {
  Array<Values> object;
  Array<Values> data;
  std::vector<recon::PowerShell> shells;  // one for each mode
};

// An object of the power `power(eigenvalue)`, measured with an error of the power `error` in each value.
template <class Power>
Modes measured(const Context& ctx, const Power& power, double error) {
  Modes modes{Array<Values>(ctx, {FadingModes::count}), Array<Values>(ctx, {FadingModes::count}), {}};
  Array<Values> errors(ctx, {FadingModes::count});
  fill_random_normal<double>(ctx, modes.object, 1);
  fill_random_normal<double>(ctx, errors, 2);
  for (Index i = 0; i < FadingModes::count; ++i) {
    const double theta = FadingModes::eigenvalue(i);
    modes.object.data()[i] *= std::sqrt(power(theta));
    modes.data.data()[i] = std::sqrt(theta) * modes.object.data()[i] + std::sqrt(error) * errors.data()[i];
    modes.shells.push_back({.points = 1, .samples = theta, .energy = theta * power(theta)});
  }
  return modes;
}

recon::LeastChange limit_of(const Context& ctx, const Modes& modes, double least) {
  const FadingModes A;
  Array<Values> b(ctx, A.domain());
  A.adjoint(ctx, modes.data, b);
  return recon::least_change<double>(ctx, A, std::move(b), modes.shells, 1, least, 500);
}

// |x_lambda - x|^2, from the modes themselves.
double error_at(const Modes& modes, double lambda) {
  double sum = 0;
  for (Index i = 0; i < FadingModes::count; ++i) {
    const double theta = FadingModes::eigenvalue(i);
    sum += std::norm(std::sqrt(theta) * modes.data.data()[i] / (theta + lambda) - modes.object.data()[i]);
  }
  return sum;
}

TEST(LeastChange, DoesNotLimitWhatTheObjectExplains) {
  const Context ctx;
  const auto falling = [](double theta) { return std::sqrt(theta); };
  const auto off_center = [](double theta) { return 1e-6 + std::exp(-std::pow(std::log10(theta) + 2.5, 2) / 0.1); };
  EXPECT_FALSE(limit_of(ctx, measured(ctx, falling, 0), 1e-5).limits);
  EXPECT_EQ(limit_of(ctx, measured(ctx, falling, 0), 1e-5).lambda, 1e-5);
  // No energy but in modes around 3e-3, as of an image of steep phase: c rises there.
  EXPECT_FALSE(limit_of(ctx, measured(ctx, off_center, 0), 1e-4).limits);
}

// Errors that nobody knows of, in a scan whose noise would allow lambda = 1e-6.
TEST(LeastChange, LimitsLambdaWhereErrorsOutweighTheObject) {
  const Context ctx;
  for (const double error : {1e-5, 1e-4, 1e-3}) {
    const Modes modes = measured(
        ctx, [](double theta) { return std::sqrt(theta); }, error);
    const recon::LeastChange found = limit_of(ctx, modes, 1e-6);
    EXPECT_TRUE(found.limits);
    double best = error_at(modes, 1);
    for (int i = 0; i <= 60; ++i) best = std::min(best, error_at(modes, std::pow(10.0, -0.1 * i)));
    std::printf("error %g: lambda %.2e, %.3f times the least error; %.1f times at 1e-6\n", error, found.lambda,
                std::sqrt(error_at(modes, found.lambda) / best), std::sqrt(error_at(modes, 1e-6) / best));
    // The grid's steps, a factor of 1.8 in lambda, cost up to 2 % of the error around its least value.
    EXPECT_LT(std::sqrt(error_at(modes, found.lambda) / best), 1.05);
  }
}

TEST(LeastChange, OfZerosIsTheLeast) {
  const Context ctx;
  Modes modes = measured(
      ctx, [](double) { return 1.0; }, 0);
  fill<Values>(ctx, modes.data, 0);
  EXPECT_EQ(limit_of(ctx, modes, 1e-5).lambda, 1e-5);
}

// Lines of an image of 32 x 32 from y = first on, of samples from x = start on.
Trajectory one_sided_lines(const Context& ctx, Index first, Index start) {
  Trajectory made{Array<double>(ctx, {(32 - first) * (32 - start), 2}), 32 - start};
  double* to = made.points.data();
  for (Index y = first; y < 32; ++y) {
    for (Index x = start; x < 32; ++x) {
      *to++ = static_cast<double>(x - 16) / 32;
      *to++ = static_cast<double>(y - 16) / 32;
    }
  }
  return made;
}

// Spokes without the first `missing` of their 64 samples, as of asymmetric echoes.
Trajectory one_sided_spokes(const Context& ctx, Index spokes, Index missing) {
  const Trajectory full = radial_trajectory(ctx, spokes, 64, SpokeOrder::golden_angle);
  Trajectory made{Array<double>(ctx, {spokes * (64 - missing), 2}), 64 - missing};
  double* to = made.points.data();
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const double* const from = full.points.data() + spoke * 128;
    to = std::copy(from + 2 * missing, from + 128, to);
  }
  return made;
}

struct OneSidedScan {
  const char* what;
  Trajectory trajectory;
  Phantom phantom;
  Index coils;
  double noise;  // the objects are about 0.2 to 1
};

// bench/default_lambda has 40 scans like these. A lambda that counts the noise alone gave up to 4.2 times the error of gridding.
TEST(DefaultLambda, IsNoWorseThanGriddingWhereMapsAreWrongAndSidesMissing) {
  const Context ctx;
  std::vector<OneSidedScan> scans;
  const Phantom head = shepp_logan(2, PhantomContrast::modified);
  scans.push_back({"5/8 of the lines", one_sided_lines(ctx, 12, 0), brain_phantom(2), 4, 3e-4});
  scans.push_back({"3/4 of the lines", one_sided_lines(ctx, 8, 0), head, 8, 0.015});
  scans.push_back({"5/8 of the echo", one_sided_lines(ctx, 0, 12), head, 4, 3e-4});
  scans.push_back({"asymmetric echoes of spokes", one_sided_spokes(ctx, 60, 24), head, 4, 3e-4});
  scans.push_back({"spokes", one_sided_spokes(ctx, 50, 0), head, 8, 3e-4});
  for (OneSidedScan& one : scans) {
    const auto trajectory = std::make_shared<const Trajectory>(std::move(one.trajectory));
    const Scan scan = phantom_scan(ctx, one.phantom, test::make_trajectory_scan(trajectory, {32, 32, 1}),
                                   {.coils = one.coils, .noise_standard_deviation = one.noise});
    const auto maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, {32, 32, 1}, one.coils));
    Array<float> truth = rasterize<float>(ctx, one.phantom, {32, 32, 1}, 8);
    for (Index i = 0; i < truth.size(); ++i) {
      double energy = 0;
      for (Index c = 0; c < one.coils; ++c) energy += std::norm(Values(maps.slice(c).data()[i]));
      truth.data()[i] *= static_cast<float>(std::sqrt(energy));
    }
    const auto error_of = [&](const ReconOptions& options) {
      const Reconstruction found = reconstruct(ctx, scan, options);
      Array<float> image(ctx, {32, 32});
      for (Index i = 0; i < image.size(); ++i) image.data()[i] = std::abs(found.images.data()[i]);
      return scaled_error<float>(ctx, image, truth).nrmse;
    };
    const double gridding = error_of({.method = ReconMethod::gridding});
    const double found =
        error_of({.cg_sense = {.lambda_search = LambdaSearchOptions{.method = LambdaMethod::spectrum}}});
    std::printf("%s: %.4f by gridding, %.4f by least squares\n", one.what, gridding, found);
    EXPECT_LT(found, 1.1 * gridding) << one.what;
  }
}

}  // namespace
}  // namespace whorl
