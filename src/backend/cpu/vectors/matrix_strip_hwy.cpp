#include "backend/cpu/simd_targets.hpp"
#include "backend/cpu/vectors/matrix_strip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/vectors/matrix_strip_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real>
using Tag = hn::CappedTag<Real, 64 / sizeof(Real)>;

// `together` rows of a by `vectors` vectors of the strip. Sums of a_real b and a_imag b are kept apart, so that the loop
// has no shuffle: c = sum a_real b + i sum a_imag b.
template <std::size_t together, std::size_t vectors, class Real>
HWY_INLINE void multiply_rows(std::size_t depth, const Real* HWY_RESTRICT a, std::size_t a_row,
                              const Real* HWY_RESTRICT b, std::size_t b_row, Real* c, std::size_t c_row) {
  const Tag<Real> d;
  using V = hn::Vec<Tag<Real>>;
  const std::size_t lanes = hn::Lanes(d);
  V by_real[together][vectors];
  V by_imag[together][vectors];
  WHORL_UNROLL
  for (std::size_t r = 0; r < together; ++r) {
    WHORL_UNROLL
    for (std::size_t v = 0; v < vectors; ++v) by_real[r][v] = by_imag[r][v] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    V row[vectors];
    WHORL_UNROLL
    for (std::size_t v = 0; v < vectors; ++v) row[v] = hn::Load(d, b + k * b_row + v * lanes);
    WHORL_UNROLL
    for (std::size_t r = 0; r < together; ++r) {
      const V real = hn::Set(d, a[r * a_row + 2 * k]);
      const V imag = hn::Set(d, a[r * a_row + 2 * k + 1]);
      WHORL_UNROLL
      for (std::size_t v = 0; v < vectors; ++v) {
        by_real[r][v] = hn::MulAdd(real, row[v], by_real[r][v]);
        by_imag[r][v] = hn::MulAdd(imag, row[v], by_imag[r][v]);
      }
    }
  }
  WHORL_UNROLL
  for (std::size_t r = 0; r < together; ++r) {
    WHORL_UNROLL
    for (std::size_t v = 0; v < vectors; ++v) {
      const V turned = hn::Reverse2(d, by_imag[r][v]);
      const V sum = hn::OddEven(hn::Add(by_real[r][v], turned), hn::Sub(by_real[r][v], turned));
      hn::StoreU(sum, d, c + r * c_row + v * lanes);
    }
  }
}

template <std::size_t together, class Real>
HWY_INLINE void multiply_across(std::size_t depth, const Real* a, const Real* b, Real* c, std::size_t c_row) {
  constexpr std::size_t vectors = 2;
  constexpr std::size_t row = static_cast<std::size_t>(strip_bytes) / sizeof(Real);
  const std::size_t width = vectors * hn::Lanes(Tag<Real>());
  for (std::size_t at = 0; at < row; at += width) {
    multiply_rows<together, vectors>(depth, a, 2 * depth, b + at, row, c + at, c_row);
  }
}

template <class Real>
HWY_INLINE void multiply(Index row_count, Index depth_count, const std::complex<Real>* a, const std::complex<Real>* b,
                         Index columns, std::complex<Real>* c, Index c_row) {
  // Twice as many sums as registers of 16 allow would go through memory.
  constexpr std::size_t together = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  constexpr auto whole = static_cast<std::size_t>(strip_columns<Real>);
  const auto rows = static_cast<std::size_t>(row_count);
  const auto depth = static_cast<std::size_t>(depth_count);
  const auto c_step = static_cast<std::size_t>(c_row);
  const bool is_whole = columns == strip_columns<Real>;
  HWY_ALIGN std::complex<Real> part[together * whole];
  for (std::size_t i = 0; i < rows;) {
    const std::size_t count = rows - i >= together ? together : 1;
    std::complex<Real>* to = is_whole ? c + i * c_step : part;
    const std::size_t to_row = 2 * (is_whole ? c_step : whole);
    const auto* from = reinterpret_cast<const Real*>(a + i * depth);
    if (count == 1) {
      multiply_across<1>(depth, from, reinterpret_cast<const Real*>(b), reinterpret_cast<Real*>(to), to_row);
    } else {
      multiply_across<together>(depth, from, reinterpret_cast<const Real*>(b), reinterpret_cast<Real*>(to), to_row);
    }
    for (std::size_t r = 0; !is_whole && r < count; ++r) {
      std::copy_n(part + r * whole, columns, c + (i + r) * c_step);
    }
    i += count;
  }
}

void multiply_float(Index rows, Index depth, const std::complex<float>* a, const std::complex<float>* b, Index columns,
                    std::complex<float>* c, Index c_row) {
  multiply(rows, depth, a, b, columns, c, c_row);
}
void multiply_double(Index rows, Index depth, const std::complex<double>* a, const std::complex<double>* b,
                     Index columns, std::complex<double>* c, Index c_row) {
  multiply(rows, depth, a, b, columns, c, c_row);
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

void multiply_strip(Index rows, Index depth, const std::complex<float>* a, const std::complex<float>* b, Index columns,
                    std::complex<float>* c, Index c_row) {
  HWY_DYNAMIC_DISPATCH(multiply_float)(rows, depth, a, b, columns, c, c_row);
}
void multiply_strip(Index rows, Index depth, const std::complex<double>* a, const std::complex<double>* b,
                    Index columns, std::complex<double>* c, Index c_row) {
  HWY_DYNAMIC_DISPATCH(multiply_double)(rows, depth, a, b, columns, c, c_row);
}

}  // namespace whorl::backend::cpu
#endif
