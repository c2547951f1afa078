// The widest vectors that the processor has, which is found out when the program runs (Highway), and Q in registers
// while all samples pass: the loops are exchanged back, with a vector in the place of a voxel. Several vectors at a
// time share the reading of a sample, and while one waits for the next step of its polynomials another one goes on.
#include <vector>

#include "backend/cpu/simd_targets.hpp"
#include "studies/mri_q/cpu/kernels.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "studies/mri_q/cpu/wide_vectors_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/exact/half_turns-inl.hpp"
#include "studies/mri_q/cpu/wide_vectors.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::studies::mri_q::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace angles = backend::cpu::HWY_NAMESPACE;

// NOLINTBEGIN(modernize-avoid-c-arrays): a vector is no member of std::array
template <int kVectors>
HWY_INLINE void sums_of(const VectorJob& job) {
  const hn::CappedTag<float, widest> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t width = hn::Lanes(d);
  const Index at_once = kVectors * static_cast<Index>(width);
  // Places of the voxels and sums of a round; the last round's are filled up with zeros.
  HWY_ALIGN float buffer[5][kVectors * widest];
  for (Index first = job.first; first < job.end; first += at_once) {
    const Index count = std::min(at_once, job.end - first);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::fill_n(std::copy_n(job.places[axis] + first, count, buffer[axis]), at_once - count, 0.0F);
    }
    V x[kVectors], y[kVectors], z[kVectors], real[kVectors], imag[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      x[v] = hn::Load(d, buffer[0] + static_cast<std::size_t>(v) * width);
      y[v] = hn::Load(d, buffer[1] + static_cast<std::size_t>(v) * width);
      z[v] = hn::Load(d, buffer[2] + static_cast<std::size_t>(v) * width);
      real[v] = imag[v] = hn::Zero(d);
    }
    for (Index j = 0; j < job.samples; ++j) {
      const VectorSample& sample = job.sample[j];
      V half_turns[kVectors], f[kVectors], flips[kVectors], sine[kVectors], cosine[kVectors];
      for (int v = 0; v < kVectors; ++v) half_turns[v] = hn::Mul(x[v], hn::Set(d, sample.kx));
      for (int v = 0; v < kVectors; ++v) half_turns[v] = hn::MulAdd(y[v], hn::Set(d, sample.ky), half_turns[v]);
      for (int v = 0; v < kVectors; ++v) half_turns[v] = hn::MulAdd(z[v], hn::Set(d, sample.kz), half_turns[v]);
      angles::nearest_half_turn<kVectors>(d, half_turns, f, flips);
      angles::sine_cosine<kVectors>(d, f, flips, sine, cosine);
      for (int v = 0; v < kVectors; ++v) real[v] = hn::MulAdd(hn::Set(d, sample.phi), cosine[v], real[v]);
      for (int v = 0; v < kVectors; ++v) imag[v] = hn::MulAdd(hn::Set(d, sample.phi), sine[v], imag[v]);
    }
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(real[v], d, buffer[3] + static_cast<std::size_t>(v) * width);
      hn::Store(imag[v], d, buffer[4] + static_cast<std::size_t>(v) * width);
    }
    std::copy_n(buffer[3], count, job.real + first);
    std::copy_n(buffer[4], count, job.imag + first);
  }
}
// NOLINTEND(modernize-avoid-c-arrays)

// What Highway exports is not a template.
void sums(const VectorJob& job, int vectors) {
  switch (vectors) {
    case 1:
      return sums_of<1>(job);
    case 2:
      return sums_of<2>(job);
    case 3:
      return sums_of<3>(job);
    case 4:
      return sums_of<4>(job);
    default:
      return sums_of<8>(job);
  }
}

}  // namespace whorl::studies::mri_q::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::studies::mri_q {

HWY_EXPORT(sums);

void sum_vectors(const VectorJob& job, int vectors) { HWY_DYNAMIC_DISPATCH(sums)(job, vectors); }

}  // namespace whorl::studies::mri_q

#endif
