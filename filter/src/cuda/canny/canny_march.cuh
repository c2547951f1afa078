// Warps that go down the rows of uint8 images to find their edges, on an NVIDIA GPU.
#pragma once

#include "filter/src/cuda/canny/canny_lanes.cuh"
#include "whorl/core/image.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda::canny_march {

using canny_lanes::lane_pixels;

inline constexpr int warp = 32;
inline constexpr int threads = 128;
// All but the first and the last lane find edges.
inline constexpr int finders = warp - 2;
inline constexpr int strip_columns = finders * lane_pixels;
// The number of pixels beyond the edge of an image on which its gradients depend.
inline constexpr int beyond = 4;

// Blocks of a multiprocessor, by the registers that they need.
constexpr int blocks_at_once(int radius) { return radius == 0 ? 4 : 3; }

struct March {
  int height, width;
  int strips, bands;
  Index warps;
  int rows;       // of a band
  int row_bytes;  // of bits
  bool in_words;  // rows begin at whole words
  bool mirrors;   // pixels beyond an edge are in the last lane before it
  Border border;
  std::uint8_t border_value;
  canny_lanes::EdgeRules rules;
  canny_lanes::LaneWeights weights;
  const std::uint8_t* pixels;
  std::uint8_t* mask;
  std::uint8_t* seeds;
};

inline March march_over(const ImageFormat& format, const kernels::CannyPlan& plan, const std::uint8_t* pixels,
                        std::uint32_t* mask, std::uint32_t* seeds) {
  constexpr Index word_bits = 32;
  March march{};
  march.height = static_cast<int>(format.height);
  march.width = static_cast<int>(format.width);
  march.row_bytes = static_cast<int>(divide_up(format.width, word_bits) * (word_bits / lane_pixels));
  march.strips = divide_up(march.row_bytes, finders);
  march.in_words = format.width % 4 == 0;
  march.mirrors = plan.border == Border::reflect && format.width % lane_pixels == 0;
  march.border = plan.border;
  march.border_value = static_cast<std::uint8_t>(plan.border_value);
  march.rules = canny_lanes::edge_rules(plan);
  march.weights = canny_lanes::lane_weights(plan);
  march.pixels = pixels;
  march.mask = reinterpret_cast<std::uint8_t*>(mask);
  march.seeds = reinterpret_cast<std::uint8_t*>(seeds);
  return march;
}

// The place of a warp: its slice, the columns of its strip, the rows of its band.
struct Place {
  bool is_beyond;
  Index slice;
  int x, first, last;

  __device__ Place(const March& march, int columns) {
    const Index at = Index{blockIdx.x} * (threads / warp) + threadIdx.x / warp;
    is_beyond = at >= march.warps;
    const Index band = at / march.strips;
    slice = band / march.bands;
    x = static_cast<int>(at % march.strips) * columns;
    first = static_cast<int>(band % march.bands) * march.rows;
    last = min(first + march.rows, march.height);
  }
};

// border_index for places not far outside, without divisions.
inline __device__ int near_index(Border border, int i, int n) {
  if (border == Border::constant && (i < 0 || i >= n)) return -1;
  if (border == Border::replicate || n == 1) return min(max(i, 0), n - 1);
  while (i < 0 || i >= n) {
    if (border == Border::wrap) {
      i += i < 0 ? n : -n;
    } else {
      i = i < 0 ? -i : 2 * (n - 1) - i;
    }
  }
  return i;
}

// A lane's pixels of a row, and those beside them.
template <int channels>
class LanePixels {
 public:
  // The pixels as they are in memory.
  struct Raw {
    std::uint32_t words[channels * lane_pixels / 4];
  };

