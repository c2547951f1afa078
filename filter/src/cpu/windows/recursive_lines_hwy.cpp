#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/windows/recursive_lines.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/windows/recursive_lines_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using kernels::cosines;

using Tag = hn::CappedTag<double, 8>;
using FloatTag = hn::Rebind<float, Tag>;
using Vector = hn::Vec<Tag>;

// Fused on every processor, so that the numbers are the same on all devices.
HWY_INLINE Vector fused(Vector a, Vector b, Vector c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  const Tag d;
  HWY_ALIGN double x[8], y[8], z[8];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
#endif
}

constexpr int vectors = 2;

struct Side {
  Vector a1[cosines], a2[cosines], b0[cosines], b1[cosines];
  Vector last[vectors][cosines], earlier[vectors][cosines];

  HWY_INLINE explicit Side(const kernels::RecursiveWindow& window) {
    const Tag d;
    WHORL_UNROLL for (std::size_t i = 0; i < cosines; ++i) {
      a1[i] = hn::Set(d, window.terms[i].a1);
      a2[i] = hn::Set(d, window.terms[i].a2);
      b0[i] = hn::Set(d, window.terms[i].b0);
      b1[i] = hn::Set(d, window.terms[i].b1);
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) last[v][i] = earlier[v][i] = hn::Zero(d);
    }
  }
  HWY_INLINE void forward(int v, Vector number) {
    WHORL_UNROLL for (int i = 0; i < cosines; ++i) {
      const Vector next = fused(a1[i], last[v][i], fused(a2[i], earlier[v][i], number));
      earlier[v][i] = last[v][i];
      last[v][i] = next;
    }
  }
  // Added to the sum.
  HWY_INLINE Vector add_to(int v, Vector sum) const {
    WHORL_UNROLL for (int i = 0; i < cosines; ++i) { sum = fused(b0[i], last[v][i], fused(b1[i], earlier[v][i], sum)); }
    return sum;
  }
};

HWY_INLINE Vector load(const float* from) { return hn::PromoteTo(Tag(), hn::LoadU(FloatTag(), from)); }

void run(const kernels::RecursiveWindow& window, const kernels::PassRounding& rounding, const float* numbers,
         Index count, std::span<const float* const> before, std::span<const float* const> after, float* sums) {
  const Tag d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Vector own = hn::Set(d, -window.own);
  const Vector scale = hn::Set(d, rounding.scale);
  const Vector half = hn::Set(d, rounding.half);
  const Vector largest = hn::Set(d, rounding.largest);
  for (Index l = 0; l < lines_at_once; l += vectors * lanes) {
    Side causal(window);
    for (const float* outside : before) {
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) causal.forward(v, load(outside + l + v * lanes));
    }
    for (Index i = 0; i < count; ++i) {
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
        const Index at = i * lines_at_once + l + v * lanes;
        causal.forward(v, load(numbers + at));
        hn::StoreU(hn::DemoteTo(FloatTag(), causal.add_to(v, hn::Zero(d))), FloatTag(), sums + at);
      }
    }
    Side anticausal(window);
    for (const float* outside : after) {
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) anticausal.forward(v, load(outside + l + v * lanes));
    }
    for (Index i = count - 1; i >= 0; --i) {
      WHORL_UNROLL for (int v = 0; v < vectors; ++v) {
        const Index at = i * lines_at_once + l + v * lanes;
        const Vector number = load(numbers + at);
        anticausal.forward(v, number);
        Vector sum = anticausal.add_to(v, fused(own, number, load(sums + at)));
        if (rounding.to_integers) {
          sum = hn::Min(hn::Max(hn::Floor(fused(sum, scale, half)), hn::Zero(d)), largest);
        }
        hn::StoreU(hn::DemoteTo(FloatTag(), sum), FloatTag(), sums + at);
      }
    }
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(run);

void recurse_lines(const kernels::RecursiveWindow& window, const kernels::PassRounding& rounding, const float* numbers,
                   Index count, std::span<const float* const> before, std::span<const float* const> after,
                   float* sums) {
  HWY_DYNAMIC_DISPATCH(run)(window, rounding, numbers, count, before, after, sums);
}

}  // namespace whorl::backend::cpu
#endif
