// Step 11, separable: on a grid exp(2 pi i k . r) = exp(2 pi i k_x x) exp(2 pi i k_y y) exp(2 pi i k_z z). A table per
// axis holds its phases: a sine and cosine for each sample and position along the axis, not for each voxel. The rest is
// a product of complex matrices: lines (z, y) by samples, times samples by x; four multiply-adds per term.
#include "backend/cpu/simd_targets.hpp"
#include "studies/fhd/cpu/separable.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "studies/fhd/cpu/separable_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/exact/half_turns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::studies::fhd::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace half_turns = backend::cpu::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

constexpr std::size_t tile_vectors = 2;

std::size_t columns_of_tile() { return tile_vectors * hn::Lanes(Tag()); }

void store_phase(Vector turns, float* cosine, float* sine) {
  const Tag d;
  const Vector h[1] = {hn::Add(turns, turns)};
  Vector f[1], flips[1], sines[1], cosines[1];
  half_turns::nearest_half_turn<1>(d, h, f, flips);
  half_turns::sine_cosine<1>(d, f, flips, sines, cosines);
  hn::StoreU(cosines[0], d, cosine);
  hn::StoreU(sines[0], d, sine);
}

// The phases of many samples at one place of an axis.
void phases_at(const float* k, Index place, std::size_t samples, float* cosine, float* sine) {
  const Tag d;
  for (std::size_t j = 0; j < samples; j += hn::Lanes(d)) {
    store_phase(hn::Mul(hn::LoadU(d, k + j), hn::Set(d, static_cast<float>(place))), cosine + j, sine + j);
  }
}

// The phases of a sample at all places of an axis from `first` on.
void phases_along(float k, Index first, std::size_t places, float* cosine, float* sine) {
  const Tag d;
  for (std::size_t i = 0; i < places; i += hn::Lanes(d)) {
    const Vector place = hn::Iota(d, static_cast<float>(first + static_cast<Index>(i)));
    store_phase(hn::Mul(hn::Set(d, k), place), cosine + i, sine + i);
  }
}

// Mu times the phases along y and z of many samples.
void values_on_line(const float* y, const float* z, const float* mu, float* real, float* imag) {
  const Tag d;
  for (std::size_t j = 0; j < chunk_samples; j += hn::Lanes(d)) {
    const Vector y_cosine = hn::LoadU(d, y + j);
    const Vector y_sine = hn::LoadU(d, y + chunk_samples + j);
    const Vector z_cosine = hn::LoadU(d, z + j);
    const Vector z_sine = hn::LoadU(d, z + chunk_samples + j);
    const Vector cosine = hn::NegMulAdd(y_sine, z_sine, hn::Mul(y_cosine, z_cosine));
    const Vector sine = hn::MulAdd(y_cosine, z_sine, hn::Mul(y_sine, z_cosine));
    const Vector mu_real = hn::LoadU(d, mu + j);
    const Vector mu_imag = hn::LoadU(d, mu + chunk_samples + j);
    hn::StoreU(hn::NegMulAdd(mu_imag, sine, hn::Mul(mu_real, cosine)), d, real + j);
    hn::StoreU(hn::MulAdd(mu_real, sine, hn::Mul(mu_imag, cosine)), d, imag + j);
  }
}

// Adds a chunk of samples to two lines: each sample's value on a line, which `lines` holds, times its phases along x.
void add_product(const TwoLines& lines, const float* x, std::size_t width, const LineSums& sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t column = 0; column < width; column += tile_vectors * lanes) {
    Vector real[2][tile_vectors], imag[2][tile_vectors];
    WHORL_UNROLL for (std::size_t l = 0; l < 2; ++l) {
      WHORL_UNROLL for (std::size_t v = 0; v < tile_vectors; ++v) {
        real[l][v] = hn::LoadU(d, sums.real[l] + column + v * lanes);
        imag[l][v] = hn::LoadU(d, sums.imag[l] + column + v * lanes);
      }
    }
    for (std::size_t j = 0; j < chunk_samples; ++j) {
      const float* const cosines = x + j * width + column;
      const float* const sines = cosines + chunk_samples * width;
      WHORL_UNROLL for (std::size_t l = 0; l < 2; ++l) {
        const Vector a = hn::Set(d, lines.real[l][j]);
        const Vector b = hn::Set(d, lines.imag[l][j]);
        WHORL_UNROLL for (std::size_t v = 0; v < tile_vectors; ++v) {
          const Vector cosine = hn::LoadU(d, cosines + v * lanes);
          const Vector sine = hn::LoadU(d, sines + v * lanes);
          real[l][v] = hn::NegMulAdd(b, sine, hn::MulAdd(a, cosine, real[l][v]));
          imag[l][v] = hn::MulAdd(a, sine, hn::MulAdd(b, cosine, imag[l][v]));
        }
      }
    }
    WHORL_UNROLL for (std::size_t l = 0; l < 2; ++l) {
      WHORL_UNROLL for (std::size_t v = 0; v < tile_vectors; ++v) {
        hn::StoreU(real[l][v], d, sums.real[l] + column + v * lanes);
        hn::StoreU(imag[l][v], d, sums.imag[l] + column + v * lanes);
      }
    }
  }
}

}  // namespace whorl::studies::fhd::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::studies::fhd::cpu {

HWY_EXPORT(columns_of_tile);
HWY_EXPORT(phases_at);
HWY_EXPORT(phases_along);
HWY_EXPORT(values_on_line);
HWY_EXPORT(add_product);

Index tile_columns() { return static_cast<Index>(HWY_DYNAMIC_DISPATCH(columns_of_tile)()); }

void fill_phases_at(const float* k, Index place, float* cosine, float* sine) {
  HWY_DYNAMIC_DISPATCH(phases_at)(k, place, chunk_samples, cosine, sine);
}

void fill_phases_along(float k, Index first, Index places, float* cosine, float* sine) {
  HWY_DYNAMIC_DISPATCH(phases_along)(k, first, static_cast<std::size_t>(places), cosine, sine);
}

void fill_line(const float* y, const float* z, const float* mu, float* real, float* imag) {
  HWY_DYNAMIC_DISPATCH(values_on_line)(y, z, mu, real, imag);
}

void add_lines(const TwoLines& lines, const float* x, Index width, const LineSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_product)(lines, x, static_cast<std::size_t>(width), sums);
}

}  // namespace whorl::studies::fhd::cpu

#endif
