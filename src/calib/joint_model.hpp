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
/// with W of SmoothMaps. `linearize` sets the x at which all three are taken.
///
/// Shapes  x [unknown], images of the coils [coil, voxel]
/// Source  Uecker, Hohage, Block, Frahm, Magn Reson Med 60:674 (2008), equations 2 to 8; several sets: Holme et al., Sci
///         Rep 9:3034 (2019), equation 2
template <class Real>
class JointModel {
 public:
  using Complex = std::complex<Real>;

  JointModel(const Context& ctx, const Shape& image, Index coils, Index sets, const SmoothMapOptions& options);

  Index unknowns() const { return sets_ * (voxels_ + coils_ * modes_); }
  Index coils() const { return coils_; }
  Index voxels() const { return voxels_; }

  /// The parts of x: images [set, voxel], coefficients of a set [coil, mode].
  ArrayRef<Complex> images_of(ArrayRef<Complex> x) const;
  ArrayRef<Complex> coefficients_of(ArrayRef<Complex> x, Index set) const;

  void linearize(const Context& ctx, ArrayRef<const Complex> x);
  void value(const Context& ctx, ArrayRef<Complex> y) const;
  void derivative(const Context& ctx, ArrayRef<const Complex> dx, ArrayRef<Complex> y);
  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> dx);

  /// Where it was linearized: images [set, voxel] and maps [set, coil, voxel].
  const Array<Complex>& images() const { return images_; }
  const Array<Complex>& maps() const { return maps_; }

 private:
  ArrayRef<const Complex> images_in(ArrayRef<const Complex> x) const;
  ArrayRef<const Complex> coefficients_in(ArrayRef<const Complex> x) const;
  // y = sum_m images_m maps_mc, or added to y.
  void add_products(const Context& ctx, ArrayRef<const Complex> images, ArrayRef<const Complex> maps, bool add,
                    ArrayRef<Complex> y) const;

  Index coils_;
  Index sets_;
  Index voxels_;
  SmoothMaps<Real> smooth_;
  Index modes_;
  Array<Complex> images_;
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
                                    const SmoothMapOptions& options);

}  // namespace whorl
