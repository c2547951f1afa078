// The sums between samples and the pixels of a grid in single precision. On a grid exp(2 pi i k . r) = exp(2 pi i k_x x)
// exp(2 pi i k_y y) exp(2 pi i k_z z), with a table for each axis. The rest is a product of complex matrices: lines (z, y) by
// samples, times samples by x; four multiply-adds per term.
#include "backend/cpu/exact/single_sums.hpp"
#include "backend/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/exact/single_sums_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

constexpr std::size_t tile_vectors = 2;

std::size_t columns_of_tile() { return std::max<std::size_t>(8, tile_vectors * hn::Lanes(Tag())); }

// Values times the phases along y and z of many samples.
void values_on_line(const float* y, const float* z, const float* values, float* real, float* imag) {
  const Tag d;
  for (std::size_t j = 0; j < single_samples; j += hn::Lanes(d)) {
    const Vector y_cosine = hn::LoadU(d, y + j);
    const Vector y_sine = hn::LoadU(d, y + single_samples + j);
    const Vector z_cosine = hn::LoadU(d, z + j);
    const Vector z_sine = hn::LoadU(d, z + single_samples + j);
    const Vector cosine = hn::NegMulAdd(y_sine, z_sine, hn::Mul(y_cosine, z_cosine));
    const Vector sine = hn::MulAdd(y_cosine, z_sine, hn::Mul(y_sine, z_cosine));
    const Vector real_part = hn::LoadU(d, values + j);
    const Vector imag_part = hn::LoadU(d, values + single_samples + j);
    hn::StoreU(hn::NegMulAdd(imag_part, sine, hn::Mul(real_part, cosine)), d, real + j);
    hn::StoreU(hn::MulAdd(real_part, sine, hn::Mul(imag_part, cosine)), d, imag + j);
  }
}

// Sums a chunk of samples along two lines: each sample's value on a line, which `lines` holds, times its phases along x.
void product(const TwoLines& lines, const float* x, std::size_t width, const LineSums& sums) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t column = 0; column < width; column += tile_vectors * lanes) {
    Vector real[2][tile_vectors], imag[2][tile_vectors];
    WHORL_UNROLL for (std::size_t l = 0; l < 2; ++l) {
      WHORL_UNROLL for (std::size_t v = 0; v < tile_vectors; ++v) {
        real[l][v] = hn::Zero(d);
        imag[l][v] = hn::Zero(d);
      }
    }
    for (std::size_t j = 0; j < single_samples; ++j) {
      const float* const cosines = x + j * width + column;
      const float* const sines = cosines + single_samples * width;
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

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::backend::cpu {

HWY_EXPORT(columns_of_tile);
HWY_EXPORT(values_on_line);
HWY_EXPORT(product);

Index single_columns() { return static_cast<Index>(HWY_DYNAMIC_DISPATCH(columns_of_tile)()); }

void fill_line(const float* y, const float* z, const float* values, float* real, float* imag) {
  HWY_DYNAMIC_DISPATCH(values_on_line)(y, z, values, real, imag);
}

void sum_lines(const TwoLines& lines, const float* x, Index width, const LineSums& sums) {
  HWY_DYNAMIC_DISPATCH(product)(lines, x, static_cast<std::size_t>(width), sums);
}

}  // namespace whorl::backend::cpu

#endif
