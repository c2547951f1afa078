// Step 5, vectors: as many voxels at once as a register holds, with our own sine and cosine. The standard library's
// take one number per call. A polynomial around the nearest half turn takes a whole vector, and both functions share
// its argument. Positions are in cycles per voxel, so the nearest half turn needs no multiple of pi and has no
// rounding.
#include "backend/cpu/simd_targets.hpp"
#include "studies/fhd/cpu/kernels.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "studies/fhd/cpu/vectors_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "backend/cpu/exact/half_turns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::studies::fhd::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace half_turns = backend::cpu::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// Twice the positions of a vector of voxels; the last voxels may be fewer.
Vector twice(const float* from, Index count) {
  const Tag d;
  HWY_ALIGN float some[hn::MaxLanes(Tag())] = {};
  std::copy(from, from + count, some);
  return hn::Mul(hn::Set(d, 2.0F), hn::Load(d, some));
}

void store(Vector sum, Index count, float* to) {
  const Tag d;
  HWY_ALIGN float some[hn::MaxLanes(Tag())];
  hn::Store(sum, d, some);
  std::copy(some, some + count, to);
}

void sum_vectors(const Sums<float>& s, const Mu<float>& mu) {
  const Tag d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < s.voxels; i += lanes) {
    const Index count = std::min(lanes, s.voxels - i);
    const Vector x = twice(s.x + i, count);
    const Vector y = twice(s.y + i, count);
    const Vector z = twice(s.z + i, count);
    Vector real = hn::Zero(d);
    Vector imag = hn::Zero(d);
    for (Index j = 0; j < s.samples; ++j) {
      Vector h[1], f[1], flips[1], sine[1], cosine[1];
      h[0] = hn::Mul(hn::Set(d, s.kx[j]), x);
      h[0] = hn::MulAdd(hn::Set(d, s.ky[j]), y, h[0]);
      h[0] = hn::MulAdd(hn::Set(d, s.kz[j]), z, h[0]);
      half_turns::nearest_half_turn<1>(d, h, f, flips);
      half_turns::sine_cosine<1>(d, f, flips, sine, cosine);
      const Vector mu_real = hn::Set(d, mu.real[j]);
      const Vector mu_imag = hn::Set(d, mu.imag[j]);
      real = hn::NegMulAdd(mu_imag, sine[0], hn::MulAdd(mu_real, cosine[0], real));
      imag = hn::MulAdd(mu_real, sine[0], hn::MulAdd(mu_imag, cosine[0], imag));
    }
    store(real, count, s.real + i);
    store(imag, count, s.imag + i);
  }
}

}  // namespace whorl::studies::fhd::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::studies::fhd::cpu {

HWY_EXPORT(sum_vectors);

void vectors(const Sums<float>& s, const Mu<float>& mu) { HWY_DYNAMIC_DISPATCH(sum_vectors)(s, mu); }

}  // namespace whorl::studies::fhd::cpu

#endif
