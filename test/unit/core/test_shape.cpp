#include <gtest/gtest.h>

#include "whorl/core/error.hpp"
#include "whorl/core/shape.hpp"

namespace whorl {
namespace {

TEST(Shape, SizeAndAxes) {
  const Shape shape{3, 5, 7};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.size(), 105);
  EXPECT_EQ(shape[0], 3);
  EXPECT_EQ(shape[-1], 7);
  EXPECT_EQ(shape.tail(), (Shape{5, 7}));
  EXPECT_EQ(shape.with_front(2), (Shape{2, 3, 5, 7}));
  EXPECT_EQ(to_string(shape), "[3, 5, 7]");
  EXPECT_EQ(Shape{}.size(), 1);
}

TEST(Shape, RefusesWhatIsNotAShape) {
  EXPECT_THROW((Shape{3, -1}), ShapeError);
  EXPECT_THROW((Shape{Index{1} << 32, Index{1} << 31}), ShapeError);
  EXPECT_THROW((Shape{2, 3}[2]), ShapeError);
  EXPECT_THROW((Shape{2, 3}[-3]), ShapeError);
  EXPECT_THROW(Shape{}.tail(), ShapeError);
}

TEST(Shape, AnEmptyExtentMakesAnEmptyShapeHoweverLargeTheOthers) {
  EXPECT_EQ((Shape{0, Index{1} << 40, Index{1} << 40}).size(), 0);
}

}  // namespace
}  // namespace whorl
