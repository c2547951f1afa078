#include <algorithm>
#include <vector>

#include "backend/cpu/simd_targets.hpp"
#include "studies/peak_flops.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "studies/peak_flops_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whorl::studies::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// As many sums as hide the latency of a multiply-add, in registers. Returns the operations.
double multiply_add(Index rounds, float* result) {
  constexpr std::size_t sums = 12;
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> sum[sums];  // NOLINT(modernize-avoid-c-arrays): a vector is no member of std::array
  const auto factor = hn::Set(d, 0.5F);
  const auto addend = hn::Set(d, 1.0F);
  WHORL_UNROLL for (std::size_t i = 0; i < sums; ++i) sum[i] = hn::Set(d, static_cast<float>(i));
  for (Index round = 0; round < rounds; ++round) {
    WHORL_UNROLL for (auto& one : sum) one = hn::MulAdd(one, factor, addend);
  }
  auto total = sum[0];
  WHORL_UNROLL for (std::size_t i = 1; i < sums; ++i) total = hn::Add(total, sum[i]);
  *result = hn::GetLane(total);
  return 2.0 * static_cast<double>(rounds) * static_cast<double>(sums * hn::Lanes(d));
}

}  // namespace whorl::studies::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whorl::studies {

HWY_EXPORT(multiply_add);

double peak_work_on_host(const Context& ctx) {
  constexpr Index rounds = 2'000'000;
  std::vector<float> results(static_cast<std::size_t>(ctx.threads()));
  double flops = 0;
#pragma omp parallel for num_threads(ctx.threads()) reduction(+ : flops)
  for (int thread = 0; thread < ctx.threads(); ++thread) {
    flops += HWY_DYNAMIC_DISPATCH(multiply_add)(rounds, &results[static_cast<std::size_t>(thread)]);
  }
  return flops;
}

double peak_work(const Context& ctx) {
  return ctx.device().kind == DeviceKind::cpu ? peak_work_on_host(ctx) : peak_work_on_gpu(ctx);
}

void copy_by_threads(const Context& ctx, const float* from, float* to, Index count) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (int part = 0; part < ctx.threads(); ++part) {
    const Index first = count * part / ctx.threads();
    std::copy(from + first, from + count * (part + 1) / ctx.threads(), to + first);
  }
}

}  // namespace whorl::studies

#endif
