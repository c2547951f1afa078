// The example of regularized images in small: regularizers are nearer to the truth than least squares, and the pictures show
// all methods.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cases.hpp"

namespace regularized {
namespace {

constexpr Settings small{.size = 48, .coils = 4, .frames = 8, .reduction = 3, .noise = 0.08, .iterations = 40};

void expect_gain(const Study& study, std::size_t methods, double gain) {
  std::map<std::string, double> plain;
  std::map<std::string, std::size_t> counts;
  for (const Row& row : study.rows) {
    ++counts[row.object];
    EXPECT_GT(row.error, 0) << row.method;
    if (row.method.find("least squares") != std::string::npos && !plain.contains(row.object)) {
      plain[row.object] = row.error;
    } else if (row.method.find("least squares") == std::string::npos) {
      EXPECT_LT(row.error, gain * plain.at(row.object)) << row.object << ": " << row.method;
    }
  }
  for (const auto& [object, count] : counts) EXPECT_EQ(count, methods) << object;
  EXPECT_GT(study.picture.width, 3 * small.size);
  const auto& pixels = study.picture.pixels;
  EXPECT_TRUE(std::any_of(pixels.begin(), pixels.end(), [](const whorl::Color& color) { return color[0] > 100; }));
}

TEST(RegularizedExample, StillImages) { expect_gain(still_images(whorl::Context({.threads = 2}), small), 4, 1); }
TEST(RegularizedExample, MovingImages) { expect_gain(moving_images(whorl::Context({.threads = 2}), small), 7, 1); }
TEST(RegularizedExample, EchoImages) { expect_gain(echo_images(whorl::Context({.threads = 2}), small), 6, 1); }

TEST(RegularizedExample, HasATable) {
  const Row on_cpu{"brain", "tv:0.001", 0.0512, 30, 1.26, "T2"};
  const Row on_gpu{"brain", "tv:0.003", 0.0513, 31, 0.0126, "T2"};
  EXPECT_EQ(table_of({"cpu"}, {{on_cpu}}),
            "| object | method | iterations | error, cpu | s | |\n|---|---|---|---|---|---|\n"
            "| brain | tv:0.001 | 30 | 5.12 % | 1.3 | T2 |\n");
  EXPECT_EQ(table_of({"cpu", "cuda"}, {{on_cpu}, {on_gpu}}),
            "| object | method | iterations | error, cpu | s | error, cuda | s | |\n|---|---|---|---|---|---|---|---|\n"
            "| brain | tv:0.001 | 30 | 5.12 % | 1.3 | 5.13 % (tv:0.003) | 0.013 | T2 |\n");
}

}  // namespace
}  // namespace regularized
