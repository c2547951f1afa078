// Point operations on the pixels that a thread holds, for kernels that do them in their load.
#pragma once

#include <type_traits>

#include "filter/src/kernels/points/point_arithmetic.hpp"

namespace whorl::backend::cuda {

inline constexpr int most_channels = 4;

/// The channels of one pixel. Floats hold every integer of a pixel without rounding.
struct Pixel {
  float v[most_channels];
};

// Converts integers from 0 to below 2^23 to and from floats by additions, of which a GPU does four times as many as
// conversions.
__device__ __forceinline__ float float_of(unsigned whole) {
  constexpr unsigned two_to_23 = 0x4B000000U;
  return __fadd_rn(__uint_as_float(whole | two_to_23), -8388608.0F);
}
__device__ __forceinline__ int whole_of(float v) {
  constexpr unsigned fraction = 0x7FFFFFU;
  return static_cast<int>(__float_as_uint(__fadd_rn(v, 8388608.0F)) & fraction);
}

__device__ __forceinline__ float number_of(float v) { return v; }
__device__ __forceinline__ float number_of(unsigned v) { return float_of(v); }

template <class T>
__device__ __forceinline__ T from_number(float v) {
  if constexpr (std::is_same_v<T, float>) {
    return v;
  } else {
    return static_cast<T>(whole_of(v));
  }
}

template <class T>
__device__ __forceinline__ Pixel load_pixel(const T* from, Index pixel, int channels) {
  using Wide = std::conditional_t<std::is_same_v<T, float>, float, unsigned>;
  Pixel p;
#pragma unroll
  for (int c = 0; c < most_channels; ++c) {
    p.v[c] = c < channels ? number_of(Wide{__ldg(from + pixel * channels + c)}) : 0.0F;
  }
  return p;
}

template <class T>
__device__ __forceinline__ void store_pixel(const Pixel& p, T* to, Index pixel, int channels) {
#pragma unroll
  for (int c = 0; c < most_channels; ++c) {
    if (c < channels) to[pixel * channels + c] = from_number<T>(p.v[c]);
  }
}

/// Pixels that a thread takes at once: the first is a multiple of four, and images begin at multiples of 16 bytes.
inline constexpr int pixels_at_once = 4;

template <class T>
struct alignas(pixels_at_once * sizeof(T)) Four {
  T v[pixels_at_once];
};

template <int channels, class T>
__device__ __forceinline__ void load_four(const T* from, Index pixel, Pixel (&p)[pixels_at_once]) {
  using Wide = std::conditional_t<std::is_same_v<T, float>, float, unsigned>;
  const auto* fours = reinterpret_cast<const Four<T>*>(from + pixel * channels);
#pragma unroll
  for (int i = 0; i < channels; ++i) {
    const Four<T> part = fours[i];
#pragma unroll
    for (int k = 0; k < pixels_at_once; ++k) {
      const int at = i * pixels_at_once + k;
      p[at / channels].v[at % channels] = number_of(Wide{part.v[k]});
    }
  }
}

template <int channels, class T>
__device__ __forceinline__ void store_four(const Pixel (&p)[pixels_at_once], T* to, Index pixel) {
  auto* fours = reinterpret_cast<Four<T>*>(to + pixel * channels);
#pragma unroll
  for (int i = 0; i < channels; ++i) {
    Four<T> part;
#pragma unroll
    for (int k = 0; k < pixels_at_once; ++k) {
      const int at = i * pixels_at_once + k;
      part.v[k] = from_number<T>(p[at / channels].v[at % channels]);
    }
    fours[i] = part;
  }
}

template <class T>
__device__ __forceinline__ void load_four(const T* from, Index pixel, int channels, Pixel (&p)[pixels_at_once]) {
  switch (channels) {
    case 1:
      return load_four<1>(from, pixel, p);
    case 2:
      return load_four<2>(from, pixel, p);
    case 3:
      return load_four<3>(from, pixel, p);
    default:
      return load_four<4>(from, pixel, p);
  }
}

template <class T>
__device__ __forceinline__ void store_four(const Pixel (&p)[pixels_at_once], T* to, Index pixel, int channels) {
  switch (channels) {
    case 1:
      return store_four<1>(p, to, pixel);
    case 2:
      return store_four<2>(p, to, pixel);
    case 3:
      return store_four<3>(p, to, pixel);
    default:
      return store_four<4>(p, to, pixel);
  }
}

__device__ __forceinline__ float entry_of(const kernels::PointStep& step, int at) {
  switch (step.to) {
    case PixelType::uint8:
      return float_of(__ldg(static_cast<const std::uint8_t*>(step.table) + at));
    case PixelType::uint16:
      return float_of(__ldg(static_cast<const std::uint16_t*>(step.table) + at));
    default:
      return __ldg(static_cast<const float*>(step.table) + at);
  }
}

template <int count, class Change>
__device__ __forceinline__ void each_channel(Pixel (&p)[count], int channels, const Change& change) {
#pragma unroll
  for (int c = 0; c < most_channels; ++c) {
    if (c >= channels) continue;
#pragma unroll
    for (Pixel& pixel : p) pixel.v[c] = change(c, pixel.v[c]);
  }
}

template <int count, class Change>
__device__ __forceinline__ void each_pixel(Pixel (&p)[count], const Change& change) {
#pragma unroll
  for (Pixel& pixel : p) change(pixel.v);
}

template <int count>
__device__ __forceinline__ void take_step(const kernels::PointStep& step, Pixel (&p)[count]) {
  using kernels::PointOp;
  namespace point = kernels::point;
  switch (step.op) {
    case PointOp::table:
      each_channel(p, step.channels,
                   [&](int c, float v) { return entry_of(step, c * step.table_stride + whole_of(v)); });
      break;
    case PointOp::bins:
      each_channel(p, step.colors,
                   [&](int, float v) { return entry_of(step, point::bin_of(v, step.scale[0], step.low)); });
      break;
    case PointOp::mix:
      each_pixel(p, [&](float* v) {
        if (step.from == PixelType::float32) {
          v[0] = point::mix(v[0], v[1], v[2], step);
        } else {
          v[0] = float_of(static_cast<unsigned>(point::mix(whole_of(v[0]), whole_of(v[1]), whole_of(v[2]), step)));
        }
        v[1] = v[3];
      });
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
      each_channel(p, step.channels,
                   [&](int, float v) { return float_of(static_cast<unsigned>(point::quantize(v, levels))); });
      break;
    }
    case PointOp::magnitude:
      each_pixel(p, [](float* v) { v[0] = point::magnitude(v[0], v[1]); });
      break;
    case PointOp::phase:
      each_pixel(p, [](float* v) { v[0] = atan2f(v[1], v[0]); });
      break;
    case PointOp::part:
      each_pixel(p, [&](float* v) { v[0] = step.weights[0] == 0 ? v[0] : v[1]; });
      break;
  }
}

