// The images of the coils as a product of unknown image and unknown sensitivities, and the derivative of it.
#pragma once

#include <complex>

#include "calib/smooth_maps.hpp"
#include "whorl/core/array.hpp"

namespace whorl {

/// G(x) of x = (rho, a): sets of an image rho_m and coefficients a_mc of smooth maps, in one array, all images first.
///
///   value       G_c = sum_m rho_m W a_mc
///   derivative  DG dx = sum_m (drho_m W a_mc + rho_m W da_mc)
///   adjoint     drho_m = sum_c conj(W a_mc) y_c,  da_mc = W^H (conj(rho_m) y_c)
///
/// with W of SmoothMaps. `linearize` sets the x at which all three are taken, and `enter` the coils c, of which the maps are
/// made then: all of them, or some at a time, in their order.
///
/// Shapes  x [unknown], images of the coils [coil, voxel]
/// Source  Uecker, Hohage, Block, Frahm, Magn Reson Med 60:674 (2008), equations 2 to 8; several sets: Holme et al., Sci
///         Rep 9:3034 (2019), equation 2
template <class Real>
class JointModel {
 public:
  using Complex = std::complex<Real>;

  /// `at_once`: the most coils that are entered together.
  JointModel(const Context& ctx, const Shape& image, Index coils, Index sets, const SmoothMapOptions& options,
             Index at_once);

  Index unknowns() const { return sets_ * (voxels_ + coils_ * modes_); }
  Index coils() const { return coils_; }
  Index coils_at_once() const { return at_once_; }
  Index voxels() const { return voxels_; }

  /// The parts of x: images [set, voxel], coefficients of a set [coil, mode].
  ArrayRef<Complex> images_of(ArrayRef<Complex> x) const;
  ArrayRef<Complex> coefficients_of(ArrayRef<Complex> x, Index set) const;

  void linearize(const Context& ctx, ArrayRef<const Complex> x);
  void enter(const Context& ctx, Index first, Index end);
  /// y [coil, voxel] of the coils that were entered.
  void value(const Context& ctx, ArrayRef<Complex> y) const;
  void derivative(const Context& ctx, ArrayRef<const Complex> dx, ArrayRef<Complex> y);
  /// drho is added to that of the coils before.
  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> dx);

  /// Where it was linearized: images [set, voxel], and maps [coil, voxel] of the coils that were entered.
  ArrayRef<const Complex> images() const { return images_in(x_); }
  ArrayRef<const Complex> maps(Index set) const { return maps_.slice(set).range(0, end_ - first_); }

 private:
  ArrayRef<const Complex> images_in(ArrayRef<const Complex> x) const;
  // Where the coefficients of the coils entered begin.
  Index place_of(Index set) const { return sets_ * voxels_ + (set * coils_ + first_) * modes_; }
  // Maps or fields [set, coil, voxel] of the coils entered, from x.
  void make_fields(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> fields) const;
  // y = sum_m images_m maps_mc, or added to y.
  void add_products(const Context& ctx, ArrayRef<const Complex> images, ArrayRef<const Complex> maps, bool add,
                    ArrayRef<Complex> y) const;

  Index coils_;
  Index sets_;
  Index voxels_;
  SmoothMaps<Real> smooth_;
  Index modes_;
  Index at_once_;
  Index first_ = 0;  // coils entered; none: the end is the same
  Index end_ = 0;
  Array<Complex> x_;  // where it was linearized
  Array<Complex> maps_;
  Array<Complex> fields_;  // W da, or conj(rho) y
};

/// What a JointModel keeps, and what it needs besides while it is applied, in bytes.
struct JointModelMemory {
  Index kept = 0;
  Index scratch = 0;
  Index unknowns = 0;
};

template <class Real>
JointModelMemory joint_model_memory(const Context& ctx, const Shape& image, Index coils, Index sets,
                                    const SmoothMapOptions& options, Index at_once);

}  // namespace whorl
