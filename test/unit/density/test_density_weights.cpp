#include "whorl/density/density_weights.hpp"

#include <gtest/gtest.h>

#include "whorl/core/error.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/density/spiral_density.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"
#include "whorl/trajectory/spiral.hpp"
#include "whorl/trajectory/stack.hpp"

namespace whorl {
namespace {

class DensityWeightsOf : public ::testing::Test {
 protected:
  DensityWeights<float> by(DensityMethod method, const Array<float>* from_file = nullptr,
                           const DensityOptions& options = {}) const {
    return density_weights<float>(ctx_, radial_, {16, 16}, from_file, method, options);
  }
  static void expect_same(const Array<float>& a, const Array<float>& b) {
    ASSERT_EQ(a.shape(), b.shape());
    EXPECT_TRUE(std::equal(a.span().begin(), a.span().end(), b.span().begin()));
  }

  const Context ctx_;
  const Trajectory radial_ = radial_trajectory(ctx_, 7, 16, SpokeOrder::uniform);
};

TEST_F(DensityWeightsOf, EachMethodAreThatMethods) {
  expect_same(by(DensityMethod::radial).weights, radial_density<float>(ctx_, radial_, {16, 16}));
  expect_same(by(DensityMethod::spiral).weights, spiral_density<float>(ctx_, radial_));
  expect_same(by(DensityMethod::pipe_menon).weights, pipe_menon_density<float>(ctx_, radial_.points, {16, 16}).weights);
  const DensityOptions options{
      .pipe_menon = {.iterations = 2}, .voronoi = {.boundary = VoronoiBoundary::hull}, .cell_count = {.cell = 3}};
  EXPECT_NE(by(DensityMethod::pipe_menon, nullptr, options).origin.find("2 iterations"), std::string::npos);
  expect_same(by(DensityMethod::voronoi, nullptr, options).weights,
              voronoi_density<float>(ctx_, radial_.points, {.boundary = VoronoiBoundary::hull}));
  expect_same(by(DensityMethod::cell_count, nullptr, options).weights,
              cell_count_density<float>(ctx_, radial_.points, {16, 16}, {.cell = 3}));
  const auto none = by(DensityMethod::none);
  for (const float w : none.weights.span()) EXPECT_EQ(w, 1);
}

TEST_F(DensityWeightsOf, ThoseOfTheFileAreNormalized) {
  Array<float> weights(ctx_, {radial_.samples()});
  fill<float>(weights, 0.25F);
  EXPECT_THROW(by(DensityMethod::file), ValueError);
  for (const DensityMethod method : {DensityMethod::file, DensityMethod::automatic}) {
    const auto result = by(method, &weights);
    EXPECT_EQ(result.origin, "from the file");
    for (const float w : result.weights.span()) EXPECT_FLOAT_EQ(w, 1);
  }
  expect_same(by(DensityMethod::automatic).weights, by(DensityMethod::pipe_menon).weights);  // 7 spokes of 25
}

// Spokes sample the edge of k-space fully from pi/2 N on in the plane, and from pi/2 N^2 in space; half as many
// directions have twice as many spokes from the center.
TEST(AutomaticDensity, TakesTheFormulaWhereItIsBest) {
  const Context ctx;
  const auto star = [&](Index spokes, bool center_out = false) {
    SpokeOptions options;
    options.center_out = center_out;
    return radial_trajectory(ctx, spokes, 32, SpokeOrder::golden_angle, options);
  };
  const Shape plane{16, 16};
  const Shape space{8, 8, 8};
  EXPECT_EQ(automatic_density(ctx, star(26), plane), DensityMethod::radial);
  EXPECT_EQ(automatic_density(ctx, star(25), plane), DensityMethod::pipe_menon);
  EXPECT_EQ(automatic_density(ctx, star(52, true), plane), DensityMethod::radial);
  EXPECT_EQ(automatic_density(ctx, star(48, true), plane), DensityMethod::pipe_menon);
  EXPECT_EQ(automatic_density(ctx, kooshball_trajectory(ctx, 102, 16), space), DensityMethod::radial);
  EXPECT_EQ(automatic_density(ctx, kooshball_trajectory(ctx, 99, 16), space), DensityMethod::pipe_menon);
  EXPECT_EQ(automatic_density(ctx, stack_trajectory(ctx, star(26), {.partitions = 8}), {8, 16, 16}),
            DensityMethod::radial);
  EXPECT_EQ(automatic_density(ctx, stack_trajectory(ctx, star(20), {.partitions = 8}), {8, 16, 16}),
            DensityMethod::pipe_menon);
  EXPECT_EQ(automatic_density(ctx, spiral_trajectory(ctx, 4, 100, 3), plane), DensityMethod::spiral);
  EXPECT_EQ(automatic_density(ctx, random_trajectory(ctx, 500, 2, RandomRegion::box, 1), plane),
            DensityMethod::pipe_menon);
}

}  // namespace
}  // namespace whorl