/// Applies all steps; every thread of a warp takes the same branches.
template <int count>
__device__ __forceinline__ void take_steps(const kernels::PointCode& code, Pixel (&p)[count]) {
  for (int i = 0; i < code.count; ++i) take_step(code.steps[i], p);
}

/// Loads a pixel and applies the point operation to it.
template <class T>
__device__ __forceinline__ Pixel load_through(const kernels::PointCode& code, const T* from, Index pixel) {
  Pixel p[1] = {load_pixel(from, pixel, code.channels_from)};
  take_steps(code, p);
  return p[0];
}

/// load_through for the input type of the code.
__device__ __forceinline__ Pixel load_through_any(const kernels::PointCode& code, const void* from, Index pixel) {
  Pixel p[1];
  if (code.from == PixelType::uint8) {
    p[0] = load_pixel(static_cast<const std::uint8_t*>(from), pixel, code.channels_from);
  } else if (code.from == PixelType::uint16) {
    p[0] = load_pixel(static_cast<const std::uint16_t*>(from), pixel, code.channels_from);
  } else {
    p[0] = load_pixel(static_cast<const float*>(from), pixel, code.channels_from);
  }
  take_steps(code, p);
  return p[0];
}

/// Loads pixels `first` to first + 3, as many as the image has.
template <class T>
__device__ __forceinline__ void load_four_through(const kernels::PointCode& code, const T* from, Index first,
                                                  Index pixels, Pixel (&p)[pixels_at_once]) {
  if (first + pixels_at_once <= pixels) {
    load_four(from, first, code.channels_from, p);
  } else {
#pragma unroll
    for (int k = 0; k < pixels_at_once; ++k) p[k] = load_pixel(from, min(first + k, pixels - 1), code.channels_from);
  }
  take_steps(code, p);
}

}  // namespace whorl::backend::cuda
