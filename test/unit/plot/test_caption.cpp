#include <gtest/gtest.h>

#include <array>

#include "whorl/core/error.hpp"
#include "whorl/plot/caption.hpp"

namespace whorl {
namespace {

// Rows of a picture, from a row on, in which anything is brighter than half.
Index bright_rows(const Picture& picture, Index from) {
  Index rows = 0;
  for (Index y = from; y < picture.height; ++y) {
    bool bright = false;
    for (Index x = 0; x < picture.width; ++x) bright = bright || picture.at(y, x)[1] > 127;
    rows += bright ? 1 : 0;
  }
  return rows;
}

TEST(Caption, StandsBelowThePictureAsItWas) {
  const Picture picture = blank_picture(90, 30, {1, 2, 3});
  const Picture one = with_caption(picture, {"words"});
  const Picture two = with_caption(picture, {"words", "words"});
  EXPECT_EQ(one.width, 90);
  EXPECT_GT(one.height, 40);
  EXPECT_EQ(two.height - one.height, 18);
  for (Index y = 0; y < 30; ++y) {
    for (Index x = 0; x < 90; ++x) ASSERT_EQ(one.at(y, x), (Color{1, 2, 3}));
  }
  EXPECT_GT(bright_rows(one, 30), 4);
  EXPECT_EQ(bright_rows(two, 30), 2 * bright_rows(one, 30));
}

TEST(Caption, LongLinesAreDividedAtSpaces) {
  const Picture picture = blank_picture(90, 30, {0, 0, 0});
  const Index one = with_caption(picture, {"reconstruct"}).height;
  EXPECT_EQ(with_caption(picture, {"reconstruct reconstruct reconstruct"}).height, one + 2 * 18);
  // A word that does not fit stays one.
  EXPECT_EQ(with_caption(picture, {"reconstructionreconstruction"}).height, one);
  EXPECT_THROW(with_caption(Picture{}, {"a"}), ValueError);
}

TEST(PicturesInRows, EveryOneHasItsPlace) {
  const std::array<Picture, 3> pictures{blank_picture(2, 3, {10, 0, 0}), blank_picture(4, 1, {0, 20, 0}),
                                        blank_picture(3, 2, {0, 0, 30})};
  const Picture all = in_rows(pictures, 2, 1);
  EXPECT_EQ(all.width, 4 + 1 + 4);
  EXPECT_EQ(all.height, 3 + 1 + 2);
  for (Index y = 0; y < all.height; ++y) {
    for (Index x = 0; x < all.width; ++x) {
      Color expected{0, 0, 0};
      if (y < 3 && x < 2) expected = {10, 0, 0};
      if (y < 1 && x >= 5) expected = {0, 20, 0};
      if (y >= 4 && x < 3) expected = {0, 0, 30};
      EXPECT_EQ(all.at(y, x), expected) << y << " " << x;
    }
  }
  EXPECT_EQ(in_rows(pictures, 7, 0).width, 12);
  EXPECT_THROW(in_rows({}, 2, 1), ValueError);
  EXPECT_THROW(in_rows(pictures, 0, 1), ValueError);
  EXPECT_THROW(in_rows(pictures, 2, -1), ValueError);
}

}  // namespace
}  // namespace whorl
