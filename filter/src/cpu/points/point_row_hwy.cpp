#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/points/points.hpp"
#include "filter/src/cpu/prefetch.hpp"
#include "filter/src/kernels/points/point_arithmetic.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/points/point_row_hwy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "filter/src/cpu/points/byte_table-inl.hpp"
#include "filter/src/cpu/points/power-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

using kernels::PointOp;
using kernels::PointStep;

// The loops are plain, and the compiler vectorizes them for each target; loops that it does not vectorize use Highway.

template <class From, class To>
void look_up(const PointStep& step, Index pixels, const From* from, To* to) {
  const auto* table = static_cast<const To*>(step.table);
  if (step.table_stride == 0) {
    for (Index i = 0; i < pixels * step.channels; ++i) to[i] = table[from[i]];
    return;
  }
  for (Index channel = 0; channel < step.channels; ++channel) {
    const To* own = table + channel * step.table_stride;
    for (Index i = channel; i < pixels * step.channels; i += step.channels) to[i] = own[from[i]];
  }
}

void look_up(const PointStep& step, Index pixels, const std::uint8_t* from, std::uint8_t* to) {
  const auto* table = static_cast<const std::uint8_t*>(step.table);
  const auto count = static_cast<std::size_t>(pixels);
  if (step.table_stride == 0) {
    bytes_by_tables(table, 1, count * static_cast<std::size_t>(step.channels), from, to);
  } else {
    bytes_by_tables(table, step.channels, count, from, to);
  }
}

template <class From>
void look_up(const PointStep& step, Index pixels, const From* from, void* to) {
  switch (step.to) {
    case PixelType::uint8:
      return look_up(step, pixels, from, static_cast<std::uint8_t*>(to));
    case PixelType::uint16:
      return look_up(step, pixels, from, static_cast<std::uint16_t*>(to));
    default:
      return look_up(step, pixels, from, static_cast<float*>(to));
  }
}

