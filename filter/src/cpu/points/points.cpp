// Point operations on a CPU. One row kernel (point_row_hwy.cpp) takes every program, from any type to any. It looks
// bytes up in tables by shuffles and does all other steps on vectors of floats.
#include "filter/src/cpu/points/points.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

namespace {

void apply_points(const Context& ctx, const kernels::PointCode& code, Index pixels, const void* from, void* to) {
  constexpr Index together = Index{1} << 14;
  constexpr Index cached_bytes = Index{8} << 20;
  const auto from_bytes = static_cast<Index>(bytes_of(code.from)) * code.channels_from;
  const auto to_bytes = static_cast<Index>(bytes_of(code.to)) * code.channels_to;
  const bool stream = pixels * to_bytes > cached_bytes;
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index first = 0; first < pixels; first += together) {
    if (ctx.cancel_requested()) continue;
    point_row(code, std::min(together, pixels - first), static_cast<const std::byte*>(from) + first * from_bytes,
              static_cast<std::byte*>(to) + first * to_bytes, stream);
  }
}

}  // namespace

void register_points() { kernels::apply_points.set(DeviceKind::cpu, apply_points); }

}  // namespace whorl::backend::cpu
