#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/phantom/test_objects.hpp"

namespace whorl {
namespace {

// A region carries what its tissue differs by from the one around it. Where a figure crossed the edge of the one around
// it, or two overlapped, values of no tissue would come up.
class BrainTissues : public ::testing::TestWithParam<std::array<Index, 3>> {};

TEST_P(BrainTissues, EveryVoxelIsOfOneTissue) {
  const Context ctx;
  const auto matrix = GetParam();
  const Phantom brain = brain_phantom(matrix[2] > 1 ? 3 : 2);
  const Array<float> intensity = rasterize<float>(ctx, brain, matrix, 1);
  const Array<float> r2_star = r2_star_map(ctx, brain, matrix);
  // Intensity and R2* in hundredths: air, scalp, muscle, bone, fluid, gray, white, deep gray, lesion.
  const std::map<std::pair<long, long>, int> tissues{{{0, 0}, 0},      {{80, 3000}, 1}, {{45, 3000}, 2},
                                                     {{6, 40000}, 3},  {{20, 150}, 4},  {{60, 1600}, 5},
                                                     {{100, 2000}, 6}, {{70, 3500}, 7}, {{40, 1200}, 8}};
  std::array<Index, 9> count{};
  for (Index i = 0; i < intensity.size(); ++i) {
    const auto found = tissues.find({std::lround(100 * intensity.data()[i]), std::lround(100 * r2_star.data()[i])});
    ASSERT_NE(found, tissues.end()) << intensity.data()[i] << " " << r2_star.data()[i] << " at voxel " << i;
    ++count[static_cast<std::size_t>(found->second)];
  }
  for (std::size_t tissue = 0; tissue < count.size(); ++tissue) {
    const bool only_in_volume = tissue == 2;  // muscle
    EXPECT_TRUE(count[tissue] > 0 || (only_in_volume && brain.dim == 2)) << tissue;
  }
  // More white than gray matter would be odd, and so would a brain that does not fill the head.
  EXPECT_GT(count[5] + count[6], count[4]);
}

INSTANTIATE_TEST_SUITE_P(Sizes, BrainTissues,
                         testing::Values(std::array<Index, 3>{512, 480, 1}, std::array<Index, 3>{200, 210, 190}),
                         [](const auto& suite) { return suite.param[2] > 1 ? "Volume" : "Slice"; });

TEST(Brain, OtherDimensionsAreRefused) {
  EXPECT_THROW(brain_phantom(4), ValueError);
  EXPECT_THROW(geometric_phantom(1), ValueError);
  EXPECT_THROW(resolution_phantom(0, {1, 1, 1}, std::array{1.0}), ValueError);
}

TEST(SheppLogan, TissueOfTheVentricles) {
  const Context ctx;
  const Array<float> r2_star = r2_star_map(ctx, shepp_logan(2, PhantomContrast::standard), {100, 100, 1});
  EXPECT_NEAR(r2_star.view<2>()(50, 50), 20, 1e-5);
  EXPECT_NEAR(r2_star.view<2>()(50, 39), 2, 1e-5);
  EXPECT_NEAR(r2_star.view<2>()(5, 50), 100, 1e-5);
}

// Lengths of the bright runs on a line.
std::vector<Index> runs_of(const std::vector<float>& line, float bright) {
  std::vector<Index> runs;
  Index length = 0;
  for (const float value : line) {
    if (std::abs(value - bright) < 1e-6F) {
      ++length;
    } else {
      if (length > 0) runs.push_back(length);
      length = 0;
    }
  }
  return runs;
}

TEST(Resolution, BarsAreAsWideAsAskedFor) {
  const Context ctx;
  // 10 voxels are one unit, in which the bars are given: 2 wide is 20 voxels.
  const Phantom phantom = resolution_phantom(2, {64, 64, 64}, std::array{2.0});
  const Array<float> image = rasterize<float>(ctx, phantom, {640, 640, 1}, 1);
  std::vector<float> along_x;
  for (Index x = 0; x < 640; ++x) along_x.push_back(image.view<2>()(320, x));
  // Four bars along x come first.
  const std::vector<Index> runs = runs_of(along_x, 1);
  ASSERT_GE(runs.size(), 4U);
  for (std::size_t bar = 0; bar < 4; ++bar) EXPECT_NEAR(static_cast<double>(runs[bar]), 20, 1);
  // The middle group lies in the middle of the field of view.
  std::vector<float> along_y;
  for (Index y = 0; y < 640; ++y) along_y.push_back(image.view<2>()(y, 320));
  const std::vector<Index> bars = runs_of(along_y, 1);
  ASSERT_EQ(bars.size(), 4U);
  for (const Index bar : bars) EXPECT_NEAR(static_cast<double>(bar), 20, 1);
}

TEST(Resolution, InThreeDimensionsBarsAlongZToo) {
  const Context ctx;
  // Voxels of 1/4 along x and y and of 1/2 along z: 1 wide is 4 and 2 voxels.
  const Phantom phantom = resolution_phantom(3, {50, 50, 40}, std::array{1.0});
  const Array<float> image = rasterize<float>(ctx, phantom, {200, 200, 80}, 4);
  const auto view = image.view<3>();
  // The third of the four groups of 7 with spaces of 0.06 * 25 is centered at 7 / 2 + 0.75. Bars of 2 voxels lie at 1,
  // 3 voxels from the middle, from voxel center to voxel center: 39 is half full, 40 half.
  const auto x = static_cast<Index>(100 + 4 * (3.5 + 0.75));
  for (Index z = 20; z < 60; ++z) {
    // From the middle of voxel 40: bars at -7 to -5, -3 to -1, 1 to 3 and 5 to 7 voxels.
    const double from_middle = std::abs(static_cast<double>(z) - 40);
    float expected = 0.25F;
    if (from_middle == 2 || from_middle == 6) expected = 1;
    if (from_middle == 1 || from_middle == 3 || from_middle == 5 || from_middle == 7) expected = 0.625F;
    EXPECT_NEAR(view(z, 100, x), expected, 1e-6) << z;
  }
}

TEST(Resolution, WhatDoesNotFitIsRefused) {
  const std::array<double, 3> view{64, 64, 64};
  EXPECT_THROW(resolution_phantom(2, view, std::array{4.0}), ValueError);
  EXPECT_THROW(resolution_phantom(2, view, std::array{1.0, 2.0, 3.0, 2.0}), ValueError);
  EXPECT_THROW(resolution_phantom(3, {64, 64, 6}, std::array{1.0}), ValueError);
  EXPECT_THROW(resolution_phantom(2, view, {}), ValueError);
  EXPECT_THROW(resolution_phantom(2, view, std::array{0.0}), ValueError);
  EXPECT_THROW(resolution_phantom(2, {64, 0, 64}, std::array{1.0}), ValueError);
}

// The center of mass of each mark above the plate is where the documentation says. A mark whose edges fall on lattice
// points may have one of its two by rounding: half a column of 1/3 voxel in 2 * 0.035 * 200 = 14 voxels. The bound
// leaves that, 1/6 voxel, and is a thousandth of the pitch beside it.
TEST(Geometric, MarksLieOnTheirLattice) {
  const Context ctx;
  const Array<float> image = rasterize<float>(ctx, geometric_phantom(2), {400, 400, 1}, 3);
  for (int row = -4; row <= 4; ++row) {
    for (int column = -4; column <= 4; ++column) {
      const Index center_x = 200 + 30 * column;  // 0.15 * 200
      const Index center_y = 200 + 30 * row;
      const Index reach = 14;
      double mass = 0;
      double moment_x = 0;
      double moment_y = 0;
      for (Index y = center_y - reach; y <= center_y + reach; ++y) {
        for (Index x = center_x - reach; x <= center_x + reach; ++x) {
          const double above = image.view<2>()(y, x) - 0.5;
          mass += above;
          moment_x += above * static_cast<double>(x - center_x);
          moment_y += above * static_cast<double>(y - center_y);
        }
      }
      EXPECT_GT(mass, 50);
      EXPECT_NEAR(moment_x / mass, 0, 0.2) << row << " " << column;
      EXPECT_NEAR(moment_y / mass, 0, 0.2) << row << " " << column;
    }
  }
}

TEST(Geometric, AMirroredImageIsTold) {
  const Context ctx;
  const Array<float> image = rasterize<float>(ctx, geometric_phantom(2), {200, 200, 1}, 1);
  const auto at = image.view<2>();
  EXPECT_EQ(at(17, 17), 1);  // the triangle in the corner
  EXPECT_EQ(at(17, 182), 0.5);
  EXPECT_EQ(at(182, 17), 0.5);
  // The wedge at the right is thick at the bottom: x = 0.7 to 0.8 at y = 0.6.
  EXPECT_EQ(at(157, 178), 1);
  EXPECT_EQ(at(43, 178), 0.5);
  const Array<float> volume = rasterize<float>(ctx, geometric_phantom(3), {40, 40, 40}, 1);
  EXPECT_EQ(volume.view<3>()(20, 20, 20), 1);
  EXPECT_EQ(volume.view<3>()(20, 31, 35), 1);
  EXPECT_EQ(volume.view<3>()(36, 31, 35), 0.5);  // the wedges end at 0.6 along z
}

}  // namespace
}  // namespace whorl
