#include <gtest/gtest.h>

#include <cmath>

#include "plot/ticks.hpp"

namespace whorl {
namespace {

std::string texts(const std::array<double, 2>& range, int most) {
  std::string all;
  for (const auto& tick : detail::make_ticks(range, most)) all += tick.text + " ";
  return all;
}

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  EXPECT_EQ(texts({-0.54, 0.54}, 7), "-0.4 -0.2 0 0.2 0.4 ");
  EXPECT_EQ(texts({-0.5, 0.5}, 5), "-0.4 -0.2 0 0.2 0.4 ");
  EXPECT_EQ(texts({0, 10}, 5), "0 2 4 6 8 10 ");
  EXPECT_EQ(texts({3.1, 3.9}, 4), "3.2 3.4 3.6 3.8 ");
  EXPECT_EQ(texts({0, 0.003}, 3), "0 0.001 0.002 0.003 ");
  EXPECT_EQ(texts({-70, 1200}, 7), "0 200 400 600 800 1000 1200 ");
  EXPECT_EQ(texts({0, 2e7}, 4), "0 5e+06 1e+07 1.5e+07 2e+07 ");
  EXPECT_EQ(texts({0, 4e-7}, 4), "0 1e-07 2e-07 3e-07 4e-07 ");
}

TEST(Ticks, OfLogarithmicAxesAreDecades) {
  const auto texts_of = [](const std::array<double, 2>& range, int most) {
    std::string all;
    for (const auto& tick : detail::make_logarithmic_ticks(range, most)) all += tick.text + " ";
    return all;
  };
  EXPECT_EQ(texts_of({9e-6, 1.1}, 7), "1e-5 1e-4 0.001 0.01 0.1 1 ");
  EXPECT_EQ(texts_of({1e-12, 1e12}, 7), "1e-12 1e-8 1e-4 1 1e4 1e8 1e12 ");
  EXPECT_EQ(texts_of({50, 2000}, 7), "100 1000 ");
  EXPECT_EQ(texts_of({0.3, 7}, 7), "0.5 1 2 5 ");
  EXPECT_EQ(texts_of({2e4, 5e4}, 7), "2e4 5e4 ");
  EXPECT_EQ(texts_of({3.1, 3.9}, 4), "3.2 3.4 3.6 3.8 ");
  const auto ticks = detail::make_logarithmic_ticks({9e-6, 1.1}, 7);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    // Powers of ten to the rounding of pow.
    EXPECT_NEAR(ticks[i].value / std::pow(10.0, static_cast<double>(i) - 5), 1, 1e-14);
  }
}

}  // namespace
}  // namespace whorl
