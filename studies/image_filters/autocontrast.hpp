// Autocontrast: v -> (v - lo) 255 / (hi - lo), lo and hi the least and largest luma once a part of the pixels is left
// out at each end; truncated.
#pragma once

#include <array>
#include <vector>

#include "studies/image_filters/job.hpp"

namespace whorl::studies::image_filters {

inline constexpr int levels = 256;

struct LumaRange {
  int low = 0;
  int high = levels - 1;
};

/// Range of a histogram of luma; `skipped` pixels are left out at each end. An image of one luma has the whole range, which
/// changes nothing.
constexpr LumaRange range_of(const unsigned* histogram, unsigned skipped) {
  LumaRange range;
  unsigned seen = histogram[0];
  while (seen <= skipped && range.low < levels - 1) seen += histogram[++range.low];
  seen = histogram[levels - 1];
  while (seen <= skipped && range.high > 0) seen += histogram[--range.high];
  return range.high > range.low ? range : LumaRange{};
}

/// The level that v becomes, exactly.
constexpr Byte stretched_level(int v, const LumaRange& range) {
  const int level = (v - range.low) * (levels - 1) / (range.high - range.low);
  return cut_level(level);
}

constexpr unsigned skipped_pixels(const Job& job) { return static_cast<unsigned>(pixels_of(job) / 100); }

LumaRange luma_range(const Context& host, const Job& job);

std::vector<Step> autocontrast_on_host();
std::vector<Step> autocontrast_on_gpu();

}  // namespace whorl::studies::image_filters
