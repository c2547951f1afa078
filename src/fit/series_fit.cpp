#include "fit/series_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/core/progress.hpp"

namespace whorl {

namespace {

// As many as keep a GPU busy and a progress bar moving.
constexpr Index most_voxels = Index{1} << 17;

// Rows of `count` voxels from `first` on, of [row, voxel], on the context's device.
template <class T>
Array<T> columns(const Context& ctx, const T* from, Index rows, Index voxels, Index first, Index count) {
  Array<T> part(ctx.host(), {rows, count});
  for (Index row = 0; row < rows; ++row) std::copy_n(from + row * voxels + first, count, part.data() + row * count);
  return ctx.device() == part.device() ? std::move(part) : clone<T>(ctx, part);
}

}  // namespace

SeriesRange check_series(const Context& ctx, std::string_view what, std::string_view settings,
                         ArrayRef<const float> series, Index images, int parameters, const FitOptions& options,
                         const SeriesErrors& errors) {
  check_options(options);
  if (series.rank() < 3 || series.extent(0) != images) {
    throw ShapeError(fmt::format("{}: a series of shape {} for {} {}; expected [image, (z,) y, x]", what,
                                 to_string(series.shape()), images, settings));
  }
  if (errors && options.noise) {
    throw ValueError(fmt::format("{}: errors of the series and a noise; expected one of them", what));
  }
  if (errors && errors->shape() != series.shape() && errors->shape() != series.shape().tail()) {
    throw ShapeError(fmt::format("{}: errors of shape {} for a series of shape {}; expected that or {}", what,
                                 to_string(errors->shape()), to_string(series.shape()),
                                 to_string(series.shape().tail())));
  }
  const bool is_known = options.noise || errors;
  const int least = parameters + (is_known ? 0 : 1);
  if (images < least) {
    throw ValueError(fmt::format("{}: {} {}, expected {} or more: as many as parameters{}", what, images, settings,
                                 least, is_known ? "" : ", and one for the error, unless the noise is given"));
  }
  const Array<float> copy = series.device() == ctx.host().device() ? Array<float>() : to_host(ctx, series);
  const float* const values = copy.size() > 0 ? copy.data() : series.data();
  const Index count = series.size();
  float largest = 0;
  bool negative = false;
  Index wrong = count;
#pragma omp parallel for schedule(static) num_threads(ctx.threads()) reduction(max                              \
                                                                               : largest) reduction(||          \
                                                                                                    : negative) \
    reduction(min                                                                                               \
              : wrong)
  for (Index i = 0; i < count; ++i) {
    const float value = values[i];
    largest = std::max(largest, std::abs(value));
    negative = negative || value < 0;
    if (!std::isfinite(value)) wrong = std::min(wrong, i);
  }
  if (wrong < count) {
    throw ValueError(
        fmt::format("{}: value {} of the series is {}, expected finite numbers", what, wrong, values[wrong]));
  }
  return {static_cast<double>(largest), negative};
}

FitCounts fit_series(const Context& ctx, std::string_view what, const SeriesFit& fit, ArrayRef<const float> series,
                     double largest, const FitOptions& options, const SeriesErrors& errors,
                     const std::function<void(const FittedVoxels&)>& take) {
  const Index values = series.extent(0);
  const Index voxels = series.size() / values;
  const int parameters = kernels::parameters_of(fit.model);
  const Index pairs = Index{parameters} * (parameters + 1) / 2;
  const Context host = ctx.host();
  kernels::VoxelFit kernel{.model = fit.model,
                           .settings = values / kernels::rows_of(fit.model),
                           .magnitudes = fit.magnitudes,
                           .least = options.threshold * largest,
                           .variance = options.noise ? *options.noise * *options.noise : 0,
                           .iterations = options.iterations,
                           .starts = static_cast<Index>(fit.starts.size()) / (1 + values)};
  const auto on_device = [&](const std::vector<double>& from) {
    Array<double> here(ctx, {static_cast<Index>(from.size())});
    copy<double>(ctx, ArrayRef<const double>(from.data(), here.shape()), here);
    return here;
  };
  const Array<double> settings = on_device(fit.settings);
  const Array<double> starts = on_device(fit.starts);
  // What is on the context's device, all of it or batch by batch; voxels beside each other stay so.
  const bool in_place = series.device() == ctx.device() && (!errors || errors->device() == ctx.device());
  const bool at_once = in_place || voxels <= most_voxels;
  const OnDevice<float> all(ctx, at_once ? series : ArrayRef<const float>());
  const OnDevice<float> all_errors(ctx, at_once && errors ? *errors : ArrayRef<const float>());
  FitCounts counts;
  ProgressStage stage(ctx, what, voxels);
  for (Index first = 0; first < voxels; first += most_voxels) {
    const Index count = std::min(most_voxels, voxels - first);
    const Index error_rows = errors ? errors->size() / voxels : 0;
    Array<float> part;
    Array<float> part_errors;
    if (!at_once) {
      part = columns(ctx, series.data(), values, voxels, first, count);
      if (errors) part_errors = columns(ctx, errors->data(), error_rows, voxels, first, count);
    }
    kernel.voxels = count;
    kernel.step = at_once ? voxels : count;
    kernel.errors_step = error_rows > 1 ? kernel.step : 0;
    const float* const from = at_once ? all.get().data() + first : part.data();
    const float* const from_errors = !errors ? nullptr : at_once ? all_errors.get().data() + first : part_errors.data();
    Array<double> found(ctx, {parameters + pairs, count});
    if (fit.frequency != nullptr) {
      const Array<double> start = columns(ctx, fit.frequency, 2, voxels, first, count);
      copy<double>(ctx, start, found.range(parameters - 2, parameters));
    }
    Array<kernels::FitState> states(ctx, {count});
    kernels::fit_voxels(ctx, kernel, settings.data(), starts.data(), from, from_errors, found.data(),
                        found.data() + parameters * count, states.data());
    const Array<double> found_here = ctx.device() == host.device() ? std::move(found) : to_host<double>(ctx, found);
    const Array<kernels::FitState> states_here =
        ctx.device() == host.device() ? std::move(states) : to_host<kernels::FitState>(ctx, states);
    const FittedVoxels fitted(first, count, found_here.data(), found_here.data() + parameters * count,
                              states_here.data());
    for (Index v = 0; v < count; ++v) {
      counts.fitted += fitted.fitted(v) ? 1 : 0;
      counts.failed += fitted.failed(v) ? 1 : 0;
    }
    take(fitted);
    stage.advance(count);
  }
  return counts;
}

template <>
const OptionTable<FitOptions>& option_table<FitOptions>() {
  using Options = FitOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("fit")
          .real("threshold", &Options::threshold, OptionRange{0, 1}, "",
                "Leave out voxels below this part of the largest magnitude of the series")
          .real(
              "noise", &Options::noise, OptionRange::more_than(0), "",
              "Standard deviation of the noise of each value, for the error bars (default: from what each fit leaves)")
          .integer("iterations", &Options::iterations, OptionRange::at_least(1), "", "Iterations at most")
          .for_programs();
  return table;
}

}  // namespace whorl
