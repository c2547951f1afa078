#include <gtest/gtest.h>

#include <numeric>

#include "whorl/core/error.hpp"
#include "whorl/plot/overview.hpp"

namespace whorl {
namespace {

Color gray_of(double part) { return color_of(Colormap::gray, part); }

// Voxel (frame, z, y, x) has the value of its index: planes are told apart by every pixel.
Array<float> counted(const Context& ctx, const Shape& shape) {
  Array<float> volumes(ctx, shape);
  std::iota(volumes.span().begin(), volumes.span().end(), 0.0F);
  return volumes;
}

TEST(Overview, PlanesGoThroughTheVoxelAndHaveTheEdgesOfVoxels) {
  const Context ctx;
  const auto volume = counted(ctx, {1, 3, 4, 5});
  // A voxel is twice as long along z: the coronal plane (x, z) has 5 x 6 pixels, the sagittal one (y, z) 4 x 6.
  const OverviewOptions options{.window = DisplayWindow{0, 59}, .edges = {1, 1, 2}, .zoom = 1, .has_text = false};
  const Overview planes = planes_picture(ctx, volume, options, Voxel{3, 1, 2});
  EXPECT_EQ(planes.shown, "planes through x 3, y 1, z 2");
  ASSERT_EQ(planes.picture.width, 3 * 5);
  ASSERT_EQ(planes.picture.height, 6);
  EXPECT_EQ(planes.picture.at(1, 4), gray_of((40 + 5 + 4) / 59.0));      // axial: z 2, y 1, x 4
  EXPECT_EQ(planes.picture.at(0, 5 + 2), gray_of((40 + 5 + 2) / 59.0));  // coronal: the largest z on top
  EXPECT_EQ(planes.picture.at(1, 5 + 2), gray_of((40 + 5 + 2) / 59.0));  // each voxel on two rows
  EXPECT_EQ(planes.picture.at(4, 5 + 2), gray_of((0 + 5 + 2) / 59.0));
  EXPECT_EQ(planes.picture.at(2, 10 + 2), gray_of((20 + 2 * 5 + 3) / 59.0));  // sagittal: z 1, y 2, x 3
  EXPECT_THROW(planes_picture(ctx, volume, options, Voxel{3, 4, 2}), ValueError);
}

TEST(Overview, PlanesGoThroughTheObjectByDefault) {
  const Context ctx;
  Array<float> volume = zeros<float>(ctx, {1, 20, 9, 7});
  volume.view<4>()(0, 15, 2, 6) = 3;
  EXPECT_EQ(middle_of_object(volume), (Voxel{6, 2, 15}));
  EXPECT_EQ(middle_of_object(zeros<float>(ctx, {1, 20, 9, 7})), (Voxel{3, 4, 10}));
  EXPECT_EQ(overview_picture(ctx, volume, {}).shown, "planes through x 6, y 2, z 15");
  // Asked for slices, or with few of them, they lie side by side.
  EXPECT_EQ(overview_picture(ctx, volume, {.slices = {3, 4}}).shown, "2 of 2 images");
  EXPECT_EQ(overview_picture(ctx, volume, {.tiles = 12}).shown, "12 of 20 images");
  EXPECT_EQ(overview_picture(ctx, counted(ctx, {2, 9, 4, 4}), {}).shown, "16 of 18 images");
}

TEST(Overview, AtMostFiveFramesOfPlanes) {
  const Context ctx;
  const Overview planes = overview_picture(ctx, counted(ctx, {12, 17, 4, 4}), {.zoom = 1, .has_text = false});
  EXPECT_EQ(planes.picture.height, 5 * 17);
  EXPECT_NE(planes.shown.find("5 of 12 frames"), std::string::npos) << planes.shown;
}

TEST(Overview, TilesHaveALineOfText) {
  const Context ctx;
  const auto images = counted(ctx, {4, 1, 30, 30});
  const Overview plain = tiles_picture(ctx, images, {.zoom = 1, .has_text = false});
  const Overview numbered = tiles_picture(ctx, images, {.zoom = 1});
  EXPECT_EQ(plain.picture.height, 60);
  EXPECT_EQ(numbered.picture.width, plain.picture.width);
  EXPECT_EQ(numbered.picture.height, 60 + 2 * 18);
  // A single image needs no number, and tiles of few pixels have no room for one.
  EXPECT_EQ(tiles_picture(ctx, counted(ctx, {1, 1, 30, 30}), {.zoom = 1}).picture.height, 30);
  EXPECT_EQ(tiles_picture(ctx, counted(ctx, {4, 1, 8, 8}), {.zoom = 1}).picture.height, 16);
}

// 100 values 1 ... 100 in an object within zeros: the 2nd and 98th percentile by rank floor(q (n - 1)).
TEST(Overview, MapsAreWindowedInsideTheObject) {
  const Context ctx;
  Array<float> map = zeros<float>(ctx, {1, 1, 20, 20});
  std::iota(map.span().begin(), map.span().begin() + 100, 1.0F);
  EXPECT_EQ(map_window(ctx, map).low, 2);
  EXPECT_EQ(map_window(ctx, map).high, 98);
  map.span()[0] = -1e6F;  // a voxel that ran away
  map.span()[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(map_window(ctx, map).low, -map_window(ctx, map).high);
  EXPECT_EQ(map_window(ctx, map).high, 99);
  EXPECT_EQ(map_window(ctx, zeros<float>(ctx, {1, 1, 2, 2})).high, 1);
}

}  // namespace
}  // namespace whorl