  __device__ LanePixels(const March& march, const std::uint8_t* slice, bool is_inner, int x, int* columns)
      : march_(march),
        slice_(slice),
        x_(x),
        columns_(columns),
        is_inner_(is_inner && march.in_words),
        is_inside_(x >= 0 && x + lane_pixels + (march.in_words ? 0 : 4) <= march.width) {
    if (is_inside_ || march.mirrors) return;
    for (int i = 0; i < lane_pixels; ++i) {
      const bool is_seen = x + i >= -beyond && x + i < march.width + beyond;
      columns[i] = is_seen ? near_index(march.border, x + i, march.width) : 0;
    }
  }

  __device__ Raw load(int y) const {
    const int row = y >= 0 && y < march_.height ? y : near_index(march_.border, y, march_.height);
    const std::uint8_t* const start = slice_ + Index{row} * march_.width * channels;
    if (is_inner_ && row >= 0) return load_words(start + x_ * channels);
    if (row < 0) return filled(march_.border_value * 0x01010101U);
    if (!is_inside_) return march_.mirrors ? filled(0) : load_bytes(start);
    if (march_.in_words) return load_words(start + x_ * channels);
    const auto address = reinterpret_cast<std::uintptr_t>(start + x_ * channels);
    const auto* const words = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
    const auto shift = static_cast<unsigned>(address % 4) * 8;
    Raw raw;
    std::uint32_t before = __ldg(words);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const std::uint32_t after = __ldg(words + i + 1);
      raw.words[i] = __funnelshift_r(before, after, shift);
      before = after;
    }
    return raw;
  }

  /// The light of loaded pixels.
  static __device__ uint2 lights(const Raw& raw) {
    if constexpr (channels == 1) {
      return {raw.words[0], raw.words[1]};
    } else {
      std::uint32_t sums[lane_pixels];
#pragma unroll
      for (int i = 0; i < lane_pixels; ++i) {
        // Twice what canny_steps.hpp has: light is in the last byte.
        static_assert(kernels::luma_bits == 23);
        constexpr std::uint32_t parts[] = {2 * kernels::luma_red, 2 * kernels::luma_green, 2 * kernels::luma_blue};
        sums[i] = 0;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          const int byte = i * channels + c;
          sums[i] += __byte_perm(raw.words[byte / 4], 0, 0x4440U + static_cast<unsigned>(byte % 4)) * parts[c];
        }
      }
      return {last_bytes(sums), last_bytes(sums + 4)};
    }
  }

  /// In the lane beyond the edge, replaces the pixels by those that are mirrored at the edge.
  __device__ uint2 mirrored(uint2 own) const {
    const std::uint32_t first_of_next = __shfl_down_sync(canny_lanes::all_lanes, own.x, 1);
    const std::uint32_t second_of_next = __shfl_down_sync(canny_lanes::all_lanes, own.y, 1);
    const std::uint32_t first_before = __shfl_up_sync(canny_lanes::all_lanes, own.x, 1);
    const std::uint32_t second_before = __shfl_up_sync(canny_lanes::all_lanes, own.y, 1);
    if (x_ == -lane_pixels) return {0, __byte_perm(first_of_next, second_of_next, 0x1234)};
    if (x_ == march_.width) return {__byte_perm(first_before, second_before, 0x3456), 0};
    return own;
  }

  static __device__ canny_lanes::Words with_neighbors(uint2 own) {
    return {__shfl_up_sync(canny_lanes::all_lanes, own.y, 1), own.x, own.y,
            __shfl_down_sync(canny_lanes::all_lanes, own.x, 1)};
  }

 private:
  static constexpr int count = channels * lane_pixels / 4;

  static __device__ Raw filled(std::uint32_t word) {
    Raw raw;
#pragma unroll
    for (std::uint32_t& each : raw.words) each = word;
    return raw;
  }
  static __device__ Raw load_words(const std::uint8_t* from) {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(from);
    Raw raw;
#pragma unroll
    for (int i = 0; i < count; ++i) raw.words[i] = __ldg(words + i);
    return raw;
  }
  __device__ Raw load_bytes(const std::uint8_t* start) const {
    Raw raw = filled(0);
#pragma unroll
    for (int i = 0; i < lane_pixels; ++i) {
      const int near = columns_[i];
#pragma unroll
      for (int c = 0; c < channels; ++c) {
        const std::uint32_t pixel = near < 0 ? march_.border_value : start[near * channels + c];
        raw.words[(i * channels + c) / 4] |= pixel << (8 * ((i * channels + c) % 4));
      }
    }
    return raw;
  }
  static __device__ std::uint32_t last_bytes(const std::uint32_t* words) {
    return __byte_perm(__byte_perm(words[0], words[1], 0x0073), __byte_perm(words[2], words[3], 0x0073), 0x5410);
  }

  const March& march_;
  const std::uint8_t* slice_;
  int x_;
  int* columns_;
  bool is_inner_, is_inside_;
};

