// Two windows one after the other, and the one window that they are together. The report says that filters are regularly convolved
// to form new ones, and does not do it. One pass reads and writes the picture once, and does not round in between; 3 x 3 twice
// takes 18 multiply-adds of a number, 5 x 5 takes 25.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/filter_ladder.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

namespace {

// Sharpening, then smoothing; whole numbers and what they are divided by.
constexpr int sharp_divisor = 6;
constexpr int smooth_divisor = 16;
const std::vector<int> sharp{-1, -4, -1, -4, 26, -4, -1, -4, -1};
const std::vector<int> smooth{1, 2, 1, 2, 4, 2, 1, 2, 1};

/// [5, 5]: correlation with it is that with the one and then with the other.
std::vector<int> convolved() {
  constexpr std::size_t edge = 3;
  constexpr std::size_t sum_edge = 2 * edge - 1;
  std::vector<int> sum(sum_edge * sum_edge);
  for (std::size_t i = 0; i < edge * edge; ++i) {
    for (std::size_t j = 0; j < edge * edge; ++j) {
      sum[(i / edge + j / edge) * sum_edge + i % edge + j % edge] += sharp[i] * smooth[j];
    }
  }
  return sum;
}

Window window_of(int radius, const std::vector<int>& weights, int divisor) {
  Window window{.radius = radius};
  for (const int weight : weights) window.weights.push_back(static_cast<double>(weight) / divisor);
  return window;
}

/// The library's words for it: rows with semicolons between them.
std::string convolved_pipeline() {
  constexpr std::size_t edge = 5;
  std::string rows;
  const std::vector<int> weights = convolved();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i > 0) rows += i % edge == 0 ? ";" : ",";
    rows += std::to_string(weights[i]);
  }
  return fmt::format("custom '{}' divisor={} border=wrap", rows, sharp_divisor * smooth_divisor);
}

Window both() { return window_of(2, convolved(), sharp_divisor * smooth_divisor); }

/// The padded version of a window, on any device.
Step padded_version(const Context& ctx, const Window& window) {
  constexpr std::size_t number = 2;
  return convolution_on(ctx, window)[number];
}

std::vector<Step> one_or_two_windows(const Context& ctx, const Job& job) {
  const Step first = padded_version(ctx, window_of(1, sharp, sharp_divisor));
  const Step second = padded_version(ctx, window_of(1, smooth, smooth_divisor));
  const auto between = std::make_shared<Array<Byte>>(ctx, Shape{3 * pixels_of(job)});
  Step one = padded_version(ctx, both());
  one.name = "one window, convolved";
  one.published = said("filters are convolved");
  return {{.name = "two windows, one after the other",
           .run =
               [=](const Context& c, const Job& j) {
                 Job to = j;
                 to.to = between->data();
                 first.run(c, to);
                 Job from = j;
                 from.from = between->data();
                 second.run(c, from);
               },
           .same_result = false},
          one};
}

}  // namespace

Subject convolved_ladder() {
  return {.name = "convolved",
          .title = "Sharpening and smoothing, 3 x 3 each, or 5 x 5 at once",
          .pipeline = convolved_pipeline(),
          .library = "custom",
          .error = "largest error, levels",
          // Half a level by rounding, plus sums of 25 float products of up to 255 * 4.
          .tolerance = 0.501,
          .flops = 2 * both().work(),
          .steps = one_or_two_windows,
          .check = [](const Context& host, const Job& job, const ImageFormat& result) {
            return largest_difference(host, result, exact_convolution(job, both()));
          }};
}

}  // namespace whorl::studies::image_filters
