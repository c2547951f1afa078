// Private: a smooth curve through points.
#pragma once

#include <vector>

namespace whorl::recon {

/// The natural cubic spline through points (t, y): twice continuously differentiable, straight at its ends. Its error
/// falls with the fourth power of the distance of the points, that of its slope with the third, away from the ends.
class CubicSpline {
 public:
  /// t rising, two points or more, as many y as t: the caller's promise.
  CubicSpline(std::vector<double> t, std::vector<double> y);

  double value(double t) const;
  double slope(double t) const;

 private:
  std::size_t interval(double t) const;

  std::vector<double> t_;
  std::vector<double> y_;
  std::vector<double> bend_;  // the second derivative at each point
};

}  // namespace whorl::recon
