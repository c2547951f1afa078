// Loops that the compiler makes vectors of, once for each instruction set, without fused operations (CMakeLists.txt).
#include "backend/cpu/filter/non_local_tile.hpp"
#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/filter/non_local_tile_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

// squares[x] = sum over channels of the squared difference of two rows.
void square_row(const float* HWY_RESTRICT here, const float* HWY_RESTRICT there, Index plane, int channels, Index count,
                float* HWY_RESTRICT squares) {
  for (Index x = 0; x < count; ++x) {
    const float difference = here[x] - there[x];
    squares[x] = difference * difference;
  }
  for (int c = 1; c < channels; ++c) {
    const float* HWY_RESTRICT a = here + c * plane;
    const float* HWY_RESTRICT b = there + c * plane;
    for (Index x = 0; x < count; ++x) {
      const float difference = a[x] - b[x];
      squares[x] = squares[x] + difference * difference;
    }
  }
}

// Sums of `terms` numbers that lie `apart`, for vectors of places.
template <int Terms>
HWY_INLINE float sum_of(const float* from, Index apart) {
  float sum = from[0];
  for (int k = 1; k < Terms; ++k) sum = sum + from[k * apart];
  return sum;
}

template <int Terms>
void sum_fixed(const float* HWY_RESTRICT from, Index apart, Index count, float* HWY_RESTRICT to) {
  for (Index x = 0; x < count; ++x) to[x] = sum_of<Terms>(from + x, apart);
}

void sum_row(const float* from, Index apart, Index terms, Index count, float* HWY_RESTRICT to) {
  constexpr Index usual_three = 3;
  constexpr Index usual_five = 5;
  constexpr Index usual_seven = 7;
  if (terms == usual_three) return sum_fixed<usual_three>(from, apart, count, to);
  if (terms == usual_five) return sum_fixed<usual_five>(from, apart, count, to);
  if (terms == usual_seven) return sum_fixed<usual_seven>(from, apart, count, to);
  for (Index x = 0; x < count; ++x) to[x] = from[x];
  for (Index k = 1; k < terms; ++k) {
    const float* HWY_RESTRICT term = from + k * apart;
    for (Index x = 0; x < count; ++x) to[x] = to[x] + term[x];
  }
}

// From distances to weights, in place, and their sum.
void weigh_row(float scale, Index count, float* HWY_RESTRICT distances, float* HWY_RESTRICT weights) {
  for (Index x = 0; x < count; ++x) {
    const float weight = kernels::exp_minus(distances[x] * scale);
    distances[x] = weight;
    weights[x] = weights[x] + weight;
  }
}

void add_row(const float* HWY_RESTRICT weights, const float* HWY_RESTRICT values, bool squared, Index count,
             float* HWY_RESTRICT means) {
  if (squared) {
    for (Index x = 0; x < count; ++x) means[x] = means[x] + weights[x] * (values[x] * values[x]);
  } else {
    for (Index x = 0; x < count; ++x) means[x] = means[x] + weights[x] * values[x];
  }
}

void finish_row(const float* HWY_RESTRICT weights, bool squared, float bias, Index count, float* HWY_RESTRICT means) {
  for (Index x = 0; x < count; ++x) {
    const float mean = means[x] / weights[x];
    const float unbiased = mean - bias;
    means[x] = !squared ? mean : unbiased > 0 ? std::sqrt(unbiased) : 0.0F;
  }
}

void whole_tile(const kernels::NonLocalMeans& job, float scale, float bias, const NonLocalTile& tile) {
  const Index patch = job.patch;
  const Index reach = job.search + patch;
  const Index plane = (tile.height + 2 * reach) * tile.stride;
  const Index pixels = tile.height * tile.width;
  for (Index i = 0; i < pixels; ++i) tile.weights[i] = 0;
  for (Index i = 0; i < pixels * tile.channels; ++i) tile.means[i] = 0;
  for (Index dy = -job.search; dy <= job.search; ++dy) {
    for (Index dx = -job.search; dx <= job.search; ++dx) {
      const Index shift = dy * tile.stride + dx;
      for (Index y = 0; y < tile.height + 2 * patch; ++y) {
        const float* here = tile.padded + (y + job.search) * tile.stride + job.search;
        square_row(here, here + shift, plane, tile.channels, tile.width + 2 * patch, tile.squares);
        sum_row(tile.squares, 1, 2 * patch + 1, tile.width, tile.sums + y * tile.width);
      }
      for (Index y = 0; y < tile.height; ++y) {
        // The row of squares has done its part.
        sum_row(tile.sums + y * tile.width, tile.width, 2 * patch + 1, tile.width, tile.squares);
        weigh_row(scale, tile.width, tile.squares, tile.weights + y * tile.width);
        const float* there = tile.padded + (y + reach) * tile.stride + reach + shift;
        for (int c = 0; c < tile.channels; ++c) {
          add_row(tile.squares, there + c * plane, job.rician, tile.width, tile.means + c * pixels + y * tile.width);
        }
      }
    }
  }
  for (int c = 0; c < tile.channels; ++c) {
    finish_row(tile.weights, job.rician, bias, pixels, tile.means + c * pixels);
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(whole_tile);

void non_local_tile(const kernels::NonLocalMeans& job, float scale, float bias, const NonLocalTile& tile) {
  HWY_DYNAMIC_DISPATCH(whole_tile)(job, scale, bias, tile);
}

}  // namespace whorl::backend::cpu
#endif
