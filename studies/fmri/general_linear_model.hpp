// The general linear model of a series of volumes, and its t-map.
#pragma once

#include <array>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::studies::fmri {

/// y = X b + noise in each voxel. Sums of products grow with each volume, so a map is there at any time.
///
/// Source  Friston et al., Hum Brain Mapp 2:189 (1994)
class GeneralLinearModel {
 public:
  /// Regressors besides the response: a constant, and a line and a parabola of time, for what drifts.
  static constexpr std::size_t regressors = 4;

  explicit GeneralLinearModel(Index voxels);

  /// `time`: from -1 at the first volume to 1 at the last.
  void add(const Context& ctx, double response, double time, ArrayRef<const float> volume);

  Index volumes() const { return volumes_; }

  struct Maps {
    Array<float> effect;    ///< b of the response
    Array<float> baseline;  ///< b of the constant
    Array<float> noise;     ///< standard deviation of the residuals
    Array<float> t;         ///< effect over its standard error; 0 where the volumes are
    Index degrees = 0;      ///< of freedom
  };
  /// Throws ValueError (too few volumes, a response that the other regressors explain)
  Maps maps(const Context& ctx) const;

 private:
  Index volumes_ = 0;
  std::array<std::array<double, regressors>, regressors> products_{};
  std::vector<std::array<double, regressors>> sums_;  // of regressors times values, for each voxel
  std::vector<double> squares_;                       // of values
};

}  // namespace whorl::studies::fmri
