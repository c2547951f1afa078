#include "whorl/trajectory/stack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Point = std::complex<double>;

TEST(Stack, ReadoutsAreTakenInAllPartitions) {
  const Context ctx;
  const Index spokes = 3;
  const Index n = 4;
  const Trajectory plane = radial_trajectory(ctx, spokes, n, SpokeOrder::uniform);
  const auto from = plane.points.view<2>();
  // Partitions in the order of acquisition, counted from the lowest kz; the center is floor(P / 2).
  struct Case {
    PartitionOrder order;
    std::vector<Index> partitions;
  };
  for (const Case& test :
       {Case{PartitionOrder::linear, {0, 1, 2, 3, 4}}, Case{PartitionOrder::centric, {2, 1, 3, 0, 4}},
        Case{PartitionOrder::centric, {2, 1, 3, 0}}, Case{PartitionOrder::linear, {0, 1}}}) {
    const auto count = static_cast<Index>(test.partitions.size());
    for (const double rotation : {0.0, std::numbers::pi / 3}) {
      const Trajectory stack =
          stack_trajectory(ctx, plane, {.partitions = count, .order = test.order, .golden_rotation = rotation});
      ASSERT_EQ(stack.points.shape(), (Shape{spokes * count * n, 3}));
      EXPECT_EQ(stack.readout_length, n);
      EXPECT_NO_THROW(check_trajectory(stack.points));
      const auto k = stack.points.view<2>();
      for (Index sample = 0; sample < stack.samples(); ++sample) {
        const Index shot = sample / n;
        const Index partition = test.partitions[static_cast<std::size_t>(shot % count)];
        const double kz =
            (static_cast<double>(partition) - std::floor(static_cast<double>(count) / 2)) / static_cast<double>(count);
        EXPECT_EQ(k(sample, 2), kz);
        const Index source = shot / count * n + sample % n;
        // (sqrt(5) - 1) / 2 of the angle that maps the star on itself, for each partition.
        const double part = std::fmod(0.6180339887498949 * static_cast<double>(partition), 1.0);
        const Point expected = Point(from(source, 0), from(source, 1)) * std::polar(1.0, rotation * part);
        EXPECT_LT(std::abs(Point(k(sample, 0), k(sample, 1)) - expected), 1e-15);
      }
    }
  }
}

TEST(Stack, BadPlanesAreRefused) {
  const Context ctx;
  Trajectory plane = radial_trajectory(ctx, 3, 4, SpokeOrder::uniform);
  EXPECT_THROW(stack_trajectory(ctx, plane, {.partitions = 0}), ValueError);
  EXPECT_THROW(stack_trajectory(ctx, plane, {.partitions = Index{1} << 31}), ValueError);
  EXPECT_THROW(stack_trajectory(ctx, plane, {.golden_rotation = std::nan("")}), ValueError);
  plane.readout_length = 0;
  EXPECT_THROW(stack_trajectory(ctx, plane, {}), ValueError);
  plane.readout_length = 5;
  EXPECT_THROW(stack_trajectory(ctx, plane, {}), ValueError);
  const Trajectory volume{zeros<double>(ctx, {12, 3}), 4};
  EXPECT_THROW(stack_trajectory(ctx, volume, {}), ShapeError);
}

}  // namespace
}  // namespace whorl
