// The scale of gridded images.
#pragma once

#include <complex>

#include "core/internal.hpp"
#include "whorl/op/linear_operator.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl::recon {

/// Weights of the samples of one trajectory when images are gridded.
struct GriddingWeights {
  Array<float> density;  ///< W: density weights [sample]
  Array<float> scale;    ///< V: density weights times exp(-|kappa|^2 / 9), kappa in cycles per field of view
  bool round = false;    ///< whether the field of view is (has_round_field_of_view)
};

/// The weights of a trajectory, which lies on the host: its density weights, with V and `round` computed from them.
WHORL_INTERNAL GriddingWeights gridding_weights(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                                                Array<float> density);

/// The factor that brings gridded images x = A^H W d into the unit of x in A x = d; density weights W leave it open.
///
///   s = 2 <d, V d> / <p, V d> - <p, V d> / <p, V p>,   p = A M x,
///
/// where M leaves out the corners of a field of view that is round: they alias. The samples
/// of the lowest frequencies, which V takes, lie densely in every scan, so that what is predicted of them is the object
/// and not its aliases: a fit to all samples counts the energy of streaks, and came out up to half as large for
/// undersampled scans. Let v be the variance of A^H W A over its mean for what the object has. Where weights are
/// uneven, the two quotients are 1 - v and 1 - 2 v of the true factor, so that their errors cancel to first order. Noise
/// changes s by its share of the energy of those samples.
///
/// Shapes  data [coil, sample], images [coil, (z,) y, x]
WHORL_INTERNAL double gridding_scale(const Context& ctx, const LinearOperator<float>& transform,
                                     const GriddingWeights& weights, ArrayRef<const std::complex<float>> data,
                                     ArrayRef<const std::complex<float>> images);

/// The products in s, added up coil by coil: whatever number of coils is added at a time, s has the same bits.
class GriddingScale {
 public:
  /// With the coils' transform, data and images.
  void add(const Context& ctx, const LinearOperator<float>& transform, const GriddingWeights& weights,
           ArrayRef<const std::complex<float>> data, ArrayRef<const std::complex<float>> images);
  double scale() const;

 private:
  double measured_ = 0;  // <d, V d>
  double crossed_ = 0;   // <p, V d>
  double fitted_ = 0;    // <p, V p>
};

}  // namespace whorl::recon
