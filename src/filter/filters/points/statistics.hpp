// Statistics of images that filters learn from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "filter/pipeline/hooks.hpp"

namespace whorl::filters {

/// How many pixels there are of each level of luma: of gray, or of 0.2125 R + 0.7154 G + 0.0721 B (truncated for
/// integers). Level i is i for integers; for float32 it begins at low + i width, with kernels::point_bins levels from
/// the least to the largest luma.
struct Histogram {
  std::vector<std::uint64_t> counts;
  std::uint64_t total = 0;
  double low = 0;
  double width = 1;
};

/// A statistic that becomes a program by `make`. Integers take one pass, float32 two: one for the range.
std::unique_ptr<ImageStatistic> histogram_statistic(const ImageFormat& input,
                                                    std::function<PointProgram(const Histogram&)> make);

/// The same of the sum of each color over the image, exact for integers. `pixels` have been seen.
std::unique_ptr<ImageStatistic> sum_statistic(
    const ImageFormat& input, std::function<PointProgram(const std::vector<double>& sums, double pixels)> make);

/// What luma, and gray by default, are made of (ITU-R BT.709).
inline constexpr std::array<int, 3> luma_weights{2125, 7154, 721};
inline constexpr int luma_divisor = 10000;

}  // namespace whorl::filters
