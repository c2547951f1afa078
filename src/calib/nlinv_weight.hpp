// The weight of NLINV's penalty from step to step.
#pragma once

#include <algorithm>

#include "whorl/calib/nlinv.hpp"

namespace whorl::detail {

/// Falls by `reduction` from step to step until it is that of the noise. Further steps would fit noise alone.
///
/// In least squares with noise of variance v and an image of mean square s, v / s is the weight with the least error where
/// all Fourier coefficients of the image have that size. Those which noise hides are of a tenth of it or so: most of an
/// image's energy lies at low frequencies, which every scan determines. v is taken from what the data are left with, the
/// errors of the model included, so that it need not be known: it is what two more steps would leave if each gained as
/// much as the last one. Where there is no noise each step gains, and the weight falls on.
class NlinvWeight {
 public:
  explicit NlinvWeight(const NlinvOptions& options)
      : may_hold_(options.sets == 1), first_(options.alpha), reduction_(options.reduction), value_(options.alpha) {}

  /// Enters the next step, with the mean square of the residual before it and that of the image. False: the weight is
  /// that of the noise already, and the last step has changed next to nothing.
  bool enter(double left, double image) {
    if (before_ > 0) {
      if (is_held_ && left >= settled * before_) return false;
      const double gain = std::min(left / before_, 1.0);
      const double noise = left * gain * gain;
      const double least = image > 0 ? noise / (detail_part * image) : value_;
      const double lower = value_ / reduction_;
      is_held_ = may_hold_ && value_ <= first_ * held_from && least > lower;
      value_ = is_held_ ? std::min(value_, least) : lower;
    }
    before_ = left;
    return true;
  }

  double value() const { return value_; }

 private:
  static constexpr double detail_part = 0.09;
  static constexpr double held_from = 0.25;  // the first weights lead to the solution, whatever the noise
  static constexpr double settled = 0.95;

  bool may_hold_;  // sets that have not parted yet leave more than noise
  double first_;
  double reduction_;
  double value_;
  double before_ = 0;  // mean square of the residual before the last step; 0: no step yet
  bool is_held_ = false;
};

}  // namespace whorl::detail