template <int radius, int channels>
__global__ void __launch_bounds__(threads, blocks_at_once(radius)) thin_kernel(const __grid_constant__ March march) {
  constexpr int window = 2 * radius + 1;
  // Rows of levels in one round of the loop: those of the Gaussian keep their places.
  constexpr int unrolled = radius == 0 ? 2 : window;
  const auto lane = static_cast<int>(threadIdx.x) % warp;
  const Place place(march, strip_columns);
  if (place.is_beyond) return;
  const int x = place.x + (lane - 1) * lane_pixels;
  const bool is_inner = place.x > 0 && place.x + strip_columns + lane_pixels <= march.width;
  const bool finds = lane > 0 && lane + 1 < warp && x / lane_pixels < march.row_bytes;
  const Index byte = (place.slice * march.height + place.first) * march.row_bytes + x / lane_pixels;
  std::uint8_t* mask = march.mask + byte;
  std::uint8_t* seeds = march.seeds + byte;

  __shared__ int columns[threads][lane_pixels];
  const std::uint8_t* const from = march.pixels + place.slice * march.height * march.width * channels;
  using Pixels = LanePixels<channels>;
  const Pixels pixels(march, from, is_inner, x, columns[threadIdx.x]);
  const bool mirrors = march.mirrors && !is_inner;
  canny_lanes::Lines lines;
  float across[window][lane_pixels];
  int y = place.first - 2 - radius;
  typename Pixels::Raw first[window];
#pragma unroll
  for (int i = 0; i < window; ++i) first[i] = pixels.load(y + i);
#pragma unroll
  for (int i = 0; i + 1 < window; ++i) {
    const uint2 lights = Pixels::lights(first[i]);
    const uint2 own = mirrors ? pixels.mirrored(lights) : lights;
    canny_lanes::smooth_across(march.weights, Pixels::with_neighbors(own), across[i]);
  }
  y += window - 1;
  typename Pixels::Raw next = first[window - 1];
  for (int row = place.first - 2;; row += unrolled) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
      if (row + i == place.last + 2) return;
      const uint2 lights = Pixels::lights(next);
      const uint2 own = mirrors ? pixels.mirrored(lights) : lights;
      next = pixels.load(++y);
      __half2 levels[canny_lanes::apart];
      if constexpr (radius == 0) {
        canny_lanes::levels_of({0, own.x, own.y, 0}, levels);
      } else {
        canny_lanes::smooth_across(march.weights, Pixels::with_neighbors(own), across[(i + window - 1) % window]);
        canny_lanes::smooth_down(march.weights, across, i, levels);
      }
      const int middle = row + i - 1;
      const bool is_row = middle >= 0 && middle < march.height;
      const canny_lanes::Edges found = lines.take(march.rules, levels, is_inner && is_row,
                                                  [&](int k) { return is_row && x + k >= 0 && x + k < march.width; });
      const int edges = row + i - 2;
      if (edges >= place.first) {
        if (finds) {
          *mask = static_cast<std::uint8_t>(found.lines);
          *seeds = static_cast<std::uint8_t>(found.strong);
        }
        mask += march.row_bytes;
        seeds += march.row_bytes;
      }
    }
  }
}

}  // namespace whorl::backend::cuda::canny_march
