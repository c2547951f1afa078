#include "whorl/plot/colormap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/file_content.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

// CIE lightness L*, 0 to 100, from sRGB: the eye's scale, by another way than OKLab.
double lightness(const Color& color) {
  const auto linear = [](std::uint8_t byte) {
    const double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
  return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : 24389.0 / 27 * y;
}

int distance(const Color& a, const Color& b) {
  int sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += std::abs(a[c] - b[c]);
  return sum;
}

TEST(Colormap, SequentialOnesGrowLighterAllTheWay) {
  for (const Colormap map : {Colormap::gray, Colormap::hot, Colormap::blue_yellow}) {
    for (int i = 1; i <= 32; ++i) {
      EXPECT_GT(lightness(color_of(map, i / 32.0)), lightness(color_of(map, (i - 1) / 32.0)))
          << to_string(map) << " " << i;
    }
  }
  // Evenly: OKLab's lightness is not L*, but straight to about 5 of 100 where chroma is moderate.
  const double start = lightness(color_of(Colormap::blue_yellow, 0));
  const double end = lightness(color_of(Colormap::blue_yellow, 1));
  EXPECT_LT(start, 15);
  EXPECT_GT(end, 90);
  EXPECT_NEAR(lightness(color_of(Colormap::blue_yellow, 0.5)), (start + end) / 2, 5);
}

TEST(Colormap, EndsAreWhatTheyAreCalled) {
  EXPECT_EQ(color_of(Colormap::gray, 0), (Color{0, 0, 0}));
  EXPECT_EQ(color_of(Colormap::gray, 0.5), (Color{128, 128, 128}));
  EXPECT_EQ(color_of(Colormap::gray, 1), (Color{255, 255, 255}));
  EXPECT_EQ(color_of(Colormap::hot, 0), (Color{0, 0, 0}));
  EXPECT_EQ(color_of(Colormap::hot, 1), (Color{255, 255, 255}));
  EXPECT_EQ(color_of(Colormap::hot, 0.375), (Color{255, 0, 0}));
  const Color blue = color_of(Colormap::blue_red, 0);
  const Color red = color_of(Colormap::blue_red, 1);
  EXPECT_GT(blue[2], blue[0] + 100);
  EXPECT_GT(red[0], red[2] + 100);
  const Color middle = color_of(Colormap::blue_red, 0.5);
  EXPECT_EQ(middle[0], middle[2]);
  EXPECT_GT(middle[0], 235);
}

TEST(Colormap, TheCyclicOneClosesAtOneLightness) {
  EXPECT_LE(distance(color_of(Colormap::cyclic, 0), color_of(Colormap::cyclic, 1)), 1);
  for (int i = 0; i < 16; ++i) {
    const Color color = color_of(Colormap::cyclic, i / 16.0);
    EXPECT_NEAR(lightness(color), 68, 6) << i;
    EXPECT_GT(distance(color, color_of(Colormap::cyclic, (i + 8) / 16.0 - (i < 8 ? 0 : 1))), 100) << i;
  }
}

TEST(Colormap, NumbersOutsideAreClipped) {
  for (const Colormap map : {Colormap::gray, Colormap::hot, Colormap::blue_yellow, Colormap::blue_red}) {
    EXPECT_EQ(color_of(map, -3), color_of(map, 0));
    EXPECT_EQ(color_of(map, 3), color_of(map, 1));
  }
}

TEST(Colormap, Names) {
  EXPECT_EQ(colormap_names(), "gray, hot, blue-yellow, blue-red, cyclic");
  for (const std::string name : {"gray", "hot", "blue-yellow", "blue-red", "cyclic"}) {
    EXPECT_EQ(to_string(colormap_from_string(name)), name);
  }
  EXPECT_NE(test::error_of<ValueError>([] { colormap_from_string("jet"); }).find(colormap_names()), std::string::npos);
}

}  // namespace
}  // namespace whorl