template <class T>
void mix(const PointStep& step, Index pixels, const T* from, T* to) {
  const PointStep weights = step;
  const int channels = step.channels;
  const bool alpha = channels > step.colors;
  const int out = alpha ? 2 : 1;
  for (Index i = 0; i < pixels; ++i) {
    const T* pixel = from + i * channels;
    to[i * out] = static_cast<T>(kernels::point::mix(pixel[0], pixel[1], pixel[2], weights));
    if (alpha) to[i * out + 1] = pixel[3];
  }
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE2
// Sums of bytes are exact in float, and so is the truncated quotient: after adding half a unit, the quotient is at
// least 0.5 / 10000 away from an integer, and two roundings of numbers up to 255 change it by less.
void mix_bytes(const PointStep& step, Index pixels, const std::uint8_t* from, std::uint8_t* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN std::uint8_t r[HWY_MAX_BYTES];
  HWY_ALIGN std::uint8_t g[HWY_MAX_BYTES];
  HWY_ALIGN std::uint8_t b[HWY_MAX_BYTES];
  const auto red = static_cast<float>(step.weights[0]);
  const auto green = static_cast<float>(step.weights[1]);
  const auto blue = static_cast<float>(step.weights[2]);
  const float inverse = 1.0F / static_cast<float>(step.divisor);
  Index i = 0;
  for (; i + lanes <= pixels; i += lanes) {
    hn::Vec<decltype(d)> vr, vg, vb;
    hn::LoadInterleaved3(d, from + 3 * i, vr, vg, vb);
    hn::Store(vr, d, r);
    hn::Store(vg, d, g);
    hn::Store(vb, d, b);
    const hn::ScalableTag<float> df;
    const hn::RebindToSigned<decltype(df)> di;
    const hn::Rebind<std::uint8_t, decltype(df)> db;
    const auto part = static_cast<Index>(hn::Lanes(df));
    const auto floats = [&](const std::uint8_t* at) { return hn::ConvertTo(df, hn::PromoteTo(di, hn::Load(db, at))); };
    for (Index k = 0; k < lanes; k += part) {
      auto sum = hn::MulAdd(floats(r + k), hn::Set(df, red), hn::Set(df, 0.5F));
      sum = hn::MulAdd(floats(g + k), hn::Set(df, green), sum);
      sum = hn::MulAdd(floats(b + k), hn::Set(df, blue), sum);
      const auto quotient = hn::ConvertTo(di, hn::Mul(sum, hn::Set(df, inverse)));
      hn::StoreU(hn::DemoteTo(db, quotient), db, to + i + k);
    }
  }
  for (; i < pixels; ++i) {
    to[i] = static_cast<std::uint8_t>(kernels::point::mix(from[3 * i], from[3 * i + 1], from[3 * i + 2], step));
  }
}
#else
void mix_bytes(const PointStep& step, Index pixels, const std::uint8_t* from, std::uint8_t* to) {
  mix(step, pixels, from, to);
}
#endif

// Every color of pixels; alpha is copied.
template <class Change>
void each_color(const PointStep& step, Index pixels, const float* from, float* to, const Change& change) {
  if (step.colors == 1 && step.channels == 1) {
    for (Index i = 0; i < pixels; ++i) to[i] = change(0, from[i]);
    return;
  }
  for (Index i = 0; i < pixels; ++i) {
    for (int c = 0; c < step.colors; ++c) to[i * step.channels + c] = change(c, from[i * step.channels + c]);
    for (int c = step.colors; c < step.channels; ++c) to[i * step.channels + c] = from[i * step.channels + c];
  }
}

// Alpha, where there is any.
void copy_last(const PointStep& step, Index pixels, const float* from, float* to) {
  if (step.colors == step.channels) return;
  for (Index i = step.channels - 1; i < pixels * step.channels; i += step.channels) to[i] = from[i];
}

#if HWY_TARGET != HWY_SCALAR
// The distance of prefetches in bytes, for pictures larger than the caches.
constexpr std::ptrdiff_t far_ahead = 8192;

template <class T>
void quantize(const PointStep& step, Index pixels, const float* from, T* to, bool stream) {
  const auto levels = static_cast<float>(full_scale(step.to));
  const Index count = pixels * step.channels;
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<T, decltype(df)> dt;
  const auto lanes = static_cast<Index>(hn::Lanes(df));
  const auto twice = hn::Set(df, 2 * levels);
  const std::ptrdiff_t ahead = stream ? far_ahead : 0;
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    prefetch_behind(from + i, ahead);
    const auto doubled = hn::Mul(hn::LoadU(df, from + i), twice);
    const auto positive = hn::IfThenElseZero(hn::Gt(doubled, hn::Zero(df)), doubled);
    const auto whole = hn::ConvertTo(di, hn::Min(positive, twice));
    const auto level = hn::ShiftRight<1>(hn::Add(whole, hn::Set(di, 1)));
    hn::StoreU(hn::DemoteTo(dt, level), dt, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<T>(kernels::point::quantize(from[i], levels));
}

// All numbers in the same way.
void affine(const PointStep& step, Index count, const float* from, float* to, bool stream) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto scale = hn::Set(d, step.scale[0]);
  const auto shift = hn::Set(d, step.shift[0]);
  const auto low = hn::Set(d, step.low);
  const auto high = hn::Set(d, step.high);
  // NaN stays NaN.
  const auto changed = [&](Index i) HWY_ATTR {
    const auto sum = hn::Add(hn::Mul(hn::LoadU(d, from + i), scale), shift);
    const auto above = hn::IfThenElse(hn::Lt(sum, low), low, sum);
    return hn::IfThenElse(hn::Gt(above, high), high, above);
  };
  const auto plainly = [&](Index i) {
    to[i] = kernels::point::affine(from[i], step.scale[0], step.shift[0], step.low, step.high);
  };
  Index i = 0;
  if (stream) {
    const auto over = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) / sizeof(float)) % lanes;
    for (; i < std::min(count, (lanes - over) % lanes); ++i) plainly(i);
    for (; i + lanes <= count; i += lanes) {
      prefetch_behind(from + i, far_ahead);
      hn::Stream(changed(i), d, to + i);
    }
    hwy::FlushStream();
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(changed(i), d, to + i);
  for (; i < count; ++i) plainly(i);
}
#else
template <class T>
void quantize(const PointStep& step, Index pixels, const float* from, T* to, bool /*stream*/) {
  const auto levels = static_cast<float>(full_scale(step.to));
  for (Index i = 0; i < pixels * step.channels; ++i) {
    to[i] = static_cast<T>(kernels::point::quantize(from[i], levels));
  }
}

void affine(const PointStep& step, Index count, const float* from, float* to, bool /*stream*/) {
  for (Index i = 0; i < count; ++i) {
    to[i] = kernels::point::affine(from[i], step.scale[0], step.shift[0], step.low, step.high);
  }
}
#endif

