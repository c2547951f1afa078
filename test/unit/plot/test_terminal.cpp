#include "whorl/plot/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(TerminalText, LettersAreDenserWhereItIsBrighter) {
  Picture picture = blank_picture(3, 4, {0, 0, 0});
  for (Index y = 0; y < 2; ++y) picture.at(y, 1) = {255, 255, 255};
  picture.at(2, 2) = {255, 255, 255};  // half of its letter: luma 128/255, the letter in the middle of the ramp
  EXPECT_EQ(terminal_text(picture, 80, TerminalColors::none), " @\n  +\n");
}

TEST(TerminalText, HalfBlocksHoldTwoPixels) {
  Picture picture = blank_picture(2, 2, {1, 2, 3});
  picture.at(1, 1) = {4, 5, 6};
  EXPECT_EQ(terminal_text(picture, 80, TerminalColors::true_color),
            "\x1b[38;2;1;2;3m\x1b[48;2;1;2;3m\u2580\x1b[48;2;4;5;6m\u2580\x1b[0m\n");
}

TEST(TerminalText, ThePaletteHasTheNearestColor) {
  // xterm: 16 black, 196 pure red, 231 white, 244 gray 128; 67 is (95, 135, 175).
  const auto text_of = [](Color color) {
    return terminal_text(blank_picture(1, 2, color), 1, TerminalColors::palette);
  };
  const auto expected = [](const std::string& i) { return "\x1b[38;5;" + i + "m\x1b[48;5;" + i + "m\u2580\x1b[0m\n"; };
  EXPECT_EQ(text_of({0, 0, 0}), expected("16"));
  EXPECT_EQ(text_of({255, 0, 0}), expected("196"));
  EXPECT_EQ(text_of({255, 255, 255}), expected("231"));
  EXPECT_EQ(text_of({128, 128, 128}), expected("244"));
  EXPECT_EQ(text_of({100, 130, 170}), expected("67"));
}

TEST(TerminalText, ItFitsTheTerminalAndKeepsItsShape) {
  Picture picture = blank_picture(40, 20, {255, 255, 255});
  const std::string text = terminal_text(picture, 10, TerminalColors::none);
  EXPECT_EQ(text, "@@@@@@@@@@\n@@@@@@@@@@\n@@@@@@@@@@\n");  // 20 rows of 40: 5 rows of 10, a letter has two
  // Averages: half of each letter's pixels are black.
  for (Index y = 0; y < 20; ++y) {
    for (Index x = 0; x < 40; x += 2) picture.at(y, x) = {0, 0, 0};
  }
  EXPECT_EQ(terminal_text(picture, 10, TerminalColors::none), "++++++++++\n++++++++++\n++++++++++\n");
  const std::string color = terminal_text(picture, 10, TerminalColors::true_color);
  EXPECT_NE(color.find("38;2;128;128;128m"), std::string::npos);
  EXPECT_EQ(std::count(color.begin(), color.end(), '\n'), 3);
}

TEST(TerminalText, BadInputIsRefused) {
  EXPECT_THROW(terminal_text(Picture{}, 10, TerminalColors::none), ValueError);
  EXPECT_THROW(terminal_text(blank_picture(1, 1, {}), 0, TerminalColors::none), ValueError);
}

}  // namespace
}  // namespace whorl
