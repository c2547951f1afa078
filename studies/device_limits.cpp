#include "studies/device_limits.hpp"

#include "bench/timing.hpp"
#include "studies/peak_flops.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies {

namespace {

constexpr double per_ms = 1e3;

double copied_bytes_per_s(const Context& ctx) {
  // Larger than the last-level cache.
  constexpr Index count = Index{1} << 26;
  const Array<float> from = zeros<float>(ctx, {count});
  Array<float> to = zeros<float>(ctx, {count});
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  const auto work = [&] {
    if (on_host) {
      copy_by_threads(ctx, from.data(), to.data(), count);
    } else {
      copy<float>(ctx, from, to);
    }
  };
  const double ms = bench::time_work(ctx, bench::Effort::quick, work).median_ms;
  return 2 * static_cast<double>(count) * sizeof(float) * per_ms / ms;
}

}  // namespace

DeviceLimits device_limits(const Context& ctx) {
  double flops = 0;
  const auto work = [&] { flops = peak_work(ctx); };
  const double ms = bench::time_work(ctx, bench::Effort::quick, work).median_ms;
  return {copied_bytes_per_s(ctx), flops * per_ms / ms};
}

}  // namespace whorl::studies
