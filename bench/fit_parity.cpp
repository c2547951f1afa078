#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/parity.hpp"
#include "bench/timing.hpp"
#include "whorl/core/random.hpp"
#include "whorl/fit/relaxation.hpp"

namespace whorl::bench {

namespace {

// Echoes of a T2* of 10 to 60 ms, and 1 % of noise.
Array<float> decaying_series(const Context& host, const std::vector<double>& times, Index extent) {
  Array<float> series(host, {static_cast<Index>(times.size()), extent, extent});
  const Index voxels = extent * extent;
  for (Index i = 0; i < series.size(); ++i) {
    const double time = 10 + 50 * static_cast<double>(i % voxels) / static_cast<double>(voxels);
    series.data()[i] = static_cast<float>(std::exp(-times[static_cast<std::size_t>(i / voxels)] / time) +
                                          0.01 * random_normal(3, static_cast<std::uint64_t>(i)));
  }
  return series;
}

// Both fit in double and round to float, 6e-8 on each side; the fits end with a step below 1e-8 of the signal. 4 for the
// exponentials, which differ in the last place.
constexpr double fit_tolerance = 4 * 1.2e-7;

// From the series on the host to the maps on the host, as `whorl map` does.
Parity check_decay(const Context& ctx, Index extent, int echoes) {
  std::vector<double> times;
  for (int n = 1; n <= echoes; ++n) times.push_back(1.5 * n);
  const Array<float> series = decaying_series(ctx.host(), times, extent);
  const RelaxationMaps expected = fit_relaxation(ctx.host(), series, times, RelaxationModel::decay);
  RelaxationMaps found;
  Parity parity;
  parity.median_ms = time_work(ctx, Effort::quick, [&] {
                       found = fit_relaxation(ctx, series, times, RelaxationModel::decay);
                     }).median_ms;
  double square = 0;
  double total = 0;
  for (Index v = 0; v < expected.time.size(); ++v) {
    square += std::pow(static_cast<double>(found.time.data()[v] - expected.time.data()[v]), 2);
    total += std::pow(static_cast<double>(expected.time.data()[v]), 2);
  }
  parity.error = std::sqrt(square / total);
  parity.allowed = fit_tolerance;
  return parity;
}

}  // namespace

std::vector<KernelCheck> fit_checks() {
  std::vector<KernelCheck> checks;
  for (const auto& [extent, echoes] : {std::pair<Index, int>{37, 6}, {256, 32}}) {
    checks.push_back(
        {fmt::format("fit/t2star/{0}x{0}x{1}", extent, echoes),
         [extent = extent, echoes = echoes](const Context& ctx) { return check_decay(ctx, extent, echoes); }});
  }
  return checks;
}

}  // namespace whorl::bench
