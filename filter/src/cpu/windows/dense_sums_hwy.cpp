#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/windows/dense_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/windows/dense_sums_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;

// Sums and weights of four rows are in registers; each number is read once for all four.
#if HWY_TARGET <= HWY_AVX3
constexpr Index vectors = 6;
#else
constexpr Index vectors = 2;
#endif

struct Block {
  const DenseKernel& kernel;
  const float* numbers;
  Vector sums[dense_rows][vectors];

  HWY_INLINE Block(const DenseKernel& of, const float* from) : kernel(of), numbers(from) {
    WHORL_UNROLL for (auto& row : sums) { WHORL_UNROLL for (Vector& sum : row) sum = hn::Zero(Floats()); }
  }

  // Adds row `row` of the numbers to the rows of results from `first` to `last`.
  template <Index first, Index last>
  HWY_INLINE void add(Index row) {
    const Floats d;
    const auto lanes = static_cast<Index>(hn::Lanes(d));
    const float* from = numbers + row * kernel.pitch;
    const float* weights = kernel.weights.data() + row * kernel.width;
    for (Index x = 0; x < kernel.width; ++x) {
      Vector weight[dense_rows];
      WHORL_UNROLL for (Index r = first; r <= last; ++r) weight[r] = hn::Set(d, weights[x - r * kernel.width]);
      WHORL_UNROLL for (Index v = 0; v < vectors; ++v) {
        const Vector number = hn::LoadU(d, from + x * kernel.channels + v * lanes);
        WHORL_UNROLL for (Index r = first; r <= last; ++r) sums[r][v] = hn::MulAdd(weight[r], number, sums[r][v]);
      }
    }
  }

  HWY_INLINE void add_all() {
    const Index height = kernel.height;
    add<0, 0>(0);
    add<0, 1>(1);
    add<0, 2>(2);
    for (Index row = dense_rows - 1; row < height; ++row) add<0, 3>(row);
    add<1, 3>(height);
    add<2, 3>(height + 1);
    add<3, 3>(height + 2);
  }
};

HWY_INLINE Vector finished(Vector sum, const TapFinish& finish) {
  const Floats d;
  return hn::MulAdd(finish.absolute ? hn::Abs(sum) : sum, hn::Set(d, finish.scale), hn::Set(d, finish.offset));
}

bool sum_dense(const float* numbers, const DenseKernel& kernel, const TapFinish& finish, Index count,
               float* const (&to)[dense_rows]) {
  const Floats d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Index step = vectors * lanes;
  if (count < step) return false;
  // The last step overlaps the previous one.
  for (Index next = 0; next < count; next += step) {
    const Index i = std::min(next, count - step);
    Block block(kernel, numbers + i);
    block.add_all();
    WHORL_UNROLL for (Index r = 0; r < dense_rows; ++r) {
      WHORL_UNROLL for (Index v = 0; v < vectors; ++v) {
        hn::StoreU(finished(block.sums[r][v], finish), d, to[r] + i + v * lanes);
      }
    }
  }
  return true;
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(sum_dense);

bool dense_sums(const float* numbers, const DenseKernel& kernel, const TapFinish& finish, Index count,
                float* const (&to)[dense_rows]) {
  return HWY_DYNAMIC_DISPATCH(sum_dense)(numbers, kernel, finish, count, to);
}

}  // namespace whorl::backend::cpu
#endif
