// Step 10, recurrence: on a grid the phase factor of the next voxel of a line is that of this voxel times exp(2 pi i
// k_x), the same factor all along the line. So a line takes one sine and cosine at its beginning, and one complex
// product per term after it. The rounding errors of the products add up along a line.
#include "backend/cpu/simd_targets.hpp"
#include "studies/fhd/cpu/kernels.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "studies/fhd/cpu/recurrence_hwy.cpp"
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

constexpr int group = 4;  // vectors of samples at a time: they share the sums, and wait for one another less

struct Phases {
  Vector cosine[group];
  Vector sine[group];
};

Phases phases_of(const Vector (&h)[group]) {
  Vector f[group], flips[group];
  Phases phases;
  half_turns::nearest_half_turn<group>(Tag(), h, f, flips);
  half_turns::sine_cosine<group>(Tag(), f, flips, phases.sine, phases.cosine);
  return phases;
}

// The data of a group of samples, padded with zeros after the last sample.
struct Samples {
  HWY_ALIGN float plane[5][group * hn::MaxLanes(Tag())];
};

void gather(const Sums<float>& s, const Mu<float>& mu, Index first, Index count, Samples& samples) {
  const float* const from[5] = {s.kx, s.ky, s.kz, mu.real, mu.imag};
  for (int i = 0; i < 5; ++i) {
    float* const to = samples.plane[i];
    std::fill(std::copy(from[i] + first, from[i] + first + count, to), to + group * hn::Lanes(Tag()), 0.0F);
  }
}

// The sums of a line of nx voxels that begins at twice (x, y, z); `sums` holds 2 nx vectors, a lane for each sample.
void sum_line(const Sums<float>& s, const Mu<float>& mu, const float (&start)[3], Index nx, float* sums, float* real,
              float* imag) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto width = static_cast<Index>(group * lanes);
  float* const sums_imag = sums + static_cast<std::size_t>(nx) * lanes;
  std::fill(sums, sums_imag + static_cast<std::size_t>(nx) * lanes, 0.0F);
  Samples samples;
  for (Index j = 0; j < s.samples; j += width) {
    gather(s, mu, j, std::min(width, s.samples - j), samples);
    Vector h[group], turn[group], a[group], b[group];
    for (std::size_t v = 0; v < group; ++v) {
      const Vector kx = hn::Load(d, samples.plane[0] + v * lanes);
      turn[v] = hn::Add(kx, kx);
      h[v] = hn::Mul(hn::Set(d, start[0]), kx);
      h[v] = hn::MulAdd(hn::Set(d, start[1]), hn::Load(d, samples.plane[1] + v * lanes), h[v]);
      h[v] = hn::MulAdd(hn::Set(d, start[2]), hn::Load(d, samples.plane[2] + v * lanes), h[v]);
    }
    const Phases step = phases_of(turn);
    const Phases begin = phases_of(h);
    for (std::size_t v = 0; v < group; ++v) {
      const Vector mu_real = hn::Load(d, samples.plane[3] + v * lanes);
      const Vector mu_imag = hn::Load(d, samples.plane[4] + v * lanes);
      a[v] = hn::NegMulAdd(mu_imag, begin.sine[v], hn::Mul(mu_real, begin.cosine[v]));
      b[v] = hn::MulAdd(mu_real, begin.sine[v], hn::Mul(mu_imag, begin.cosine[v]));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(nx); ++i) {
      Vector sum = hn::LoadU(d, sums + i * lanes);
      Vector sum_imag = hn::LoadU(d, sums_imag + i * lanes);
      WHORL_UNROLL for (int v = 0; v < group; ++v) {
        sum = hn::Add(sum, a[v]);
        sum_imag = hn::Add(sum_imag, b[v]);
        const Vector turned = hn::NegMulAdd(b[v], step.sine[v], hn::Mul(a[v], step.cosine[v]));
        b[v] = hn::MulAdd(a[v], step.sine[v], hn::Mul(b[v], step.cosine[v]));
        a[v] = turned;
      }
      hn::StoreU(sum, d, sums + i * lanes);
      hn::StoreU(sum_imag, d, sums_imag + i * lanes);
    }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(nx); ++i) {
    real[i] = hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, sums + i * lanes)));
    imag[i] = hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, sums_imag + i * lanes)));
  }
}

std::size_t lanes_of_sums() { return hn::Lanes(Tag()); }

}  // namespace whorl::studies::fhd::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::studies::fhd::cpu {

HWY_EXPORT(sum_line);
HWY_EXPORT(lanes_of_sums);

void recurrence(const Context& ctx, const std::array<Index, 3>& image, const Sums<float>& s, const Mu<float>& mu) {
  const Index nx = image[2];
  Array<float> sums(ctx, {ctx.threads(), 2 * nx * static_cast<Index>(HWY_DYNAMIC_DISPATCH(lanes_of_sums)())});
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int thread = 0; thread < ctx.threads(); ++thread) {
    const Index lines = image[0] * image[1];
    for (Index line = lines * thread / ctx.threads(); line < lines * (thread + 1) / ctx.threads(); ++line) {
      const Index i = line * nx;
      const float start[3] = {2 * s.x[i], 2 * s.y[i], 2 * s.z[i]};
      HWY_DYNAMIC_DISPATCH(sum_line)(s, mu, start, nx, sums.data() + thread * sums.extent(1), s.real + i, s.imag + i);
    }
  }
}

}  // namespace whorl::studies::fhd::cpu

#endif
