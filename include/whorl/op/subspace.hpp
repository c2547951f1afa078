// Subspace: a transform of images that change along a few known courses in time.
#pragma once

#include <memory>

#include "whorl/op/normal_spectrum.hpp"
#include "whorl/op/operator.hpp"

namespace WHORL_PUBLIC whorl {

template <class Real>
class SubspaceSpectra;

/// Images x_k of coefficients, whose signal at sample j is sum_k b_k[j] x_k, through a transform F of all samples:
///
///   forward  y[c,j] = sum_k b_k[j] (F x_k)[c,j]
///   adjoint  x_k = F^H (conj(b_k) y)
///
/// The samples are those of all frames, one after another; b_k[j] is the value of basis vector k in the frame of sample j.
///
/// Shapes  domain [component, F.domain()...], range F.range(); courses [component, sample]
/// Cost    that of F, times the components; the normal operator by spectra (SubspaceSpectra) does not depend on the number
///         of samples
/// Throws  ShapeError (courses that do not fit F)
/// Threads as LinearOperator
/// Source  Liang, "Spatiotemporal imaging with partially separable functions", ISBI 2007, p. 988; Tamir et al., "T2
///         shuffling", Magn Reson Med 77:180 (2017)
template <class Real>
class Subspace final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  Subspace(Operator<Real> transform, Array<Complex> courses);
  /// For a transform F S with coil maps S [coil, (z,) y, x] and the spectra of F: the normal operator is a convolution.
  Subspace(Operator<Real> transform, Array<Complex> courses, Array<Complex> maps,
           std::shared_ptr<const SubspaceSpectra<Real>> spectra);

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Operator<Real> transform_;
  Array<Complex> courses_;
  Array<Complex> maps_;
  std::shared_ptr<const SubspaceSpectra<Real>> spectra_;  // none: adjoint after forward
};

/// The normal operator of a Subspace of F = Nufft or Dft as a convolution:
///
///   z_k = sum_l T_kl x_l,   T_kl = F^H diag(conj(b_k) b_l) F.
///
/// Each T_kl is a convolution, as F^H F is (NormalSpectrum). Because T_lk is the adjoint of T_kl, only the spectra with
/// k <= l are kept, K (K + 1) / 2 of them. They are real where all courses are.
///
/// Source  Tamir et al., Magn Reson Med 77:180 (2017); Wajer and Pruessmann, ISMRM 2001, p. 767
template <class Real>
class SubspaceSpectra {
 public:
  using Complex = std::complex<Real>;

  /// Computes the spectra by adjoint NUFFTs of conj(b_k) b_l, one after another, or by exact sums.
  ///
  /// Shapes    points [sample, dim], courses [component, sample], image [(z,) y, x]
  /// Accuracy  that of a pair of transforms with the options' tolerance; exact sums: relative error of the normal operator
  ///           below 1e-12 (double) or 1e-5 (float) (test/unit/op/test_subspace.cpp)
  /// Throws    as Nufft; ShapeError (courses that do not fit the points), Unsupported (more than 32 components)
  SubspaceSpectra(const Context& ctx, ArrayRef<const double> points, ArrayRef<const Complex> courses,
                  const Shape& image, const NufftOptions& options, bool exact = false);
  SubspaceSpectra(const SubspaceSpectra&) = delete;
  SubspaceSpectra& operator=(const SubspaceSpectra&) = delete;
  ~SubspaceSpectra();

  Index components() const;
  const Shape& image() const;
  /// Whether the spectra are real.
  bool real() const;

  /// z = sum over coils of conj(map) T (map x), for x and z [component, (z,) y, x] and maps [coil, (z,) y, x].
  void apply(const Context& ctx, ArrayRef<const Complex> maps, ArrayRef<const Complex> x, ArrayRef<Complex> z) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

/// Bytes of spectra on the context's device: plan (kept), normal (more while they are applied), planning (more while they
/// are made), for so many samples and coils.
template <class Real>
WHORL_PUBLIC NufftMemory subspace_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image,
                                         Index components, Index coils, bool real, const NufftOptions& options);

}  // namespace whorl
