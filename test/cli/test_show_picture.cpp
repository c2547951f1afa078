// A picture in the terminal fits its window.
#include "cli/output/show_picture.hpp"

#include <gtest/gtest.h>

namespace whorl::cli {
namespace {

// A line of letters shows two lines of pixels; two lines are left for the caption and the prompt.
TEST(FittingColumns, ThePictureIsNoHigherThanTheWindow) {
  const Picture tall = blank_picture(20, 60, {0, 0, 0});
  EXPECT_EQ(fitting_columns(tall, {120, 32}), 20);  // 30 lines of letters are 60 of pixels
  EXPECT_EQ(fitting_columns(tall, {10, 32}), 10);
  const Picture wide = blank_picture(60, 20, {0, 0, 0});
  EXPECT_EQ(fitting_columns(wide, {120, 12}), 60);
  EXPECT_EQ(fitting_columns(wide, {50, 12}), 50);
  EXPECT_EQ(fitting_columns(tall, {200, 3}), 1);  // at least one letter
  EXPECT_EQ(fitting_columns(tall, {0, 0}), 80);   // no terminal
}

}  // namespace
}  // namespace whorl::cli
