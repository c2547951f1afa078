// Kernel family: point operations, which compute a pixel from the same pixel of the input.
#pragma once

#include <array>

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

/// The operation of a step. `mix`, `magnitude`, `phase` and `part` make one channel from several; the others treat each
/// number separately.
enum class PointOp {
  table,   ///< integers: table[channel][v]
  bins,    ///< float32: table[bin of v], of point_bins bins; v lies in bin (v - low) scale[0]
  mix,     ///< gray = weights . RGB / divisor, truncated for integers; for float32 the weights are `scale`; alpha stays
  affine,  ///< float32: scale v + shift, then within low and high
  power,   ///< float32: |v|^scale[0] with the sign of v
  absolute,   ///< float32: |v|
  threshold,  ///< float32: 1 where v > low, else 0
  quantize,   ///< float32 times full scale to integers, nearest (halves up), clipped; NaN becomes 0
  magnitude,  ///< of complex
  phase,      ///< of complex, -pi to pi
  part,       ///< channel `weights[0]` alone
};

/// Bins of float32 images, as many as 16 bits have gray levels.
inline constexpr int point_bins = 65536;
/// The most steps of a program. Consecutive steps of integers become one table, so that few remain.
inline constexpr int most_point_steps = 8;

struct PointStep {
  PointOp op = PointOp::affine;
  PixelType from = PixelType::float32;
  PixelType to = PixelType::float32;
  int channels = 1;  ///< before the step
  int colors = 1;    ///< channels that affine, power, absolute, threshold and bins change; alpha, the last one, stays
  const void* table = nullptr;  ///< [channel][level] of type `to`, on the device
  int table_stride = 0;         ///< entries from one channel's table to the next; 0: all have the same
  std::array<float, 4> scale{};
  std::array<float, 4> shift{};
  float low = 0;
  float high = 0;
  std::array<int, 3> weights{};
  int divisor = 1;
};

/// A point operation in the form for kernels, passed by value.
struct PointCode {
  PixelType from = PixelType::uint8;
  PixelType to = PixelType::uint8;
  int channels_from = 1;
  int channels_to = 1;
  int count = 0;
  std::array<PointStep, most_point_steps> steps{};
};

/// Applies the operation to `pixels` consecutive pixels. Both images begin at multiples of 16 bytes.
inline FilterKernel<void(const Context&, const PointCode&, Index pixels, const void* from, void* to)> apply_points{
    "points"};

}  // namespace whorl::kernels
