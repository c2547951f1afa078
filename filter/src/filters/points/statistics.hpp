// Statistics of images for filters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "filter/src/pipeline/hooks.hpp"

namespace whorl::filters {

/// Counts of pixels by luma: gray, or 0.2125 R + 0.7154 G + 0.0721 B (truncated for integers). Level i of integers is
/// i. For float32, kernels::point_bins levels divide the range from the smallest to the largest luma; level i begins at
/// low + i width.
struct Histogram {
  std::vector<std::uint64_t> counts;
  std::uint64_t total = 0;
  double low = 0;
  double width = 1;
};

/// A statistic from which `make` makes a program. Integers take one pass, float32 two: the first for the range.
std::unique_ptr<ImageStatistic> histogram_statistic(const ImageFormat& input,
                                                    std::function<PointProgram(const Histogram&)> make);

/// A statistic of the sum of each color over the image, exact for integers, and of the number of pixels.
std::unique_ptr<ImageStatistic> sum_statistic(
    const ImageFormat& input, std::function<PointProgram(const std::vector<double>& sums, double pixels)> make);

/// The weights of luma, and of gray by default (ITU-R BT.709).
inline constexpr std::array<int, 3> luma_weights{2125, 7154, 721};
inline constexpr int luma_divisor = 10000;

}  // namespace whorl::filters
