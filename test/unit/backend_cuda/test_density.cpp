// Density weights on a GPU: every method gives what it gives on the CPU.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/density_quality.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

template <class Real>
double worst_ratio(const Array<Real>& there, const Array<Real>& here) {
  double worst = 0;
  for (Index i = 0; i < here.size(); ++i) {
    worst = std::max(worst, std::abs(double(there.data()[i]) / double(here.data()[i]) - 1));
  }
  return worst;
}

TEST(CudaDensity, WeightsAreScaled) {
  const Context ctx = test::device_context();
  Array<float> here(ctx.host(), {10007});
  for (Index i = 0; i < here.size(); ++i) here.data()[i] = static_cast<float>(random_uniform(1, i)) + 0.1F;
  Array<float> there = clone<float>(ctx, here);
  normalize_weights<float>(here);
  normalize_weights<float>(ctx, there);
  EXPECT_LT(worst_ratio(to_host<float>(ctx, there), here), 2 * std::numeric_limits<float>::epsilon());
  for (const float wrong : {-1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    here.data()[5003] = wrong;
    copy<float>(ctx, here, there);
    EXPECT_THROW(normalize_weights<float>(ctx, there), ValueError);
  }
  fill<float>(ctx, there, 0);
  EXPECT_THROW(normalize_weights<float>(ctx, there), ValueError);
}

// The rounding of gridding, 1e-6 of the sums for floats, whose window is that good, changes Pipe-Menon's weights along
// directions that the convolution does not see. k steps with momentum add it up to k^2 / 2 times, on both devices: 4e-4
// after the 21 steps here, twice. The other weights are found on the host in either case.
TEST(CudaDensity, AllMethods) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const Trajectory trajectory = radial_trajectory(host, 40, 48, SpokeOrder::golden_angle);
  for (const auto method : {DensityMethod::pipe_menon, DensityMethod::radial, DensityMethod::voronoi,
                            DensityMethod::cell_count, DensityMethod::none}) {
    const auto here = density_weights<float>(host, trajectory, {24, 24}, nullptr, method);
    const auto there = density_weights<float>(ctx, trajectory, {24, 24}, nullptr, method);
    EXPECT_EQ(there.weights.device(), ctx.device());
    EXPECT_EQ(there.origin, here.origin);
    EXPECT_LT(worst_ratio(to_host<const float>(ctx, there.weights), here.weights),
              method == DensityMethod::pipe_menon ? 1e-3 : 1e-12)
        << here.origin;
    const DensityQuality quality_here = density_quality<float>(host, trajectory.points, here.weights, {24, 24});
    const DensityQuality quality = density_quality<float>(ctx, trajectory.points, there.weights, {24, 24});
    // The default tolerance of the transform and the window's, over side lobes of a percent.
    EXPECT_NEAR(quality.response.width, quality_here.response.width, 1e-4);
    EXPECT_NEAR(quality.response.side_lobe, quality_here.response.side_lobe, 1e-4);
    EXPECT_NEAR(quality.response.side_lobe_energy, quality_here.response.side_lobe_energy, 1e-4);
    EXPECT_NEAR(quality.flatness.variation, quality_here.flatness.variation, 1e-4);
  }
}

}  // namespace
}  // namespace whorl
