// The whole reconstruction of analytic phantoms: 12 coils, exact k-space along golden-angle spokes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/phantom_scan.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

constexpr Index n = 128;
constexpr Index coils = 12;
const std::array<Index, 3> matrix{n, n, 1};

// The image that both methods are to give: the phantom, averaged over each pixel, times the coils' root-sum-of-squares.
Array<float> truth(const Context& ctx, const Phantom& object) {
  const auto phantom = rasterize<float>(ctx, object, matrix, 8);
  const auto maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, matrix, coils));
  auto image = root_sum_of_squares<float>(ctx, maps.ref());
  for (Index i = 0; i < image.size(); ++i) image.data()[i] *= phantom.data()[i];
  return image;
}

// |image| against the truth after the best scaling.
double nrmse(const Context& ctx, const Reconstruction& result, const Array<float>& expected) {
  return scaled_error<float>(ctx, magnitude<float>(ctx, result.images.slice(0).reshape(expected.shape())), expected)
      .nrmse;
}

// What any linear method is up against: the disc |k| <= 1/2 of an exact Cartesian k-space, zero outside, transformed
// back. Its error is the ringing and blur of edges that no sample on a spoke tells about.
double error_of_the_disc(const Context& ctx, const Phantom& object, const Array<float>& expected) {
  Array<double> points(ctx, {n * n, 2});
  for (Index j = 0; j < n * n; ++j) {
    const Index row = j / n;
    points.data()[2 * j] = double(j % n) / n - 0.5;
    points.data()[2 * j + 1] = double(row) / n - 0.5;
  }
  auto samples = phantom_coil_samples<float>(ctx, object, make_phantom_coils(ctx, matrix, coils), points);
  for (Index c = 0; c < coils; ++c) {
    for (Index j = 0; j < n * n; ++j) {
      if (std::hypot(points.data()[2 * j], points.data()[2 * j + 1]) > 0.5) samples.data()[c * n * n + j] = 0;
    }
  }
  samples.reshape({coils, n, n});
  centered_fft<float>(ctx, FftDirection::inverse, samples, 2);
  const auto image = root_sum_of_squares<float>(ctx, samples.ref());
  return scaled_error<float>(ctx, image, expected).nrmse;
}

Scan scan_of(const Context& ctx, const Phantom& object, Index spokes, double noise) {
  auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, spokes, 2 * n, SpokeOrder::golden_angle));
  return phantom_scan(ctx, object, test::make_trajectory_scan(std::move(trajectory), matrix),
                      {.coils = coils, .noise_standard_deviation = noise, .seed = 3});
}

class PhantomReconstruction : public testing::TestWithParam<bool> {
 protected:
  Phantom object() const { return GetParam() ? brain_phantom(2) : shepp_logan(2, PhantomContrast::modified); }
};

TEST_P(PhantomReconstruction, FullySampledImagesAreLimitedByTheDiscOfKSpaceAlone) {
  const Context ctx({.threads = 2});
  const auto expected = truth(ctx, object());
  const double limit = error_of_the_disc(ctx, object(), expected);
  // 201 spokes are Nyquist at the edge of k-space (pi/2 n).
  Scan scan = scan_of(ctx, object(), 201, 0);
  Scan same = test::make_trajectory_scan(scan.frames[0].trajectory, matrix);
  same.coils = coils;
  same.frames[0].data = clone(ctx, scan.frames[0].data.ref());
  const auto gridding = reconstruct(ctx, std::move(scan), {.method = ReconMethod::gridding, .prewhiten = false});
  const auto iterative = reconstruct(ctx, std::move(same), {.prewhiten = false});
  const double gridding_error = nrmse(ctx, gridding, expected);
  const double iterative_error = nrmse(ctx, iterative, expected);
  std::printf("NRMSE, 201 spokes, no noise: gridding %.2f %%, CG-SENSE %.2f %%, limit of the disc %.2f %%\n",
              100 * gridding_error, 100 * iterative_error, 100 * limit);
  // Density compensation leaves side lobes of a few percent of the energy, least squares removes them; maps estimated
  // from a region of 24 points follow these coils, which hold no higher frequencies, to about a percent.
  EXPECT_LT(gridding_error, std::hypot(limit, 0.03));
  EXPECT_LT(iterative_error, std::hypot(limit, 0.02));
}

INSTANTIATE_TEST_SUITE_P(Objects, PhantomReconstruction, testing::Bool(),
                         [](const auto& suite) { return suite.param ? "Brain" : "SheppLogan"; });

TEST(Phantom, LeastSquaresUsesTheCoilsWhereGriddingStreaks) {
  const Context ctx({.threads = 2});
  const Phantom object = shepp_logan(2, PhantomContrast::modified);
  const auto expected = truth(ctx, object);
  const double limit = error_of_the_disc(ctx, object, expected);
  const double noise = 0.01;
  const auto gridding = reconstruct(ctx, scan_of(ctx, object, 48, noise), {.method = ReconMethod::gridding});
  const auto iterative = reconstruct(ctx, scan_of(ctx, object, 48, noise), {});
  const double gridding_error = nrmse(ctx, gridding, expected);
  const double iterative_error = nrmse(ctx, iterative, expected);
  std::printf("NRMSE, 48 spokes, noise: gridding %.2f %%, CG-SENSE %.2f %%, limit of the disc %.2f %%\n",
              100 * gridding_error, 100 * iterative_error, 100 * limit);
  EXPECT_LT(iterative_error, 0.5 * gridding_error);
}

}  // namespace
}  // namespace whorl
