// Kernel family: convolution interpolation between samples along a trajectory and a periodic grid.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "kernels/grid_layout.hpp"
#include "kernels/registry.hpp"
#include "whorl/core/array.hpp"

namespace whorl::kernels {

inline constexpr int max_window_width = 64;

/// A window as kernels evaluate it: one polynomial per cell. A sample lies z in [0, 1) after the point at distance
/// width/2 before it; with u = 2z - 1 the value at grid point l = 0 .. width-1 is sum_n coefficients[n][l] u^n.
struct WindowPolynomial {
  int width = 0;
  int degree = 0;
  std::vector<double> coefficients;  ///< [degree + 1][width]
};

/// The data of a plan: they depend only on the trajectory.
struct GriddingGeometry {
  ArrayRef<const double> points;  ///< [sample, dim] in cycles per grid point, x first, |k| <= 1/2
  GridLayout grid;                ///< index i of an axis holds k = i / extent, modulo 1
  WindowPolynomial window;
};

/// Both directions for one geometry. The grids of a batch follow one another in memory, and so do its samples.
template <class Real>
class GriddingPlan {
 public:
  virtual ~GriddingPlan() = default;
  /// grid_i = sum_j value_j window(i - position_j); what the grids held before is overwritten.
  virtual void spread(const Context& ctx, const std::complex<Real>* values, std::complex<Real>* grids,
                      Index batch) const = 0;
  /// value_j = sum_i grid_i window(i - position_j)
  virtual void interpolate(const Context& ctx, const std::complex<Real>* grids, std::complex<Real>* values,
                           Index batch) const = 0;
};

template <class Real>
inline Kernel<std::shared_ptr<const GriddingPlan<Real>>(const Context&, const GriddingGeometry&)> make_gridding_plan{
    "gridding"};

}  // namespace whorl::kernels
