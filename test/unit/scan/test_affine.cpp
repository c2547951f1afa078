#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/file_content.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {
namespace {

using test::error_of;

Geometry axial() {
  Geometry geometry;
  geometry.field_of_view_mm = {200, 150, 30};
  return geometry;
}

TEST(Affine, AnAxialVolumeByHand) {
  // 2 x 1.5 x 3 mm voxels, center voxel (50, 50, 5) at LPS (10, -20, 30) = RAS (-10, 20, 30); +i goes to the left of
  // the patient, so to -R, and voxel 0 lies 100 mm to the right of the center.
  Geometry geometry = axial();
  geometry.position_mm = {10, -20, 30};
  const Affine affine = voxel_affine(geometry, {100, 100, 10});
  const std::array<std::array<double, 4>, 3> expected{{{-2, 0, 0, 90}, {0, -1.5, 0, 95}, {0, 0, 3, 15}}};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      // Products and sums of a few numbers below 200 in double: 1e-12 is some ten roundings.
      EXPECT_NEAR(affine.matrix[row][column], expected[row][column], 1e-12);
    }
  }
  EXPECT_TRUE(affine.in_scanner);
}

TEST(Affine, WithoutFieldOfViewTheVoxelIsOneMillimeterAndThePlaceUnknown) {
  Geometry geometry = axial();
  geometry.field_of_view_mm[1] = 0;
  const Affine affine = voxel_affine(geometry, {4, 6, 1});
  EXPECT_FALSE(affine.in_scanner);
  EXPECT_EQ(affine.matrix[1][1], -1);
}

TEST(Affine, BrokenGeometriesAreRefused) {
  const auto refusal = [](const Geometry& geometry) {
    return error_of<ValueError>([&] { voxel_affine(geometry, {4, 5, 6}); });
  };
  Geometry geometry = axial();
  geometry.position_mm[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(geometry).find("along z"), std::string::npos);
  geometry = axial();
  geometry.field_of_view_mm[0] = -1;
  EXPECT_NE(refusal(geometry).find("along x"), std::string::npos);
  geometry = axial();
  geometry.phase_direction = {0, 0, 0};
  EXPECT_NE(refusal(geometry).find("phase and phase"), std::string::npos);
  geometry = axial();
  geometry.slice_direction = {0, 0.1, std::sqrt(0.99)};
  EXPECT_NE(refusal(geometry).find("phase and slice"), std::string::npos);
  geometry = axial();
  geometry.read_direction[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(geometry).find("read"), std::string::npos);
  EXPECT_THROW(voxel_affine(axial(), {4, 0, 6}), ValueError);
}

// Slices along an oblique direction, at the given depths.
std::vector<Geometry> oblique_slices(const std::vector<double>& depths) {
  std::vector<Geometry> slices;
  for (const double depth : depths) {
    Geometry geometry;
    geometry.field_of_view_mm = {200, 150, 3};
    geometry.read_direction = {1, 0, 0};
    geometry.phase_direction = {0, 0.8, 0.6};
    geometry.slice_direction = {0, -0.6, 0.8};
    geometry.position_mm = {5, -0.6 * depth, 0.8 * depth};
    slices.push_back(geometry);
  }
  return slices;
}

TEST(StackSlices, InterleavedSlicesAreSortedAndTheGapCounts) {
  // 4 slices of 3 mm every 4 mm, acquired 0, 2, 1, 3, each twice.
  const auto slices = oblique_slices({-8, 0, -4, 4, -8, 0, -4, 4});
  const SliceStacks result = stack_slices(slices, 1);
  ASSERT_EQ(result.stacks.size(), 1U) << result.irregularity;
  const SliceStack& stack = result.stacks[0];
  EXPECT_EQ(stack.slices, 4);
  EXPECT_EQ(stack.frames, (std::vector<Index>{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_NEAR(stack.geometry.field_of_view_mm[2], 16, 1e-9);
  // Voxel floor(4/2) = 2 along z is the slice at depth 0.
  EXPECT_EQ(stack.geometry.position_mm, slices[1].position_mm);
}

TEST(StackSlices, OneSliceKeepsItsThickness) {
  const SliceStacks result = stack_slices(oblique_slices({7, 7, 7}), 1);
  ASSERT_EQ(result.stacks.size(), 1U);
  EXPECT_EQ(result.stacks[0].slices, 1);
  EXPECT_EQ(result.stacks[0].frames, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(result.stacks[0].geometry.field_of_view_mm[2], 3);
}

TEST(StackSlices, WhatIsNoStackIsSplitAndSaysWhy) {
  const auto reason = [](const std::vector<Geometry>& frames, std::size_t stacks) {
    const SliceStacks result = stack_slices(frames, 1);
    EXPECT_EQ(result.stacks.size(), stacks);
    return result.irregularity;
  };
  EXPECT_NE(reason(oblique_slices({0, 4, 9}), 3).find("distances"), std::string::npos);
  EXPECT_NE(reason(oblique_slices({0, 4, 8, 0}), 3).find("slice 0 has 2 frames"), std::string::npos);
  auto localizer = oblique_slices({0, 4});
  std::swap(localizer[1].phase_direction, localizer[1].slice_direction);
  EXPECT_NE(reason(localizer, 2).find("direction"), std::string::npos);
  auto shifted = oblique_slices({0, 4, 8});
  shifted[2].position_mm[0] += 1;
  EXPECT_NE(reason(shifted, 3).find("aside"), std::string::npos);
  EXPECT_THROW(stack_slices({}, 1), ValueError);
}

TEST(StackSlices, VolumesAreNotStacked) {
  const SliceStacks result = stack_slices(oblique_slices({0, 40, 0}), 12);
  ASSERT_EQ(result.stacks.size(), 2U);
  EXPECT_EQ(result.stacks[0].frames, (std::vector<Index>{0, 2}));
  EXPECT_FALSE(result.irregularity.empty());
}

}  // namespace
}  // namespace whorl
