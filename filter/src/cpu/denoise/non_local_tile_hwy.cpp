// Without fused operations (CMakeLists.txt): the same bits with every instruction set.
#include "backend/cpu/simd_targets.hpp"
#include "filter/src/cpu/denoise/non_local_tile.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/denoise/non_local_tile_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "filter/src/cpu/exponential-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// Rows have whole vectors; the numbers in the padding are not used.
void square_row(const float* HWY_RESTRICT here, const float* HWY_RESTRICT there, Index plane, int channels, Index count,
                float* HWY_RESTRICT squares) {
  const Tag d;
  for (Index x = 0; x < count; x += static_cast<Index>(hn::Lanes(d))) {
    Vector sum = hn::Zero(d);
    for (int c = 0; c < channels; ++c) {
      const Vector difference = hn::Sub(hn::LoadU(d, here + c * plane + x), hn::LoadU(d, there + c * plane + x));
      const Vector square = hn::Mul(difference, difference);
      sum = c == 0 ? square : hn::Add(sum, square);
    }
    hn::StoreU(sum, d, squares + x);
  }
}

// For each lane, the sum of `terms` numbers that are `apart` numbers from each other. Fixed = 0: `terms` is not known.
template <int Fixed>
HWY_INLINE Vector sum_of(const float* from, Index apart, Index given) {
  const Tag d;
  const Index terms = Fixed > 0 ? Fixed : given;
  Vector sum = hn::LoadU(d, from);
  for (Index k = 1; k < terms; ++k) sum = hn::Add(sum, hn::LoadU(d, from + k * apart));
  return sum;
}

template <int Fixed>
void sum_row(const float* HWY_RESTRICT from, Index terms, Index count, float* HWY_RESTRICT to) {
  const Tag d;
  for (Index x = 0; x < count; x += static_cast<Index>(hn::Lanes(d))) {
    hn::StoreU(sum_of<Fixed>(from + x, 1, terms), d, to + x);
  }
}

// Adds the pixels at one shift to the weights and the means of a row.
template <int Fixed>
void add_row(const kernels::NonLocalMeans& job, float scale, const NonLocalTile& tile, const float* sums,
             const float* there, Index plane, Index y) {
  const Tag d;
  const Vector factor = hn::Set(d, scale);
  float* HWY_RESTRICT weights = tile.weights + y * tile.row;
  float* HWY_RESTRICT means = tile.means + y * tile.row;
  for (Index x = 0; x < tile.width; x += static_cast<Index>(hn::Lanes(d))) {
    const Vector distance = sum_of<Fixed>(sums + x, tile.row, 2 * job.patch + 1);
    const Vector weight = exp_minus(hn::Mul(distance, factor));
    hn::StoreU(hn::Add(hn::LoadU(d, weights + x), weight), d, weights + x);
    for (int c = 0; c < tile.channels; ++c) {
      float* HWY_RESTRICT mean = means + c * tile.height * tile.row + x;
      const Vector value = hn::LoadU(d, there + c * plane + x);
      const Vector counted = job.rician ? hn::Mul(value, value) : value;
      hn::StoreU(hn::Add(hn::LoadU(d, mean), hn::Mul(weight, counted)), d, mean);
    }
  }
}

template <int Fixed>
void add_shift(const kernels::NonLocalMeans& job, float scale, const NonLocalTile& tile, Index plane, Index shift) {
  const Index reach = job.search + job.patch;
  for (Index y = 0; y < tile.height + 2 * job.patch; ++y) {
    const float* here = tile.padded + (y + job.search) * tile.stride + job.search;
    square_row(here, here + shift, plane, tile.channels, tile.width + 2 * job.patch, tile.squares);
    sum_row<Fixed>(tile.squares, 2 * job.patch + 1, tile.width, tile.sums + y * tile.row);
  }
  for (Index y = 0; y < tile.height; ++y) {
    const float* there = tile.padded + (y + reach) * tile.stride + reach + shift;
    add_row<Fixed>(job, scale, tile, tile.sums + y * tile.row, there, plane, y);
  }
}

void whole_tile(const Context& ctx, const kernels::NonLocalMeans& job, float scale, float bias,
                const NonLocalTile& tile) {
  const Index plane = (tile.height + 2 * (job.search + job.patch)) * tile.stride;
  const Index numbers = tile.height * tile.row;
  for (Index i = 0; i < numbers; ++i) tile.weights[i] = 0;
  for (Index i = 0; i < numbers * tile.channels; ++i) tile.means[i] = 0;
  // The sums of the most common patch, 7 x 7 pixels, are unrolled.
  constexpr int usual = 7;
  const auto add = 2 * job.patch + 1 == usual ? &add_shift<usual> : &add_shift<0>;
  for (Index dy = -job.search; dy <= job.search && !ctx.cancel_requested(); ++dy) {
    for (Index dx = -job.search; dx <= job.search; ++dx) add(job, scale, tile, plane, dy * tile.stride + dx);
  }
  const Tag d;
  for (int c = 0; c < tile.channels; ++c) {
    for (Index i = 0; i < numbers; i += static_cast<Index>(hn::Lanes(d))) {
      float* at = tile.means + c * numbers + i;
      const Vector mean = hn::Div(hn::LoadU(d, at), hn::LoadU(d, tile.weights + i));
      const Vector unbiased = hn::Max(hn::Sub(mean, hn::Set(d, bias)), hn::Zero(d));
      hn::StoreU(job.rician ? hn::Sqrt(unbiased) : mean, d, at);
    }
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(whole_tile);

void non_local_tile(const Context& ctx, const kernels::NonLocalMeans& job, float scale, float bias,
                    const NonLocalTile& tile) {
  HWY_DYNAMIC_DISPATCH(whole_tile)(ctx, job, scale, bias, tile);
}

}  // namespace whorl::backend::cpu
#endif
