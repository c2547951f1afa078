// Products of all pairs of echoes, summed over the coils.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

/// p_ij(r) = sum_c conj(s_ic(r)) s_jc(r) for echoes i before j in time. A field f gives it the phase -2 pi f (t_j - t_i).
class EchoPairs {
 public:
  /// echoes [echo, coil, image...] on the host, times in seconds, all different
  EchoPairs(const Context& ctx, ArrayRef<const std::complex<float>> echoes, std::span<const double> times);

  double shortest() const { return spacings_.front(); }
  double longest() const { return spacings_.back(); }
  /// Root of the sum of squares over echoes and coils.
  const std::vector<double>& magnitude() const { return magnitude_; }
  /// The sum of the products whose spacing is the shortest.
  std::vector<std::complex<double>> products_of_shortest() const;

  /// Slope and curvature of a voxel's sum over pairs of at most this spacing of |p| (1 - cos u), u = angle p + 2 pi f
  /// spacing: the derivative, and |p| (2 pi spacing)^2 sin(u) / u, the curvature of a quadratic function that is nowhere
  /// below it and touches it at f.
  struct Slope {
    double first = 0;
    double curvature = 0;
  };
  Slope slope(Index voxel, double f, double longest) const;

  /// The mean of cos u of some voxels over all pairs, weighted by |p|, with `more` added to the field.
  double agreement(std::span<const Index> voxels, std::span<const double> field, double more) const;

  /// The standard deviation of f from a voxel's own values, for noise of 1 in their real and imaginary parts.
  double spread(Index voxel) const;

 private:
  std::size_t at(Index voxel, std::size_t pair) const {
    return static_cast<std::size_t>(voxel) * spacings_.size() + pair;
  }

  std::vector<double> times_;                  // rising
  std::vector<double> spacings_;               // of the pairs, rising
  std::vector<std::complex<float>> products_;  // [voxel, pair]
  std::vector<float> energies_;                // [voxel, echo]
  std::vector<double> magnitude_;              // [voxel]
};

}  // namespace whorl
