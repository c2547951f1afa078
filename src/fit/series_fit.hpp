// Fits of all voxels of a series, on the context's device, batch by batch.
#pragma once

#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "core/parallel.hpp"
#include "kernels/fit/voxel_fit.hpp"
#include "whorl/core/array.hpp"
#include "whorl/fit/fit_options.hpp"

namespace whorl {

struct SeriesRange {
  double largest = 0;         ///< magnitude
  bool has_negative = false;  ///< a value is below 0
};

/// Throws ShapeError (not [image, (z,) y, x] with this many images; errors of another shape), ValueError (too few images
/// for `parameters`, values that are not finite, errors beside a given noise, options out of range). `what` and `settings`
/// name the operation and what an image has one of: "times".
SeriesRange check_series(const Context& ctx, std::string_view what, std::string_view settings,
                         ArrayRef<const float> series, Index images, int parameters, const FitOptions& options,
                         const SeriesErrors& errors);

/// What the fit found in voxels first ... first + count - 1.
class FittedVoxels {
 public:
  FittedVoxels(Index first, Index count, const double* parameters, const double* covariance,
               const kernels::FitState* states)
      : first_(first), count_(count), parameters_(parameters), covariance_(covariance), states_(states) {}

  Index first() const { return first_; }
  Index count() const { return count_; }
  /// v counts from `first`.
  bool fitted(Index v) const { return states_[v] == kernels::FitState::fitted; }
  bool failed(Index v) const { return states_[v] == kernels::FitState::failed; }
  double parameter(int k, Index v) const { return parameters_[k * count_ + v]; }
  double covariance(int k, int l, Index v) const {
    const int pair = k > l ? k * (k + 1) / 2 + l : l * (l + 1) / 2 + k;
    return covariance_[pair * count_ + v];
  }
  double error(int k, Index v) const { return std::sqrt(covariance(k, k, v)); }

 private:
  Index first_;
  Index count_;
  const double* parameters_;
  const double* covariance_;
  const kernels::FitState* states_;
};

struct SeriesFit {
  kernels::SignalModel model;
  std::vector<double> settings;       ///< rows of columns_of(model)
  std::vector<double> starts{};       ///< of recovery, as kernels::fit_voxels takes them
  bool magnitudes = false;            ///< of recovery
  const double* frequency = nullptr;  ///< of water_fat: f and R of each voxel to start from, [2, voxel]
};

struct FitCounts {
  Index fitted = 0;
  Index failed = 0;
};

/// Series [value, voxel...], on the host or the context's device. `take` is called in the calling thread, in the order of
/// the voxels. A progress stage `what`, a step per voxel; Cancelled.
FitCounts fit_series(const Context& ctx, std::string_view what, const SeriesFit& fit, ArrayRef<const float> series,
                     double largest, const FitOptions& options, const SeriesErrors& errors,
                     const std::function<void(const FittedVoxels&)>& take);

/// work(v) for the voxels of a batch that have been fitted, in parallel.
template <class Work>
void for_fitted(const Context& ctx, const FittedVoxels& voxels, const Work& work) {
  detail::RegionFailure failure;
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index v = 0; v < voxels.count(); ++v) {
    if (voxels.fitted(v)) failure.run(v, [&] { work(v); });
  }
  failure.rethrow();
}

}  // namespace whorl
