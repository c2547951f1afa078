#include "filter/src/kernels/points/combine_volumes.hpp"
#include "whorl/core/integer.hpp"

#include <algorithm>
#include <cmath>

namespace whorl::backend::cpu {

namespace {

// to += |from|^2
void add_squares(Index pixels, int parts, const float* from, float* to) {
  if (parts == 1) {
    for (Index i = 0; i < pixels; ++i) to[i] += from[i] * from[i];
    return;
  }
  for (Index i = 0; i < pixels; ++i) to[i] += from[2 * i] * from[2 * i] + from[2 * i + 1] * from[2 * i + 1];
}

void combine_volumes(const Context& ctx, Index groups, Index coils, Index pixels, int parts, const float* from,
                     float* to) {
  constexpr Index chunk = 4096;  // the sums of a chunk stay in the first-level cache
  const Index chunks = divide_up(pixels, chunk);
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index job = 0; job < groups * chunks; ++job) {
    if (ctx.cancel_requested()) continue;
    const Index group = job / chunks;
    const Index first = job % chunks * chunk;
    const Index count = std::min(chunk, pixels - first);
    float* sums = to + group * pixels + first;
    std::fill(sums, sums + count, 0.0F);
    for (Index coil = 0; coil < coils; ++coil) {
      add_squares(count, parts, from + ((group * coils + coil) * pixels + first) * parts, sums);
    }
    for (Index i = 0; i < count; ++i) sums[i] = std::sqrt(sums[i]);
  }
}

}  // namespace

void register_combine_volumes() { kernels::combine_volumes.set(DeviceKind::cpu, combine_volumes); }

}  // namespace whorl::backend::cpu
