#include "whorl/density/impulse_response.hpp"

#include <gtest/gtest.h>

#include "whorl/density/radial_density.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

TEST(ImpulseResponse, AFullGridGivesOnePixel) {
  const Context ctx;
  Array<double> points(ctx, {20 * 14, 2});
  for (Index j = 0; j < points.extent(0); ++j) {
    const Index row = j / 14;
    points.data()[2 * j] = double(j % 14) / 14 - 0.5;
    points.data()[2 * j + 1] = double(row) / 20 - 0.5;
  }
  Array<float> weights(ctx, {points.extent(0)});
  fill<float>(weights, 1);
  const auto response = impulse_response<float>(ctx, points, weights, {20, 14});
  // sin(pi r)/(N sin(pi r/N)) = 1/2 at r = 0.603; linear interpolation in steps of 1/8 pixel is good to 0.01.
  EXPECT_NEAR(response.width, 2 * 0.603, 0.02);
  EXPECT_LT(response.side_lobe, 1e-3);  // the NUFFT's tolerance is 1e-4
  EXPECT_LT(response.side_lobe_energy, 1e-5);
}

TEST(ImpulseResponse, CompensationLowersTheSideLobes) {
  const Context ctx;
  const Trajectory radial = radial_trajectory(ctx, 160, 64, SpokeOrder::golden_angle);
  Array<double> even(ctx, {radial.samples()});
  fill<double>(even, 1);
  const auto ramp = radial_density<double>(ctx, radial, {64, 64});
  const auto before = impulse_response<double>(ctx, radial.points, even, {64, 64});
  const auto after = impulse_response<double>(ctx, radial.points, ramp, {64, 64});
  EXPECT_LT(after.side_lobe_energy, 0.2 * before.side_lobe_energy);
  EXPECT_LT(after.side_lobe, before.side_lobe);
  EXPECT_LT(after.width, before.width);
  // The disc's own response is 1.41 pixels wide (2 J1(x)/x = 1/2 at x = 2.215); the spokes end half a step early.
  EXPECT_NEAR(after.width, 1.41, 0.03);
}

TEST(ImpulseResponse, WeightsMustFit) {
  const Context ctx;
  const Trajectory radial = radial_trajectory(ctx, 5, 8, SpokeOrder::uniform);
  Array<double> wrong(ctx, {3});
  EXPECT_THROW(impulse_response<double>(ctx, radial.points, wrong, {8, 8}), ShapeError);
}

}  // namespace
}  // namespace whorl
