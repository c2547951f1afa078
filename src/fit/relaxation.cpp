#include "whorl/fit/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fit/series_fit.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr int start_rates = 40;

void check_times(std::span<const double> times) {
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const bool finite = std::all_of(sorted.begin(), sorted.end(), [](double t) { return std::isfinite(t); });
  if (!finite || sorted.front() < 0 || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw ValueError("relaxation: expected times that are finite, 0 or more and all different");
  }
}

// Rates over the range of the times, each with exp(-R t).
std::vector<double> rates_of(std::span<const double> times) {
  const double last = *std::max_element(times.begin(), times.end());
  double first = last;
  for (const double t : times) first = t > 0 ? std::min(first, t) : first;
  std::vector<double> starts;
  for (int n = 0; n < start_rates; ++n) {
    const double rate = 0.2 / last * std::pow(25 * last / first, static_cast<double>(n) / (start_rates - 1));
    starts.push_back(rate);
    for (const double t : times) starts.push_back(std::exp(-rate * t));
  }
  return starts;
}

// The images in the order of their times: magnitudes of a recovery lose the sign of the first ones.
Array<float> sorted_series(const Context& ctx, ArrayRef<const float> series, std::vector<double>& times) {
  const Array<float> here = to_host(ctx, series);
  Array<float> sorted(ctx.host(), series.shape());
  std::vector<std::pair<double, Index>> order;
  for (const double t : times) order.emplace_back(t, static_cast<Index>(order.size()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    times[i] = order[i].first;
    copy<float>(here.slice(order[i].second), sorted.slice(static_cast<Index>(i)));
  }
  return sorted;
}

}  // namespace

RelaxationMaps fit_relaxation(const Context& ctx, ArrayRef<const float> series, std::span<const double> times,
                              RelaxationModel model, const FitOptions& options, const SeriesErrors& errors) {
  const bool decay = model == RelaxationModel::decay;
  const SeriesRange range = check_series(ctx, "relaxation", "times", series, static_cast<Index>(times.size()),
                                         decay ? 2 : 3, options, errors);
  check_times(times);
  SeriesFit fit{decay ? kernels::SignalModel::decay : kernels::SignalModel::recovery, {times.begin(), times.end()}};
  Array<float> sorted;
  Array<float> sorted_errors;
  SeriesErrors used_errors = errors;
  if (!decay) {
    fit.magnitudes = !range.has_negative;
    if (!std::is_sorted(times.begin(), times.end())) {
      if (errors && errors->shape() == series.shape()) {
        std::vector<double> same(times.begin(), times.end());
        sorted_errors = sorted_series(ctx, *errors, same);
        used_errors = sorted_errors.ref();
      }
      sorted = sorted_series(ctx, series, fit.settings);
    }
    fit.starts = rates_of(fit.settings);
  }
  const Shape image = series.shape().tail();
  const Context host = ctx.host();
  RelaxationMaps maps{
      zeros<float>(host, image), zeros<float>(host, image), zeros<float>(host, image), zeros<float>(host, image), {}};
  if (!decay) maps.inversion = zeros<float>(host, image);
  // Values that change by less than their rounding over all times do not determine a rate.
  const auto [earliest, latest] = std::minmax_element(times.begin(), times.end());
  const double least_rate = std::numeric_limits<float>::epsilon() / (*latest - *earliest);
  const FitCounts counts = fit_series(ctx, "relaxation", fit, sorted.size() > 0 ? sorted.ref() : series, range.largest,
                                      options, used_errors, [&](const FittedVoxels& voxels) {
                                        for_fitted(ctx, voxels, [&](Index v) {
                                          if (voxels.parameter(1, v) < least_rate) return;
                                          const Index r = voxels.first() + v;
                                          const double time = 1 / voxels.parameter(1, v);
                                          maps.time.data()[r] = static_cast<float>(time);
                                          maps.time_error.data()[r] =
                                              static_cast<float>(time * time * voxels.error(1, v));
                                          maps.amplitude.data()[r] = static_cast<float>(voxels.parameter(0, v));
                                          maps.amplitude_error.data()[r] = static_cast<float>(voxels.error(0, v));
                                          if (!decay) {
                                            maps.inversion.data()[r] = static_cast<float>(voxels.parameter(2, v));
                                          }
                                        });
                                      });
  maps.fitted =
      std::count_if(maps.time.data(), maps.time.data() + maps.time.size(), [](float time) { return time != 0; });
  maps.failed = counts.fitted + counts.failed - maps.fitted;
  return maps;
}

}  // namespace whorl
