// PositionNufft: the fast transform between samples and arbitrary positions, the NUFFT of type 3.
#pragma once

#include <memory>

#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

/// Computes what PositionDft does, in the time of a spreading and a Nufft:
///
///   forward  y[c,j] = sum_v x[c,v] exp(-2*pi*i k_j . r_v)
///   adjoint  x[c,v] = sum_j y[c,j] exp(+2*pi*i k_j . r_v)
///
/// without a factor in front. The values are spread to a grid so fine that the samples lie in the inner part of its
/// spectrum. A Nufft takes the grid to the samples, and the samples are divided by the window's transform.
///
/// Shapes    points [sample, dim] and positions [position, dim], dim 1 to 3; domain [coil, position]; range [coil,
///           sample]
/// Units     k and r reciprocal to each other, such as cycles per pixel and pixels: k.r is in turns
/// Accuracy  against PositionDft. Typical: root mean square error of the samples <= options.tolerance * ||x|| for values
///           of random phases and samples and positions that are spread evenly over their ranges; of the adjoint the
///           same with ||y||. Guaranteed: |error of a sample| <= options.tolerance * ||x||_1, for all positions, samples
///           and values. Rounding limits both, as in Nufft; options.normal has no effect
/// Cost      the grid has 2 s times the turns that k.r spans along each axis, s = 1.25 to 2, and the window's width more
///           points; the Nufft oversamples it once more. Far positions and high frequencies so cost time and memory,
///           however few they are: PositionDft is for these
/// Memory    that of a Nufft of such an image, the grid of each coil in a batch, 16 (float) or 32 (double) bytes per
///           sample and per position
/// Throws    ShapeError (shape mismatch, nothing to transform), ValueError (a value that is not finite, unattainable
///           tolerance, a grid that does not fit into the context's memory)
/// Threads   as LinearOperator
/// Source    Lee and Greengard, J. Comput. Phys. 206 (2005) 1; the rescaling: Barnett, Magland, af Klinteberg, SIAM J.
///           Sci. Comput. 41 (2019) C479, section 3.3
template <class Real>
class PositionNufft final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  PositionNufft(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions, Index coils,
                const NufftOptions& options = {});
  PositionNufft(PositionNufft&&) noexcept;
  ~PositionNufft() override;

  /// Extents of the grid that the values are spread to.
  const Shape& grid() const;

 private:
  class Plan;
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  std::shared_ptr<const Plan> plan_;
};

}  // namespace whorl
