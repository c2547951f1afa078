// Products of tall real matrices by SIMD.
#include "backend/cpu/simd_targets.hpp"
#include "kernels/column_products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/vectors/column_products_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sums of `rows` products for ka columns of A and kb of B. What is loaded of a column serves all those of the other matrix.
template <std::size_t ka, std::size_t kb>
HWY_INLINE void multiply_columns(std::size_t rows, const kernels::ColumnProducts& of, bool adds, const double* a,
                                 const double* b, double* c) {
  const hn::CappedTag<double, 4> d;  // as many in all processors with FMA: their sums have the same bits
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const auto a_stride = static_cast<std::size_t>(of.a_stride);
  const auto b_stride = static_cast<std::size_t>(of.b_stride);
  const auto c_stride = static_cast<std::size_t>(of.c_stride);
  V sums[kb][ka];
  WHORL_UNROLL
  for (std::size_t j = 0; j < kb; ++j) {
    WHORL_UNROLL
    for (std::size_t i = 0; i < ka; ++i) sums[j][i] = hn::Zero(d);
  }
  const std::size_t whole = rows - rows % lanes;
  for (std::size_t k = 0; k < whole; k += lanes) {
    V values[ka];
    WHORL_UNROLL
    for (std::size_t i = 0; i < ka; ++i) values[i] = hn::LoadU(d, a + i * a_stride + k);
    WHORL_UNROLL
    for (std::size_t j = 0; j < kb; ++j) {
      const V other = hn::LoadU(d, b + j * b_stride + k);
      WHORL_UNROLL
      for (std::size_t i = 0; i < ka; ++i) sums[j][i] = hn::MulAdd(values[i], other, sums[j][i]);
    }
  }
  WHORL_UNROLL
  for (std::size_t j = 0; j < kb; ++j) {
    WHORL_UNROLL
    for (std::size_t i = 0; i < ka; ++i) {
      double sum = hn::GetLane(hn::SumOfLanes(d, sums[j][i]));
      for (std::size_t k = whole; k < rows; ++k) sum += a[i * a_stride + k] * b[j * b_stride + k];
      double& to = c[j * c_stride + i];
      to = adds ? to + sum : sum;
    }
  }
}

template <std::size_t ka>
HWY_INLINE void multiply_all(std::size_t rows, const kernels::ColumnProducts& of, bool adds, const double* a,
                             const double* b, double* c) {
  // As many sums as there are registers, less those of a column of A each.
  constexpr Index together = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  Index j = 0;
  for (; j + together <= of.b_columns; j += together) {
    multiply_columns<ka, together>(rows, of, adds, a, b + j * of.b_stride, c + j * of.c_stride);
  }
  for (; j < of.b_columns; ++j) multiply_columns<ka, 1>(rows, of, adds, a, b + j * of.b_stride, c + j * of.c_stride);
}

void multiply(const kernels::ColumnProducts& of, const double* a, const double* b, double* c) {
  constexpr Index rows_at_once = 512;  // four columns of A stay in the smallest cache
  constexpr Index together = 4;
  for (Index first = 0; first == 0 || first < of.rows; first += rows_at_once) {
    const auto rows = static_cast<std::size_t>(std::min(rows_at_once, of.rows - first));
    const bool adds = of.adds || first > 0;
    Index i = 0;
    for (; i + together <= of.a_columns; i += together) {
      multiply_all<together>(rows, of, adds, a + i * of.a_stride + first, b + first, c + i);
    }
    for (; i < of.a_columns; ++i) multiply_all<1>(rows, of, adds, a + i * of.a_stride + first, b + first, c + i);
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(multiply);

namespace {

void column_products(DeviceKind, const kernels::ColumnProducts& of, const double* a, const double* b, double* c) {
  HWY_DYNAMIC_DISPATCH(multiply)(of, a, b, c);
}

}  // namespace

void register_column_products() { kernels::column_products.set(DeviceKind::cpu, column_products); }

}  // namespace whorl::backend::cpu
#endif
