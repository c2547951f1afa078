// Steps 6 to 9, blocks. Several vectors of voxels at a time share the load of a sample, and while one waits for a
// product the next one computes. Chunks of samples stay in the first-level cache for all voxels; the sums are kept in
// memory from chunk to chunk. Threads divide the voxels. The best sizes are found by trial. In double precision this is
// what the chapter compares its GPU with: vectors, unrolled by four, tiled for the cache, with fast sine and cosine.
#include "backend/cpu/simd_targets.hpp"
#include "studies/fhd/cpu/kernels.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "studies/fhd/cpu/blocks_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "backend/cpu/exact/half_turns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::studies::fhd::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace half_turns = backend::cpu::HWY_NAMESPACE;

template <class Real, int kVectors>
struct Block {
  hn::Vec<hn::ScalableTag<Real>> part[kVectors];
};

template <int kVectors, class Real>
Block<Real, kVectors> load(const Real* from, Index count) {
  const hn::ScalableTag<Real> d;
  HWY_ALIGN Real some[kVectors * hn::MaxLanes(hn::ScalableTag<Real>())] = {};
  std::copy(from, from + count, some);
  Block<Real, kVectors> block;
  WHORL_UNROLL for (std::size_t v = 0; v < kVectors; ++v) block.part[v] = hn::Load(d, some + v * hn::Lanes(d));
  return block;
}

template <int kVectors, class Real>
void store(const Block<Real, kVectors>& block, Index count, Real* to) {
  const hn::ScalableTag<Real> d;
  HWY_ALIGN Real some[kVectors * hn::MaxLanes(hn::ScalableTag<Real>())];
  WHORL_UNROLL for (std::size_t v = 0; v < kVectors; ++v) hn::Store(block.part[v], d, some + v * hn::Lanes(d));
  std::copy(some, some + count, to);
}

// Adds the samples [first, last) to the voxels [from, to).
template <int kVectors, class Real>
void add_chunk(const Sums<Real>& s, const Mu<Real>& mu, Index first, Index last, Index from, Index to) {
  const hn::ScalableTag<Real> d;
  using Vector = hn::Vec<hn::ScalableTag<Real>>;
  const auto width = static_cast<Index>(kVectors * hn::Lanes(d));
  for (Index i = from; i < to; i += width) {
    const Index count = std::min(width, to - i);
    const auto x = load<kVectors>(s.x + i, count);
    const auto y = load<kVectors>(s.y + i, count);
    const auto z = load<kVectors>(s.z + i, count);
    auto real = load<kVectors>(static_cast<const Real*>(s.real) + i, count);
    auto imag = load<kVectors>(static_cast<const Real*>(s.imag) + i, count);
    for (Index j = first; j < last; ++j) {
      const Vector kx = hn::Set(d, 2 * s.kx[j]);
      const Vector ky = hn::Set(d, 2 * s.ky[j]);
      const Vector kz = hn::Set(d, 2 * s.kz[j]);
      Vector h[kVectors], f[kVectors], flips[kVectors], sine[kVectors], cosine[kVectors];
      WHORL_UNROLL for (int v = 0; v < kVectors; ++v) {
        h[v] = hn::MulAdd(kz, z.part[v], hn::MulAdd(ky, y.part[v], hn::Mul(kx, x.part[v])));
      }
      half_turns::nearest_half_turn<kVectors>(d, h, f, flips);
      half_turns::sine_cosine<kVectors>(d, f, flips, sine, cosine);
      const Vector mu_real = hn::Set(d, mu.real[j]);
      const Vector mu_imag = hn::Set(d, mu.imag[j]);
      WHORL_UNROLL for (int v = 0; v < kVectors; ++v) {
        real.part[v] = hn::NegMulAdd(mu_imag, sine[v], hn::MulAdd(mu_real, cosine[v], real.part[v]));
        imag.part[v] = hn::MulAdd(mu_real, sine[v], hn::MulAdd(mu_imag, cosine[v], imag.part[v]));
      }
    }
    store<kVectors>(real, count, s.real + i);
    store<kVectors>(imag, count, s.imag + i);
  }
}

template <class Real>
void add_voxels(const Sums<Real>& s, const Mu<Real>& mu, const Blocks& sizes, Index from, Index to) {
  for (Index first = 0; first < s.samples; first += sizes.samples) {
    const Index last = std::min(s.samples, first + sizes.samples);
    if (sizes.vectors == 1) add_chunk<1>(s, mu, first, last, from, to);
    if (sizes.vectors == 2) add_chunk<2>(s, mu, first, last, from, to);
    if (sizes.vectors == 4) add_chunk<4>(s, mu, first, last, from, to);
  }
}

// Entry points are no templates.
void add_single(const Sums<float>& s, const Mu<float>& mu, const Blocks& sizes, Index from, Index to) {
  add_voxels(s, mu, sizes, from, to);
}
void add_double(const Sums<double>& s, const Mu<double>& mu, const Blocks& sizes, Index from, Index to) {
  add_voxels(s, mu, sizes, from, to);
}

}  // namespace whorl::studies::fhd::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::studies::fhd::cpu {

HWY_EXPORT(add_single);
HWY_EXPORT(add_double);

template <class Real>
void blocks(const Sums<Real>& s, const Mu<Real>& mu, const Blocks& sizes) {
  std::fill(s.real, s.real + s.voxels, Real(0));
  std::fill(s.imag, s.imag + s.voxels, Real(0));
#pragma omp parallel for schedule(static) num_threads(sizes.threads)
  for (int thread = 0; thread < sizes.threads; ++thread) {
    const Index from = s.voxels * thread / sizes.threads;
    const Index to = s.voxels * (thread + 1) / sizes.threads;
    if constexpr (sizeof(Real) == sizeof(float)) {
      HWY_DYNAMIC_DISPATCH(add_single)(s, mu, sizes, from, to);
    } else {
      HWY_DYNAMIC_DISPATCH(add_double)(s, mu, sizes, from, to);
    }
  }
}

template void blocks(const Sums<float>&, const Mu<float>&, const Blocks&);
template void blocks(const Sums<double>&, const Mu<double>&, const Blocks&);

}  // namespace whorl::studies::fhd::cpu

#endif
