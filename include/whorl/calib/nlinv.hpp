// NLINV and ENLIVE: an image and the coil maps that it was received with, from the same data.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

namespace detail {
template <class Real>
struct NlinvTiles;
}  // namespace detail

struct NlinvOptions {
  Index sets = 1;        ///< of an image and maps; above 1: ENLIVE
  int steps = 7;         ///< of the Gauss-Newton method, at most
  double alpha = 1;      ///< weight of the penalty in the first step
  double reduction = 2;  ///< the weight of a step is that of the step before over this, until it is that of the noise
  double smoothness =
      220;  ///< of the maps: their Fourier coefficients have the weight (1 + smoothness |k|^2)^(-order/2),
            ///< with k in cycles per pixel
  double order = 32;
  double period = 1.25;    ///< of the maps, in extents of the image
  int iterations = 100;    ///< of conjugate gradient in a step, at most
  double tolerance = 0.1;  ///< conjugate gradient stops at this relative residual
  double damping = 0.9;    ///< a later frame is pulled towards the frame before times this; 0: frames are independent
};

/// One step of Gauss-Newton.
struct NlinvStep {
  double alpha = 0;
  double misfit = 0;   ///< |P G(x) - y| / |y| before the step
  int iterations = 0;  ///< of conjugate gradient
};

struct NlinvReport {
  std::vector<NlinvStep> steps;
  double misfit = 0;  ///< after the last step
};

/// Solves y_c = P sum_m rho_m c_mc for images rho_m and smooth coil maps c_mc together, with one or several sets m, by the
/// iteratively regularized Gauss-Newton method:
///
///   x = (rho, a),  c = W a,  G(x)_c = sum_m rho_m c_mc
///   (DG^H P^H P DG + alpha_n) dx = DG^H P^H (y - P G(x)) + alpha_n (x_ref - x),   x <- x + dx,   alpha_n = alpha / q^n
///
/// W is the inverse Fourier transform after the weights (1 + s |k|^2)^(-l/2), so that |a| is a Sobolev norm of the maps: they
/// are smooth, and need no calibration region. P enters the equations only by its normal operator, which costs one
/// convolution per coil with NormalMethod::toeplitz. Each step is solved by conjugate gradient.
/// The first frame starts from (1, 0), which is x_ref of its first step too; then x_ref is 0. A later one starts from the
/// frame before, and x_ref is that times `damping`; with 0 it starts as the first one. Coefficients of several sets are
/// made orthogonal after each step (Gram-Schmidt), or they would stay alike. With one set alpha_n falls no further than to
/// that of the noise, by what the data are left with; steps that then change the misfit by less than 2.5 % are the last.
///
/// Unit      alpha is for P scaled to a mean eigenvalue of P^H P of 1 (as many samples as voxels), and for data scaled such
///           that the images of the coils have |x|^2 = 0.4^2 per voxel, by one step of steepest descent from 0. So one alpha
///           means the same for any receiver gain, number of samples and matrix. The first frame decides the scale of all
/// Shapes    data [coil, sample], image [(z,) y, x], maps [set, coil, (z,) y, x]
/// Progress  the stage "nlinv", one step per step of Gauss-Newton
/// Throws    ShapeError (a transform of other images, data that do not fit it), ValueError (options out of range, data that
///           are all zero or not finite), Cancelled
/// Source    Uecker, Hohage, Block, Frahm, Magn Reson Med 60:674 (2008); series: Uecker, Zhang, Frahm, Magn Reson Med 63:1456
///           (2010); sets: Holme, Rosenzweig, Ong, Wilke, Lustig, Uecker, Sci Rep 9:3034 (2019)
template <class Real>
class Nlinv {
 public:
  using Complex = std::complex<Real>;

  Nlinv(const Context& ctx, const Shape& image, Index coils, const NlinvOptions& options = {});
  Nlinv(Nlinv&&) noexcept;
  ~Nlinv();

  /// The next frame. `transform` takes images of the coils [coil, (z,) y, x] to data, as Nufft and Dft do.
  NlinvReport solve(const Context& ctx, const LinearOperator<Real>& transform, ArrayRef<const Complex> data);

  /// Image of the last frame, in the unit of the data: rho |c| for one set, and the root of the sum of squares over the coils of
  /// sum_m rho_m c_mc for several.
  Array<Complex> image(const Context& ctx) const;
  /// rho_m |c_m| of each set: [set, (z,) y, x].
  Array<Complex> set_images(const Context& ctx) const;
  /// Coil maps with sum_c |c_mc|^2 = 1 in each set.
  Array<Complex> maps(const Context& ctx) const;

 private:
  class Solver;
  friend struct detail::NlinvTiles<Real>;
  explicit Nlinv(std::unique_ptr<Solver> solver);

  std::unique_ptr<Solver> solver_;
};

}  // namespace whorl
