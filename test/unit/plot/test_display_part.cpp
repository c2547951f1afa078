#include "whorl/plot/display_part.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "support/file_content.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::error_of;

TEST(DisplayPart, OfComplexNumbers) {
  const Context ctx;
  Array<std::complex<double>> array(ctx, {1, 2});
  array.span()[0] = {3, -4};
  array.span()[1] = {0, 2};
  const AnyArray values = std::move(array);
  const auto second = [&](const char* name) {
    const auto part = display_part(ctx, values, display_part_from_string(name));
    EXPECT_EQ(part.shape(), (Shape{1, 2}));
    return std::pair(part.span()[0], part.span()[1]);
  };
  EXPECT_EQ(second("magnitude"), std::pair(5.0F, 2.0F));
  EXPECT_EQ(second("real"), std::pair(3.0F, 0.0F));
  EXPECT_EQ(second("imag"), std::pair(-4.0F, 2.0F));
  EXPECT_EQ(second("phase"), std::pair(static_cast<float>(std::atan2(-4, 3)), std::numbers::pi_v<float> / 2));
  EXPECT_THROW(display_part_from_string("angle"), ValueError);
  EXPECT_EQ(display_part_names(), "magnitude, phase, real, imag");
}

TEST(DisplayPart, OfRealNumbers) {
  const Context ctx;
  Array<float> array(ctx, {2});
  array.span()[0] = -3;
  array.span()[1] = 2;
  const AnyArray values = std::move(array);
  EXPECT_EQ(display_part(ctx, values, DisplayPart::magnitude).data()[0], 3);
  EXPECT_EQ(display_part(ctx, values, DisplayPart::real).data()[0], -3);
  EXPECT_EQ(display_part(ctx, values, DisplayPart::imaginary).data()[1], 0);
  EXPECT_EQ(display_part(ctx, values, DisplayPart::phase).data()[0], std::numbers::pi_v<float>);
}

class CutSlices : public testing::Test {
 protected:
  void SetUp() override { std::iota(volumes.span().begin(), volumes.span().end(), 0.0F); }

  const Context ctx;
  Array<float> volumes{ctx, {2, 3, 4, 5}};  // [volume, z, y, x]
  float voxel(Index v, Index z, Index y, Index x) const { return volumes.view<4>()(v, z, y, x); }
};

TEST_F(CutSlices, AcrossZ) {
  const std::array<Index, 2> wanted{2, 0};
  const auto slices = cut_slices(ctx, volumes, slice_axis_from_string("axial"), wanted);
  ASSERT_EQ(slices.shape(), (Shape{2, 2, 4, 5}));
  EXPECT_EQ(slices.view<4>()(1, 0, 3, 1), voxel(1, 2, 3, 1));
  EXPECT_EQ(slices.view<4>()(0, 1, 2, 4), voxel(0, 0, 2, 4));
  EXPECT_EQ(cut_slices(ctx, volumes, SliceAxis::axial).extent(1), 3);
}

TEST_F(CutSlices, AcrossYWithZUpward) {
  const auto slices = cut_slices(ctx, volumes, slice_axis_from_string("y"));
  ASSERT_EQ(slices.shape(), (Shape{2, 4, 3, 5}));
  EXPECT_EQ(slices.view<4>()(1, 3, 0, 2), voxel(1, 2, 3, 2));
  EXPECT_EQ(slices.view<4>()(0, 1, 2, 4), voxel(0, 0, 1, 4));
}

TEST_F(CutSlices, AcrossXWithZUpward) {
  const auto slices = cut_slices(ctx, volumes, slice_axis_from_string("sagittal"));
  ASSERT_EQ(slices.shape(), (Shape{2, 5, 3, 4}));
  EXPECT_EQ(slices.view<4>()(1, 4, 0, 2), voxel(1, 2, 2, 4));
  EXPECT_EQ(slices.view<4>()(0, 1, 2, 3), voxel(0, 0, 3, 1));
}

TEST_F(CutSlices, AnImageIsOneSlice) {
  const auto image = volumes.slice(0).slice(1);
  EXPECT_EQ(cut_slices(ctx, image, SliceAxis::axial).shape(), (Shape{1, 1, 4, 5}));
  EXPECT_EQ(cut_slices(ctx, image, SliceAxis::sagittal).shape(), (Shape{1, 5, 1, 4}));
}

TEST_F(CutSlices, BadInputIsRefused) {
  for (const Index slice : {Index{-1}, Index{3}}) {
    const std::array<Index, 1> wanted{slice};
    const auto message = error_of<ValueError>([&] { cut_slices(ctx, volumes, SliceAxis::axial, wanted); });
    EXPECT_NE(message.find("0 to 2"), std::string::npos) << message;
  }
  EXPECT_THROW(cut_slices(ctx, zeros<float>(ctx, {3}), SliceAxis::axial), ShapeError);
  EXPECT_THROW(cut_slices(ctx, zeros<float>(ctx, {3, 0}), SliceAxis::axial), ShapeError);
  EXPECT_THROW(slice_axis_from_string("oblique"), ValueError);
}

}  // namespace
}  // namespace whorl
