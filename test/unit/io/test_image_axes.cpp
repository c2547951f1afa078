#include "whorl/io/image_axes.hpp"

#include <gtest/gtest.h>

#include "support/file_content.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(ImageAxes, LeadingOnesMayBeDropped) {
  const std::array<Index, 3> matrix{5, 4, 1};
  const Shape one{1, 1, 1, 4, 5};
  EXPECT_EQ(image_axes({4, 5}, matrix, "a"), one);
  EXPECT_EQ(image_axes({1, 4, 5}, matrix, "a"), one);
  EXPECT_EQ(image_axes({1, 1, 1, 4, 5}, matrix, "a"), one);
  EXPECT_EQ(image_axes({3, 1, 4, 5}, matrix, "a"), (Shape{1, 3, 1, 4, 5}));
  EXPECT_EQ(image_axes({3, 4, 5}, matrix, "a"), (Shape{1, 3, 1, 4, 5}));
  EXPECT_EQ(image_axes({2, 3, 4, 5}, matrix, "a"), (Shape{2, 3, 1, 4, 5}));
  EXPECT_EQ(image_axes({2, 3, 1, 4, 5}, matrix, "a"), (Shape{2, 3, 1, 4, 5}));
  const std::array<Index, 3> volume{5, 4, 3};
  EXPECT_EQ(image_axes({3, 4, 5}, volume, "a"), (Shape{1, 1, 3, 4, 5}));
  EXPECT_EQ(image_axes({2, 3, 4, 5}, volume, "a"), (Shape{1, 2, 3, 4, 5}));
}

TEST(ImageAxes, OtherShapesAreRefusedWithBoth) {
  for (const Shape& shape : {Shape{5, 4}, Shape{5}, Shape{}, Shape{2, 3, 6, 4, 5}, Shape{2, 2, 3, 1, 4, 5}}) {
    const std::string message = test::error_of<ShapeError>([&] { image_axes(shape, {5, 4, 1}, "file"); });
    EXPECT_NE(message.find(to_string(shape)), std::string::npos) << message;
    EXPECT_NE(message.find("[4, 5]"), std::string::npos) << message;
  }
  EXPECT_THROW(image_axes({4, 5}, {5, 4, 3}, "file"), ShapeError);
}

TEST(SampleAxes, LeadingOnesMayBeDropped) {
  EXPECT_EQ(sample_axes({7}, 7, "a"), (Shape{1, 1, 7}));
  EXPECT_EQ(sample_axes({3, 7}, 7, "a"), (Shape{1, 3, 7}));
  EXPECT_EQ(sample_axes({2, 3, 7}, 7, "a"), (Shape{2, 3, 7}));
  EXPECT_EQ(sample_axes({1, 1, 3, 7}, 7, "a"), (Shape{1, 3, 7}));
  EXPECT_THROW(sample_axes({7, 3}, 7, "a"), ShapeError);
  EXPECT_THROW(sample_axes({2, 2, 3, 7}, 7, "a"), ShapeError);
}

TEST(AffineOf, FramesAtOnePlaceHaveOne) {
  Geometry here;
  here.field_of_view_mm = {50, 40, 3};
  Geometry there = here;
  there.position_mm = {0, 0, 3};
  const std::array<Index, 3> matrix{5, 4, 1};
  const auto affine = affine_of(std::array{here, here}, matrix);
  EXPECT_EQ(affine.value().matrix[0][0], -10);  // x runs to the left, RAS+ to the right
  EXPECT_FALSE(affine_of(std::array{here, there}, matrix).has_value());
  EXPECT_FALSE(affine_of({}, matrix).has_value());
}

}  // namespace
}  // namespace whorl
