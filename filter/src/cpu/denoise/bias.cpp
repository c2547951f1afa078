#include "filter/src/kernels/denoise/bias.hpp"
#include "whorl/core/integer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "filter/src/cpu/pieces.hpp"

namespace whorl::backend::cpu {

namespace {

// Partial sums of this many pixels are added in order, so that the result does not depend on the number of threads.
constexpr Index part = 4096;

template <class Add>
kernels::MaskedSum sum_of_parts(const Context& ctx, Index count, const Add& add) {
  std::vector<kernels::MaskedSum> parts(static_cast<std::size_t>(divide_up(count, part)));
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index at = 0; at < static_cast<Index>(parts.size()); ++at) {
    if (ctx.cancel_requested()) continue;
    kernels::MaskedSum sum;
    for (Index i = at * part; i < std::min(count, (at + 1) * part); ++i) add(i, sum);
    parts[static_cast<std::size_t>(at)] = sum;
  }
  kernels::MaskedSum all;
  for (const kernels::MaskedSum& sum : parts) {
    all.sum += sum.sum;
    all.count += sum.count;
  }
  return all;
}

void sum_pixels(const Context& ctx, Index count, const float* image, kernels::MaskedSum* sum) {
  *sum = sum_of_parts(ctx, count, [&](Index i, kernels::MaskedSum& to) {
    to.sum += image[i];
    to.count += 1;
  });
}

void bias_logs(const Context& ctx, Index count, const kernels::BiasMask& mask, const kernels::MaskedSum* image_sum,
               const float* image, float* logs, float* share) {
  const double mean = image_sum->mean();
  in_pieces(ctx, count, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const bool inside = mask.holds(image[i], mean);
      logs[i] = inside ? static_cast<float>(std::log(image[i] / (mean > 0 ? mean : 1))) : 0.0F;
      share[i] = inside ? 1.0F : 0.0F;
    }
  });
}

void bias_normalize(const Context& ctx, Index count, const kernels::BiasMask& mask, const kernels::MaskedSum* image_sum,
                    const float* image, const float* share, float* logs, kernels::MaskedSum* sum) {
  const double mean = image_sum->mean();
  *sum = sum_of_parts(ctx, count, [&](Index i, kernels::MaskedSum& to) {
    logs[i] /= share[i] > kernels::least_share ? share[i] : kernels::least_share;
    if (!mask.holds(image[i], mean)) return;
    to.sum += logs[i];
    to.count += 1;
  });
}

void bias_apply(const Context& ctx, Index count, bool field, const kernels::MaskedSum* log_sum, const float* logs,
                float* image) {
  const double mean = log_sum->mean();
  in_pieces(ctx, count, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const double here = std::exp(logs[i] - mean);
      image[i] = static_cast<float>(field ? here : image[i] / here);
    }
  });
}

}  // namespace

void register_bias() {
  kernels::bias_apply.set(DeviceKind::cpu, bias_apply);
  kernels::bias_logs.set(DeviceKind::cpu, bias_logs);
  kernels::bias_normalize.set(DeviceKind::cpu, bias_normalize);
  kernels::sum_pixels.set(DeviceKind::cpu, sum_pixels);
}

}  // namespace whorl::backend::cpu
