// Loops that the compiler vectorizes, once for each instruction set. Contraction to fused operations is off
// (CMakeLists.txt), so that the results have the same bits with every instruction set.
#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/diffusion/diffusion_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/diffusion/diffusion_rows_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "filter/src/cpu/exponential-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

// As kernels::heat_update and exp_minus, here compiled for the instruction set.
void heat_stretch(const kernels::HeatRule& rule, const Stretch& stretch, Index count) {
  const float* HWY_RESTRICT u = stretch.middle;
  const float* HWY_RESTRICT left = stretch.left;
  const float* HWY_RESTRICT right = stretch.right;
  const float* HWY_RESTRICT above = stretch.above;
  const float* HWY_RESTRICT below = stretch.below;
  float* HWY_RESTRICT to = stretch.to;
  const float rate = rule.rate;
  if (stretch.front == nullptr) {
    for (Index i = 0; i < count; ++i) {
      to[i] = kernels::heat_update(rate, u[i], (left[i] + right[i]) + (above[i] + below[i]), 4.0F);
    }
    return;
  }
  const float* HWY_RESTRICT front = stretch.front;
  const float* HWY_RESTRICT behind = stretch.behind;
  for (Index i = 0; i < count; ++i) {
    const float sum = ((left[i] + right[i]) + (above[i] + below[i])) + (front[i] + behind[i]);
    to[i] = kernels::heat_update(rate, u[i], sum, 6.0F);
  }
}

template <bool Exponential, int Count>
HWY_INLINE float weight_of(const float* HWY_RESTRICT u, const float* HWY_RESTRICT v, float inverse_square) {
  float square = 0;
  for (int c = 0; c < Count; ++c) {
    const float difference = v[c] - u[c];
    square += difference * difference;
  }
  return kernels::conduction<Exponential>(square * inverse_square);
}

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// The channels of a vector of pixels.
template <int Count>
HWY_INLINE void load_pixels(const float* from, Vector (&channels)[Count]) {
  const Tag d;
  if constexpr (Count == 1) {
    channels[0] = hn::LoadU(d, from);
  } else if constexpr (Count == 2) {
    hn::LoadInterleaved2(d, from, channels[0], channels[1]);
  } else if constexpr (Count == 3) {
    hn::LoadInterleaved3(d, from, channels[0], channels[1], channels[2]);
  } else {
    hn::LoadInterleaved4(d, from, channels[0], channels[1], channels[2], channels[3]);
  }
}

template <int Count>
HWY_INLINE void store_pixels(const Vector (&channels)[Count], float* to) {
  const Tag d;
  if constexpr (Count == 1) {
    hn::StoreU(channels[0], d, to);
  } else if constexpr (Count == 2) {
    hn::StoreInterleaved2(channels[0], channels[1], d, to);
  } else if constexpr (Count == 3) {
    hn::StoreInterleaved3(channels[0], channels[1], channels[2], d, to);
  } else {
    hn::StoreInterleaved4(channels[0], channels[1], channels[2], channels[3], d, to);
  }
}

// flows = weight (v - u): the flow from a neighbor.
template <bool Exponential, int Count>
HWY_INLINE void flows_of(const Vector (&u)[Count], const float* beside, Vector inverse_square, Vector (&flows)[Count]) {
  const Tag d;
  load_pixels<Count>(beside, flows);
  Vector square = hn::Zero(d);
  for (int c = 0; c < Count; ++c) {
    flows[c] = hn::Sub(flows[c], u[c]);
    square = hn::Add(square, hn::Mul(flows[c], flows[c]));
  }
  const Vector exponent = hn::Mul(square, inverse_square);
  const Vector one = hn::Set(d, 1.0F);
  Vector weight = one;
  if constexpr (Exponential) {
    weight = exp_minus(exponent);
  } else {
    weight = hn::Div(one, hn::Add(one, exponent));
  }
  for (int c = 0; c < Count; ++c) flows[c] = hn::Mul(weight, flows[c]);
}

