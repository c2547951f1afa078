// The arithmetic of edges on an NVIDIA GPU: light, Gaussian, gradient (whorl/filter/windows/canny.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "filter/src/kernels/canny/canny.hpp"

namespace whorl::backend::cuda::canny_steps {

using kernels::CannyPlan;

// Pixels that a thread takes at once.
inline constexpr int group = 4;

// Gray levels and the lengths of gradients: integers of uint8 images, floats of others.
template <class T>
using LevelOf = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;
template <class Level>
using LengthOf = std::conditional_t<std::is_same_v<Level, float>, float, int>;

/// border_index without its divisions if one reflection is enough.
inline __device__ Index near_index(Border border, Index i, Index n) {
  const Index reflected = i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
  if (border == Border::reflect && reflected >= 0 && reflected < n) return reflected;
  return border_index(border, i, n);
}

template <class T>
struct alignas(group * sizeof(T)) Group {
  T values[group];
};

template <class T>
__device__ Group<T> load(const T* from) {
  return *reinterpret_cast<const Group<T>*>(from);
}
template <class T>
__device__ void store(T* to, const Group<T>& values) {
  *reinterpret_cast<Group<T>*>(to) = values;
}

inline __device__ std::int16_t light_of(const std::uint8_t* pixel, int channels) {
  if (channels < 3) return pixel[0];
  const std::uint32_t sum =
      kernels::luma_red * pixel[0] + kernels::luma_green * pixel[1] + kernels::luma_blue * pixel[2];
  return static_cast<std::int16_t>(sum >> kernels::luma_bits);
}
inline __device__ float light_of(const std::uint16_t* pixel, int channels) {
  if (channels < 3) return pixel[0];
  return static_cast<float>((2125U * pixel[0] + 7154U * pixel[1] + 721U * pixel[2]) / 10000U);
}
// Here and below no product is fused with a sum: edges are the same on all devices.
inline __device__ float light_of(const float* pixel, int channels) {
  if (channels < 3) return pixel[0];
  const float red_green = __fadd_rn(__fmul_rn(0.2125F, pixel[0]), __fmul_rn(0.7154F, pixel[1]));
  return __fadd_rn(red_green, __fmul_rn(0.0721F, pixel[2]));
}

template <int channels, class T>
__device__ Group<LevelOf<T>> lights_of(const T* pixels) {
  T numbers[group * channels];
#pragma unroll
  for (int i = 0; i < channels; ++i) {
    const Group<T> part = load(pixels + i * group);
#pragma unroll
    for (int j = 0; j < group; ++j) numbers[i * group + j] = part.values[j];
  }
  Group<LevelOf<T>> lights;
#pragma unroll
  for (int i = 0; i < group; ++i) lights.values[i] = light_of(numbers + i * channels, channels);
  return lights;
}

template <class T>
__device__ Group<LevelOf<T>> lights_of(const T* pixels, int channels) {
  switch (channels) {
    case 1:
      return lights_of<1>(pixels);
    case 2:
      return lights_of<2>(pixels);
    case 3:
      return lights_of<3>(pixels);
    default:
      return lights_of<4>(pixels);
  }
}

inline __device__ float add(float a, float b) { return __fadd_rn(a, b); }
inline __device__ int add(int a, int b) { return a + b; }
inline __device__ float subtract(float a, float b) { return __fsub_rn(a, b); }
inline __device__ int subtract(int a, int b) { return a - b; }
inline __device__ float multiply(float a, float b) { return __fmul_rn(a, b); }
inline __device__ int multiply(int a, int b) { return a * b; }

inline __device__ float weighted(float level, const CannyPlan& plan, int k, int /*shift*/) {
  return __fmul_rn(level, plan.weights[k]);
}
inline __device__ int weighted(int level, const CannyPlan& plan, int k, int shift) {
  constexpr int half = 1 << (kernels::canny_weight_bits - 1);
  return (level * (plan.fixed_weights[k] << shift) + half) >> kernels::canny_weight_bits;
}

// The Gaussian along one axis: levels[step * k] for k from -radius to radius, integers shifted to the left.
template <class Level>
__device__ auto smoothed(const Level* levels, int step, int radius, const CannyPlan& plan, int shift) {
  using Sum = LengthOf<Level>;
  Sum sum = weighted(Sum{levels[0]}, plan, 0, shift);
#pragma unroll
  for (int k = 1; k <= radius; ++k) {
    sum = add(sum, weighted(add(Sum{levels[-k * step]}, Sum{levels[k * step]}), plan, k, shift));
  }
  return sum;
}

inline __device__ float to_level(float sum) { return sum; }
inline __device__ std::int16_t to_level(int sum) {
  return static_cast<std::int16_t>((sum + (1 << (kernels::level_bits - 1))) >> kernels::level_bits);
}

// The direction of a gradient's neighbors: along x, along y, or on one of the diagonals, with y downwards.
enum Direction : std::uint8_t { is_x, is_y, falls, rises };

inline __device__ bool is_flat(float height, float width) {
  return height < __fmul_rn(width, kernels::tangent_of_sector);
}
inline __device__ bool is_steep(float height, float width) {
  const float flat = __fmul_rn(width, kernels::tangent_of_sector);
  return height > __fadd_rn(flat, __fadd_rn(width, width));
}
// For gradients up to 1020, the largest one, no quotient lies between the tangent and 13573 / 32768. So the comparison
// is exact, in integers and in floats.
inline constexpr int tangent = 13573;
inline constexpr int tangent_bits = 15;
inline __device__ bool is_flat(int height, int width) { return height << tangent_bits < width * tangent; }
inline __device__ bool is_steep(int height, int width) {
  return height << tangent_bits > width * (tangent + (2 << tangent_bits));
}

template <class Length>
__device__ Direction direction_of(Length x, Length y) {
  const Length width = x < 0 ? -x : x;
  const Length height = y < 0 ? -y : y;
  const Direction diagonal = (x < 0) != (y < 0) ? rises : falls;
  return is_flat(height, width) ? is_x : is_steep(height, width) ? is_y : diagonal;
}

inline __device__ float threshold_of(float length, float /*of other images*/) { return length; }

template <class Length>
__device__ Length length_of(Length x, Length y, bool squared) {
  if (squared) return add(multiply(x, x), multiply(y, y));
  return add(x < 0 ? -x : x, y < 0 ? -y : y);
}

}  // namespace whorl::backend::cuda::canny_steps
