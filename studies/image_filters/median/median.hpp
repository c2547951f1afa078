// The median of a square window, which the report's program has and nobody sped up.
#pragma once

#include <vector>

#include "studies/image_filters/check.hpp"
#include "studies/image_filters/job.hpp"

namespace whorl::studies::image_filters {

inline constexpr int median_radius = 3;
inline constexpr int median_extent = 2 * median_radius + 1;
inline constexpr int median_taps = median_extent * median_extent;
inline constexpr int median_place = median_taps / 2;  ///< of the sorted window, from 0

/// Sorted windows, selection, padding, histograms of the row and of columns (the exercise's median in linear and in
/// constant time), and the bits of the median one after the other for a row of pixels.
std::vector<Step> median_on_host();
/// Sorted windows, the bits of the median, padding, a tile in shared memory, all colors in one word. None where whorl is
/// built without.
std::vector<Step> median_on_gpu();

/// By sorting.
Exact exact_median(const Job& job);

}  // namespace whorl::studies::image_filters
