#include "whorl/plot/bar_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

// Pixels of the color of blue bars in each row, where there are any.
std::vector<double> lengths_of(const Picture& picture) {
  std::vector<double> lengths;
  for (Index y = 0; y < picture.height; ++y) {
    double length = 0;
    for (Index x = 0; x < picture.width; ++x) {
      const Color& color = picture.at(y, x);
      // Okabe and Ito's blue: 0, 114, 178.
      if (color[0] < 5 && std::abs(color[1] - 114) < 5 && std::abs(color[2] - 178) < 5) ++length;
    }
    if (length > 5 && (lengths.empty() || std::abs(lengths.back() - length) > 5)) lengths.push_back(length);
  }
  return lengths;
}

TEST(BarChart, BarsAreAsLongAsTheirValues) {
  const Picture picture = draw_bar_chart({.title = "times", .bars = {{"one", 1}, {"three", 3, "words"}, {"two", 2}}});
  EXPECT_EQ(picture.width, 900);
  const std::vector<double> lengths = lengths_of(picture);
  ASSERT_EQ(lengths.size(), 3U);
  // The ends are blurred over a pixel each.
  EXPECT_NEAR(lengths[1] / lengths[0], 3, 0.05);
  EXPECT_NEAR(lengths[2] / lengths[0], 2, 0.05);
}

TEST(BarChart, OnALogarithmicAxisAFactorIsALength) {
  const Picture picture = draw_bar_chart(
      {.scale = AxisScale::logarithmic, .bars = {{"a", 1}, {"b", 10}, {"c", 100}, {"no time", std::nan("")}}});
  const std::vector<double> lengths = lengths_of(picture);
  ASSERT_EQ(lengths.size(), 3U);
  EXPECT_NEAR(lengths[1] - lengths[0], lengths[2] - lengths[1], 3);
}

TEST(BarChart, RefusesWhatCanNotBeDrawn) {
  EXPECT_THROW(draw_bar_chart({}), ValueError);
  EXPECT_THROW(draw_bar_chart({.bars = {{"a", -1}}}), ValueError);
  EXPECT_THROW(draw_bar_chart({.scale = AxisScale::logarithmic, .bars = {{"a", 0}}}), ValueError);
  EXPECT_THROW(draw_bar_chart({.bars = {{"a", std::numeric_limits<double>::infinity()}}}), ValueError);
  EXPECT_THROW(draw_bar_chart({.bars = {{"a", 1}}, .width = 20}), ValueError);
  EXPECT_THROW(draw_bar_chart({.bars = {{std::string(200, 'w'), 1}}, .width = 400}), ValueError);
}

}  // namespace
}  // namespace whorl
