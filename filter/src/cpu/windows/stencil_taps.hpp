// The weights of kernels as taps.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "filter/src/cpu/windows/tap_sums.hpp"
#include "filter/src/kernels/windows/stencil.hpp"
#include "whorl/core/array.hpp"

namespace whorl::backend::cpu {

// Adds a weight for the first and the second row of results to the taps. Sums of integers leave out zeros; sums of
// floats keep them, because 0 times NaN is NaN.
template <class Weight>
void add_tap(Taps<Weight>& taps, std::ptrdiff_t offset, bool in_first, Weight first, bool in_second, Weight second) {
  if constexpr (!std::is_floating_point_v<Weight>) {
    in_first = first != 0;
    in_second = second != 0;
  }
  if (in_first && in_second) taps.both.push_back({offset, first, second});
  if (in_first && !in_second) taps.first.push_back({offset, first, 0});
  if (in_second && !in_first) taps.second.push_back({offset, 0, second});
}

inline std::int32_t pair_of(std::int32_t low, std::int32_t high) {
  constexpr std::uint32_t half = 0x10000;
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(low) & (half - 1)) |
                                   static_cast<std::uint32_t>(high) * half);
}

// Weights [height * width] over rows that are `pitch` apart, for two adjacent rows of results.
template <class Weight, class Given>
Taps<Weight> real_taps(const std::vector<Given>& weights, Index width, Index pitch, Index channels) {
  const Index height = static_cast<Index>(weights.size()) / width;
  const auto at = [&](Index y, Index x) {
    return y < 0 || y >= height ? Weight{0} : static_cast<Weight>(weights[static_cast<std::size_t>(y * width + x)]);
  };
  Taps<Weight> taps;
  for (Index y = 0; y <= height; ++y) {
    for (Index x = 0; x < width; ++x) {
      add_tap<Weight>(taps, y * pitch + x * channels, y<height, at(y, x), y> 0, at(y - 1, x));
    }
  }
  return taps;
}

// Weights over pairs of a row and the next one, for two rows of results with one between them.
inline Taps<std::int32_t> pair_taps(const std::vector<std::int32_t>& weights, Index width, Index pitch,
                                    Index channels) {
  const Index height = static_cast<Index>(weights.size()) / width;
  const auto at = [&](Index y, Index x) {
    return y < 0 || y >= height ? 0 : weights[static_cast<std::size_t>(y * width + x)];
  };
  Taps<std::int32_t> taps;
  for (Index y = 0; y <= height + 1; y += 2) {
    for (Index x = 0; x < width; ++x) {
      add_tap<std::int32_t>(taps, y * pitch + x * channels, true, pair_of(at(y, x), at(y + 1, x)), true,
                            pair_of(at(y - 2, x), at(y - 1, x)));
    }
  }
  return taps;
}

// Weights of one row of results, of numbers or pairs along a row.
inline Taps<float> row_taps(const std::vector<float>& row, Index channels) {
  Taps<float> taps;
  for (std::size_t x = 0; x < row.size(); ++x) {
    taps.first.push_back({static_cast<Index>(x) * channels, row[x], 0});
  }
  return taps;
}
inline Taps<std::int32_t> row_taps(const std::vector<std::int32_t>& row, Index channels) {
  Taps<std::int32_t> taps;
  for (std::size_t x = 0; x < row.size(); x += 2) {
    add_tap<std::int32_t>(taps, static_cast<Index>(x) * channels, true,
                          pair_of(row[x], x + 1 < row.size() ? row[x + 1] : 0), false, 0);
  }
  return taps;
}

/// The last step for results Out.
template <class Out>
TapFinish finish_of(const kernels::Stencil& stencil) {
  const float largest = std::is_floating_point_v<Out> ? 0 : static_cast<float>(std::numeric_limits<Out>::max());
  return {static_cast<float>(stencil.scale), static_cast<float>(stencil.offset), largest, stencil.absolute,
          std::is_integral_v<Out> && stencil.scale == 1 && !stencil.absolute && std::abs(stencil.offset) < 0x1p24};
}

}  // namespace whorl::backend::cpu