void change_floats(const PointStep& step, Index pixels, const float* from, float* to, bool stream) {
  const float low = step.low;
  const float exponent = step.scale[0];
  const float bin_scale = step.scale[0];
  const auto* table = static_cast<const float*>(step.table);
  switch (step.op) {
    case PointOp::affine: {
      const bool same = std::all_of(step.scale.begin(), step.scale.begin() + step.channels,
                                    [&](float s) { return s == step.scale[0]; }) &&
                        std::all_of(step.shift.begin(), step.shift.begin() + step.channels,
                                    [&](float s) { return s == step.shift[0]; });
      if (same && step.colors == step.channels) return affine(step, pixels * step.channels, from, to, stream);
      return each_color(step, pixels, from, to, [&](int c, float v) {
        const auto at = static_cast<std::size_t>(c);
        return kernels::point::affine(v, step.scale[at], step.shift[at], low, step.high);
      });
    }
    case PointOp::power:
      powers(static_cast<double>(exponent), static_cast<std::size_t>(pixels * step.channels), from, to);
      return copy_last(step, pixels, from, to);
    case PointOp::absolute:
      return each_color(step, pixels, from, to, [&](int, float v) { return std::fabs(v); });
    case PointOp::threshold:
      return each_color(step, pixels, from, to, [&](int, float v) { return kernels::point::threshold(v, low); });
    case PointOp::bins:
      return each_color(step, pixels, from, to,
                        [&](int, float v) { return table[kernels::point::bin_of(v, bin_scale, low)]; });
    case PointOp::mix:
      return mix(step, pixels, from, to);
    case PointOp::magnitude:
      for (Index i = 0; i < pixels; ++i) to[i] = kernels::point::magnitude(from[2 * i], from[2 * i + 1]);
      return;
    case PointOp::phase:
      for (Index i = 0; i < pixels; ++i) to[i] = std::atan2(from[2 * i + 1], from[2 * i]);
      return;
    default:
      for (Index i = 0; i < pixels; ++i) to[i] = from[i * step.channels + step.weights[0]];
      return;
  }
}

template <class T>
void change_integers(const PointStep& step, Index pixels, const void* from, void* to) {
  const auto* numbers = static_cast<const T*>(from);
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (step.op == PointOp::mix && step.channels == 3) {
      return mix_bytes(step, pixels, numbers, static_cast<std::uint8_t*>(to));
    }
  }
  if (step.op == PointOp::mix) return mix(step, pixels, numbers, static_cast<T*>(to));
  look_up(step, pixels, numbers, to);
}

void take_step(const PointStep& step, Index pixels, const void* from, void* to, bool stream) {
  if (step.from == PixelType::uint8) return change_integers<std::uint8_t>(step, pixels, from, to);
  if (step.from == PixelType::uint16) return change_integers<std::uint16_t>(step, pixels, from, to);
  const auto* numbers = static_cast<const float*>(from);
  if (step.op != PointOp::quantize) return change_floats(step, pixels, numbers, static_cast<float*>(to), stream);
  if (step.to == PixelType::uint8) return quantize(step, pixels, numbers, static_cast<std::uint8_t*>(to), stream);
  quantize(step, pixels, numbers, static_cast<std::uint16_t*>(to), stream);
}

// The numbers between two steps stay in the first-level cache.
constexpr Index chunk = 512;
constexpr Index most_channels = 4;

void row(const kernels::PointCode& code, Index pixels, const void* from, void* to, bool stream) {
  const auto from_bytes = static_cast<Index>(bytes_of(code.from)) * code.channels_from;
  const auto to_bytes = static_cast<Index>(bytes_of(code.to)) * code.channels_to;
  if (code.count == 0) {
    std::memcpy(to, from, static_cast<std::size_t>(pixels * from_bytes));
    return;
  }
  if (code.count == 1) return take_step(code.steps[0], pixels, from, to, stream);
  HWY_ALIGN float between[2][chunk * most_channels];
  for (Index first = 0; first < pixels; first += chunk) {
    const Index count = std::min(chunk, pixels - first);
    const void* source = static_cast<const std::byte*>(from) + first * from_bytes;
    for (int i = 0; i < code.count; ++i) {
      void* target =
          i + 1 == code.count ? static_cast<std::byte*>(to) + first * to_bytes : static_cast<void*>(between[i % 2]);
      take_step(code.steps[static_cast<std::size_t>(i)], count, source, target, stream && i + 1 == code.count);
      source = target;
    }
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(row);

void point_row(const kernels::PointCode& code, Index pixels, const void* from, void* to, bool stream) {
  HWY_DYNAMIC_DISPATCH(row)(code, pixels, from, to, stream);
}

}  // namespace whorl::backend::cpu
#endif
