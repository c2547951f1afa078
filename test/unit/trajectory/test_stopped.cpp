// Trajectories of billions of samples stop when they are asked to.
#include <gtest/gtest.h>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/cartesian.hpp"
#include "whorl/trajectory/cones.hpp"
#include "whorl/trajectory/gradients.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/propeller.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/random_trajectory.hpp"
#include "whorl/trajectory/rosette.hpp"
#include "whorl/trajectory/spiral.hpp"
#include "whorl/trajectory/stack.hpp"

namespace whorl {
namespace {

class StoppedTrajectory : public testing::Test {
 protected:
  void SetUp() override { stopped_.request_cancel(); }

  Context ctx_;
  Context stopped_;
};

TEST_F(StoppedTrajectory, EveryKindAsks) {
  const Array<std::uint8_t> mask = [&] {
    Array<std::uint8_t> lines(ctx_, {3, 4});
    for (std::uint8_t& mark : lines.span()) mark = 1;
    return lines;
  }();
  const Trajectory plane = radial_trajectory(ctx_, 3, 8, SpokeOrder::uniform);
  EXPECT_THROW(radial_trajectory(stopped_, 3, 8, SpokeOrder::uniform), Cancelled);
  EXPECT_THROW(kooshball_trajectory(stopped_, 3, 8), Cancelled);
  EXPECT_THROW(spiral_trajectory(stopped_, 3, 8, 2), Cancelled);
  EXPECT_THROW(cones_trajectory(stopped_, {.cones = 2, .interleaves = 3, .matrix = 8}, 9), Cancelled);
  EXPECT_THROW(propeller_trajectory(stopped_, {.blades = 2, .lines = 3, .readout = 8, .matrix = 8}), Cancelled);
  EXPECT_THROW(rosette_trajectory(stopped_, 2, 9, 5, 3), Cancelled);
  EXPECT_THROW(random_trajectory(stopped_, 9, 3, RandomRegion::ball, 1), Cancelled);
  EXPECT_THROW(cartesian_trajectory(stopped_, 8, mask), Cancelled);
  EXPECT_THROW(stack_trajectory(stopped_, plane, {.partitions = 2}), Cancelled);
}

TEST_F(StoppedTrajectory, ChecksOfPositionsAndGradientsAsk) {
  const Trajectory plane = radial_trajectory(ctx_, 3, 8, SpokeOrder::uniform);
  EXPECT_THROW(check_trajectory(stopped_, plane.points), Cancelled);
  const Gradients gradients{zeros<double>(ctx_, {2, 5, 3}), 10};
  EXPECT_THROW(gradient_peaks(stopped_, gradients), Cancelled);
  EXPECT_THROW(slew_rates(stopped_, gradients), Cancelled);
}

}  // namespace
}  // namespace whorl
