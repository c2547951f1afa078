#include <gtest/gtest.h>

#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl {
namespace {

// The voxel at a place given as in the printed tables, y up.
float at(const Array<float>& image, double x, double y) {
  const auto view = image.view<2>();
  const auto column = static_cast<Index>(std::lround(static_cast<double>(view.extent(1)) / 2 * (1 + x)));
  const auto row = static_cast<Index>(std::lround(static_cast<double>(view.extent(0)) / 2 * (1 - y)));
  return view(row, column);
}

TEST(SheppLogan, TheModifiedHeadIsAsPrinted) {
  const Context ctx;
  const Array<float> image = rasterize<float>(ctx, shepp_logan(2, PhantomContrast::modified), {220, 256, 1}, 1);
  constexpr float rounding = 1e-6F;
  EXPECT_NEAR(at(image, 0, 0), 0.2F, rounding);      // brain: 1 - 0.8
  EXPECT_NEAR(at(image, 0, 0.9), 1.0F, rounding);    // skull
  EXPECT_NEAR(at(image, 0, 0.96), 0.0F, rounding);   // air
  EXPECT_NEAR(at(image, 0, 0.35), 0.3F, rounding);   // the tumor is on top
  EXPECT_NEAR(at(image, 0, -0.35), 0.2F, rounding);  //
  EXPECT_NEAR(at(image, -0.22, 0), 0.0F, rounding);  // the large ventricle is on the left
  EXPECT_NEAR(at(image, -0.40, -0.1), 0.2F, rounding);
  EXPECT_NEAR(at(image, 0.297, 0.238), 0.0F, rounding);  // the top of the right ventricle leans to the right
  EXPECT_NEAR(at(image, 0.143, 0.238), 0.3F, rounding);
  EXPECT_NEAR(at(image, 0.06, -0.605), 0.3F, rounding);
}

TEST(SheppLogan, TheStandardHeadDiffersByOnePercent) {
  const Context ctx;
  const Array<float> image = rasterize<float>(ctx, shepp_logan(2, PhantomContrast::standard), {256, 256, 1}, 1);
  constexpr float rounding = 1e-6F;
  EXPECT_NEAR(at(image, 0, 0), 1.02F, rounding);
  EXPECT_NEAR(at(image, 0, 0.9), 2.0F, rounding);
  EXPECT_NEAR(at(image, -0.22, 0), 1.0F, rounding);
  EXPECT_NEAR(at(image, 0, 0.35), 1.03F, rounding);
}

TEST(SheppLogan, TheHeadInThreeDimensions) {
  const Context ctx;
  const Array<double> volume = rasterize<double>(ctx, shepp_logan(3, PhantomContrast::modified), {64, 80, 96}, 1);
  const auto view = volume.view<3>();
  EXPECT_NEAR(view(48, 40, 32), 0.2, 1e-12);               // brain
  EXPECT_NEAR(view(48 - 12, 40, 25), 0.0, 1e-12);          // left ventricle at z = -0.25
  EXPECT_NEAR(view(48 + 43, 40, 32), 1.0, 1e-12);          // skull, z between 0.88 and 0.9
  EXPECT_NEAR(view(48 - 12, 40 - 14, 32), 0.4, 1e-12);     // tumor, up, at z = -0.25
  EXPECT_NEAR(view(48 + 30, 40 + 4, 32 + 2), 0.4, 1e-12);  // at z = 0.625, y = -0.105
  EXPECT_NEAR(view(48 + 30, 40 - 4, 32), 0.0, 1e-12);      // at z = 0.625, y = 0.1
  EXPECT_THROW(shepp_logan(4, PhantomContrast::modified), ValueError);
}

}  // namespace
}  // namespace whorl
