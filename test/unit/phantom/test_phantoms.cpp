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
    const auto found =
        tissues.find({std::lround(100 * intensity.data()[i]), std::lround(100 * r2_star.data()[i])});
    ASSERT_NE(found, tissues.end()) << intensity.data()[i] << " " << r2_star.data()[i] << " at voxel " << i;
    ++count[static_cast<std::size_t>(found->second)];
  }
  for (std::size_t tissue = 0; tissue < count.size(); ++tissue) {
    if (tissue != 2 || brain.dim == 3) EXPECT_GT(count[tissue], 0) << tissue;
  }
  // More white than gray matter would be odd, and so would a brain that does not fill the head.
  EXPECT_GT(count[5] + count[6], count[4]);
}

INSTANTIATE_TEST_SUITE_P(Sizes, BrainTissues,
                         testing::Values(std::array<Index, 3>{512, 480, 1}, std::array<Index, 3>{110, 120, 104}),
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

// Bars 3 pixels wide, 3 apart: a line along the direction that they are told apart in is bright and dark for 3 pixels
// each.
std::vector<Index> runs_of(const std::vector<float>& line, float bright) {
  std::vector<Index> runs;
  Index length = 0;
  for (const float value : line) {
    if (value == bright) {
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
  // Half a field of view of 640 in steps of 1/10 of the unit in which the bars are given: 3 wide is 30 voxels.
  const Phantom phantom = resolution_phantom(2, {64, 64, 64}, std::array{3.0});
  const Array<float> image = rasterize<float>(ctx, phantom, {640, 640, 1}, 1);
  std::vector<float> along_x;
  for (Index x = 0; x < 640; ++x) along_x.push_back(image.view<2>()(320, x));
  // Four bars along x, the group along y cut through a gap or a bar, then rods cut through their gap or not.
  const std::vector<Index> runs = runs_of(along_x, 1);
  ASSERT_GE(runs.size(), 4U);
  for (std::size_t bar = 0; bar < 4; ++bar) EXPECT_NEAR(static_cast<double>(runs[bar]), 30, 1);
  // The middle group lies in the middle of the field of view.
  std::vector<float> along_y;
  for (Index y = 0; y < 640; ++y) along_y.push_back(image.view<2>()(y, 320));
  const std::vector<Index> bars = runs_of(along_y, 1);
  ASSERT_EQ(bars.size(), 4U);
  for (const Index bar : bars) EXPECT_NEAR(static_cast<double>(bar), 30, 1);
}

TEST(Resolution, InThreeDimensionsBarsAlongZToo) {
  const Context ctx;
  // Voxels of 1/4 along x and y and of 1/2 along z: 3 wide is 12 and 6 voxels.
  const Phantom phantom = resolution_phantom(3, {50, 50, 40}, std::array{3.0});
  const Array<float> image = rasterize<float>(ctx, phantom, {200, 200, 80}, 1);
  const auto view = image.view<3>();
  // The third of the four groups of 21 with spaces of 0.06 * 25 is centered at 21 / 2 + 0.75.
  const auto x = static_cast<Index>(100 + 4 * (10.5 + 0.75));
  std::vector<float> along_z;
  for (Index z = 0; z < 80; ++z) along_z.push_back(view(z, 100, x));
  const std::vector<Index> bars = runs_of(along_z, 1);
  ASSERT_EQ(bars.size(), 4U);
  for (const Index bar : bars) EXPECT_NEAR(static_cast<double>(bar), 6, 1);
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

// The center of mass of each mark above the plate is where the documentation says, to a part of a voxel: the raster is
// symmetric about the centers, which are lattice points.
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
      EXPECT_NEAR(moment_x / mass, 0, 1e-3) << row << " " << column;
      EXPECT_NEAR(moment_y / mass, 0, 1e-3) << row << " " << column;
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
