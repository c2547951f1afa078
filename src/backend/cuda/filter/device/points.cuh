// Point operations on the pixels that a thread holds: what filters take into their load or store.
#pragma once

#include "kernels/filter/point_arithmetic.hpp"

namespace whorl::backend::cuda {

inline constexpr int most_channels = 4;

/// The channels of one pixel. Every integer of a pixel is a float without rounding.
struct Pixel {
  float v[most_channels];
};

template <class T>
__device__ __forceinline__ Pixel load_pixel(const T* from, Index pixel, int channels) {
  Pixel p;
#pragma unroll
  for (int c = 0; c < most_channels; ++c) {
    p.v[c] = c < channels ? static_cast<float>(__ldg(from + pixel * channels + c)) : 0.0F;
  }
  return p;
}

template <class T>
__device__ __forceinline__ void store_pixel(const Pixel& p, T* to, Index pixel, int channels) {
#pragma unroll
  for (int c = 0; c < most_channels; ++c) {
    if (c < channels) to[pixel * channels + c] = static_cast<T>(p.v[c]);
  }
}

__device__ __forceinline__ float entry_of(const kernels::PointStep& step, int at) {
  switch (step.to) {
    case PixelType::uint8:
      return __ldg(static_cast<const std::uint8_t*>(step.table) + at);
    case PixelType::uint16:
      return __ldg(static_cast<const std::uint16_t*>(step.table) + at);
    default:
      return __ldg(static_cast<const float*>(step.table) + at);
  }
}

template <class Change>
__device__ __forceinline__ void each_channel(Pixel& p, int channels, const Change& change) {
#pragma unroll
  for (int c = 0; c < most_channels; ++c) {
    if (c < channels) p.v[c] = change(c, p.v[c]);
  }
}

__device__ __forceinline__ void take_step(const kernels::PointStep& step, Pixel& p) {
  using kernels::PointOp;
  namespace point = kernels::point;
  switch (step.op) {
    case PointOp::table:
      each_channel(p, step.channels,
                   [&](int c, float v) { return entry_of(step, c * step.table_stride + static_cast<int>(v)); });
      break;
    case PointOp::bins:
      each_channel(p, step.colors,
                   [&](int, float v) { return entry_of(step, point::bin_of(v, step.scale[0], step.low)); });
      break;
    case PointOp::mix:
      if (step.from == PixelType::float32) {
        p.v[0] = point::mix(p.v[0], p.v[1], p.v[2], step);
      } else {
        p.v[0] = static_cast<float>(
            point::mix(static_cast<int>(p.v[0]), static_cast<int>(p.v[1]), static_cast<int>(p.v[2]), step));
      }
      p.v[1] = p.v[3];
      break;
    case PointOp::affine:
      each_channel(p, step.colors,
                   [&](int c, float v) { return point::affine(v, step.scale[c], step.shift[c], step.low, step.high); });
      break;
    case PointOp::power:
      each_channel(p, step.colors, [&](int, float v) { return point::power(v, step.scale[0]); });
      break;
    case PointOp::absolute:
      each_channel(p, step.colors, [&](int, float v) { return fabsf(v); });
      break;
    case PointOp::threshold:
      each_channel(p, step.colors, [&](int, float v) { return point::threshold(v, step.low); });
      break;
    case PointOp::quantize: {
      const float levels = step.to == PixelType::uint8 ? 255.0F : 65535.0F;
      each_channel(p, step.channels, [&](int, float v) { return static_cast<float>(point::quantize(v, levels)); });
      break;
    }
    case PointOp::magnitude:
      p.v[0] = point::magnitude(p.v[0], p.v[1]);
      break;
    case PointOp::phase:
      p.v[0] = atan2f(p.v[1], p.v[0]);
      break;
    case PointOp::part:
      p.v[0] = step.weights[0] == 0 ? p.v[0] : p.v[1];
      break;
  }
}

/// All steps; every thread of a warp takes the same branches.
__device__ __forceinline__ void take_steps(const kernels::PointCode& code, Pixel& p) {
  for (int i = 0; i < code.count; ++i) take_step(code.steps[i], p);
}

/// A pixel of the image before the point operation, as it is after it.
template <class T>
__device__ __forceinline__ Pixel load_through(const kernels::PointCode& code, const T* from, Index pixel) {
  Pixel p = load_pixel(from, pixel, code.channels_from);
  take_steps(code, p);
  return p;
}

/// The same where the type is that of the code.
__device__ __forceinline__ Pixel load_through_any(const kernels::PointCode& code, const void* from, Index pixel) {
  Pixel p;
  if (code.from == PixelType::uint8) {
    p = load_pixel(static_cast<const std::uint8_t*>(from), pixel, code.channels_from);
  } else if (code.from == PixelType::uint16) {
    p = load_pixel(static_cast<const std::uint16_t*>(from), pixel, code.channels_from);
  } else {
    p = load_pixel(static_cast<const float*>(from), pixel, code.channels_from);
  }
  take_steps(code, p);
  return p;
}

}  // namespace whorl::backend::cuda