// Makes the pixels that fill whole vectors; returns their number.
template <bool Exponential, bool Volume, int Count>
Index perona_malik_vectors(const kernels::PeronaMalikRule& rule, const Stretch& stretch, Index pixels) {
  const Tag d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Vector rate = hn::Set(d, rule.rate);
  const Vector inverse = hn::Set(d, rule.inverse_square);
  Index pixel = 0;
  for (; pixel + lanes <= pixels; pixel += lanes) {
    const Index i = pixel * Count;
    Vector u[Count];
    Vector first[Count];
    Vector second[Count];
    Vector sums[Count];
    load_pixels<Count>(stretch.middle + i, u);
    flows_of<Exponential, Count>(u, stretch.left + i, inverse, first);
    flows_of<Exponential, Count>(u, stretch.right + i, inverse, second);
    for (int c = 0; c < Count; ++c) sums[c] = hn::Add(first[c], second[c]);
    flows_of<Exponential, Count>(u, stretch.above + i, inverse, first);
    flows_of<Exponential, Count>(u, stretch.below + i, inverse, second);
    for (int c = 0; c < Count; ++c) sums[c] = hn::Add(sums[c], hn::Add(first[c], second[c]));
    if constexpr (Volume) {
      flows_of<Exponential, Count>(u, stretch.front + i, inverse, first);
      flows_of<Exponential, Count>(u, stretch.behind + i, inverse, second);
      for (int c = 0; c < Count; ++c) sums[c] = hn::Add(sums[c], hn::Add(first[c], second[c]));
    }
    for (int c = 0; c < Count; ++c) sums[c] = hn::Add(u[c], hn::Mul(rate, sums[c]));
    store_pixels<Count>(sums, stretch.to + i);
  }
  return pixel;
}

template <bool Exponential, bool Volume, int Count>
void perona_malik_stretch(const kernels::PeronaMalikRule& rule, const Stretch& stretch, Index pixels) {
  const float* HWY_RESTRICT middle = stretch.middle;
  const float* HWY_RESTRICT left = stretch.left;
  const float* HWY_RESTRICT right = stretch.right;
  const float* HWY_RESTRICT above = stretch.above;
  const float* HWY_RESTRICT below = stretch.below;
  const float* HWY_RESTRICT front = stretch.front;
  const float* HWY_RESTRICT behind = stretch.behind;
  float* HWY_RESTRICT to = stretch.to;
  const float rate = rule.rate;
  const float inverse = rule.inverse_square;
  Index pixel = perona_malik_vectors<Exponential, Volume, Count>(rule, stretch, pixels);
  for (; pixel < pixels; ++pixel) {
    const Index i = pixel * Count;
    const float at_left = weight_of<Exponential, Count>(middle + i, left + i, inverse);
    const float at_right = weight_of<Exponential, Count>(middle + i, right + i, inverse);
    const float at_above = weight_of<Exponential, Count>(middle + i, above + i, inverse);
    const float at_below = weight_of<Exponential, Count>(middle + i, below + i, inverse);
    const float at_front = Volume ? weight_of<Exponential, Count>(middle + i, front + i, inverse) : 0.0F;
    const float at_behind = Volume ? weight_of<Exponential, Count>(middle + i, behind + i, inverse) : 0.0F;
    for (int c = 0; c < Count; ++c) {
      const float u = middle[i + c];
      float sum = (at_left * (left[i + c] - u) + at_right * (right[i + c] - u)) +
                  (at_above * (above[i + c] - u) + at_below * (below[i + c] - u));
      if constexpr (Volume) sum += at_front * (front[i + c] - u) + at_behind * (behind[i + c] - u);
      to[i + c] = u + rate * sum;
    }
  }
}

template <bool Exponential, bool Volume>
void perona_malik_channels(const kernels::PeronaMalikRule& rule, const Stretch& stretch, Index pixels, int channels) {
  switch (channels) {
    case 1:
      return perona_malik_stretch<Exponential, Volume, 1>(rule, stretch, pixels);
    case 2:
      return perona_malik_stretch<Exponential, Volume, 2>(rule, stretch, pixels);
    case 3:
      return perona_malik_stretch<Exponential, Volume, 3>(rule, stretch, pixels);
    default:
      return perona_malik_stretch<Exponential, Volume, 4>(rule, stretch, pixels);
  }
}

void perona_malik_any(const kernels::PeronaMalikRule& rule, const Stretch& stretch, Index pixels, int channels) {
  const bool volume = stretch.front != nullptr;
  if (rule.exponential) {
    volume ? perona_malik_channels<true, true>(rule, stretch, pixels, channels)
           : perona_malik_channels<true, false>(rule, stretch, pixels, channels);
  } else {
    volume ? perona_malik_channels<false, true>(rule, stretch, pixels, channels)
           : perona_malik_channels<false, false>(rule, stretch, pixels, channels);
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(heat_stretch);
HWY_EXPORT(perona_malik_any);

void step_stretch(const kernels::HeatRule& rule, const Stretch& stretch, Index pixels, int channels) {
  HWY_DYNAMIC_DISPATCH(heat_stretch)(rule, stretch, pixels * channels);
}

void step_stretch(const kernels::PeronaMalikRule& rule, const Stretch& stretch, Index pixels, int channels) {
  HWY_DYNAMIC_DISPATCH(perona_malik_any)(rule, stretch, pixels, channels);
}

}  // namespace whorl::backend::cpu
#endif
