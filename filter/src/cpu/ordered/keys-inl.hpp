// Vectors of the integers by which pixels are compared: conversion from pixels and back. Included once for each target.
#if defined(WHORL_KEYS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHORL_KEYS_INL
#undef WHORL_KEYS_INL
#else
#define WHORL_KEYS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "filter/src/kernels/ordered/ordered.hpp"
#include "whorl/core/view.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t key_vector_bytes = 64;

/// Vectors of pixels, or of their keys.
template <class T>
using PixelTag = hn::CappedTag<T, key_vector_bytes / sizeof(T)>;
template <class T>
using Keys = hn::Vec<PixelTag<kernels::Ordered<T>>>;

// Inverts all bits but the sign of numbers below zero. This is its own inverse.
HWY_INLINE Keys<float> turned(Keys<float> bits) {
  const PixelTag<std::int32_t> d;
  return hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(d, kernels::magnitude_bits)));
}

// kernels::to_ordered.
template <class T>
HWY_INLINE Keys<T> load_keys(const T* from) {
  const PixelTag<T> pixels;
  if constexpr (std::is_same_v<T, float>) {
    const PixelTag<std::int32_t> d;
    const auto bits = hn::BitCast(d, hn::LoadU(pixels, from));
    const auto magnitude = hn::And(bits, hn::Set(d, kernels::magnitude_bits));
    return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, kernels::infinity_bits)), magnitude, turned(bits));
  } else {
    return hn::LoadU(pixels, from);
  }
}

// kernels::from_ordered.
template <class T>
HWY_INLINE hn::Vec<PixelTag<T>> pixels_of(Keys<T> keys) {
  if constexpr (std::is_same_v<T, float>) {
    return hn::BitCast(PixelTag<T>(), turned(keys));
  } else {
    return keys;
  }
}

// to[i] is the pixel of key i of keys_at(first) for all i below count; vectors at the ends overlap. `stream` bypasses
// the caches.
template <class T, class KeysAt>
HWY_INLINE void store_pixels(Index count, bool stream, T* to, const KeysAt& keys_at) {
  const PixelTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  if (count < lanes) {
    HWY_ALIGN T pixels[key_vector_bytes / sizeof(T)];
    hn::Store(pixels_of<T>(keys_at(Index{0})), d, pixels);
    std::copy_n(pixels, count, to);
    return;
  }
  Index i = 0;
  const auto vector = static_cast<std::uintptr_t>(lanes) * sizeof(T);
  const auto past = reinterpret_cast<std::uintptr_t>(to) % vector;
  if (past != 0) {
    hn::StoreU(pixels_of<T>(keys_at(i)), d, to);
    i = static_cast<Index>((vector - past) / sizeof(T));
  }
  if (stream) {
    for (; i + lanes <= count; i += lanes) hn::Stream(pixels_of<T>(keys_at(i)), d, to + i);
  } else {
    for (; i + lanes <= count; i += lanes) hn::Store(pixels_of<T>(keys_at(i)), d, to + i);
  }
  if (i != count) hn::StoreU(pixels_of<T>(keys_at(count - lanes)), d, to + count - lanes);
  if (stream) hwy::FlushStream();
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
