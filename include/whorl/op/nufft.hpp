// Nufft: the non-uniform fast Fourier transform, the encoding operator of non-Cartesian MRI.
#pragma once

#include <memory>

#include "whorl/op/linear_operator.hpp"
#include "whorl/op/window.hpp"

namespace WHORL_PUBLIC whorl {

/// Way in which A^H A is applied. pair: forward, then adjoint. toeplitz: a convolution on the doubled grid (Toeplitz embedding).
/// automatic: the one that a cost model predicts to be faster. The convolution is planned together with the transform,
/// at the cost of a few of its applications.
enum class NormalMethod { pair, toeplitz, automatic };

struct NufftOptions {
  double tolerance = 1e-4;  ///< relative error against the exact transform, in the sense of `accuracy`
  double oversampling =
      0;  ///< of the grid, 1.25 to 2; 0: the one for which a model of the cost predicts the least time
  WindowKind window = WindowKind::kaiser_bessel;
  NormalMethod normal = NormalMethod::pair;
  NufftAccuracy accuracy = NufftAccuracy::typical;
};

template <class Real>
class NufftPlan;
template <class Real>
class SenseNufft;
template <class Real>
struct NormalSpectrum;

/// Non-uniform FFT: Cartesian image -> samples along a k-space trajectory.
///
///   forward  y[c,j] = s * sum_r x[c,r] exp(-2*pi*i k_j . r)
///   adjoint  x[c,r] = s * sum_j y[c,j] exp(+2*pi*i k_j . r)
///
/// with r_d in {-floor(N_d/2), ..., ceil(N_d/2)-1} and s = 1/sqrt(prod N_d).
///
/// Shapes    domain [coil, z, y, x] ([coil, y, x] in 2D, [coil, x] in 1D); range [coil, sample]
/// Units     k in cycles per pixel, |k| <= 0.5; r in pixels
/// Accuracy  against Dft, for any sample positions (NufftAccuracy). Typical: root mean square error of every sample <=
///           options.tolerance * ||x|| / sqrt(prod N_d) for images of random phases with their energy spread over the
///           field of view; root mean square error of the adjoint <= options.tolerance * ||y|| for data of random
///           phases. Guaranteed: l2 error <= options.tolerance * ||A|| * ||x||, or ||y||, for all images and data.
///           Tested in 10,000 random cases (test/reference/test_nufft_accuracy.cpp)
/// Memory    a few oversampled grids, for any number of coils; 20 bytes per sample in 2D, 28 in 3D (float)
/// Throws    ShapeError (shape mismatch), ValueError (|k| > 0.5, non-finite k, unattainable tolerance), Unsupported (toeplitz in 1D)
/// Threads    as LinearOperator
/// Source    convolution interpolation: Jackson et al., IEEE TMI 10 (1991) 473; Fessler and Sutton, IEEE TSP 51 (2003)
///           560; width from the tolerance: Window::error
template <class Real>
class Nufft final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// Plans for points [sample, dim] and an image [x], [y, x] or [z, y, x].
  Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
        const NufftOptions& options = {});
  /// A transform with a given A^H A (whorl/op/normal_spectrum.hpp), applied as a convolution for any options.normal. Throws
  /// ShapeError if it is for another image shape.
  Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
        const NufftOptions& options, const NormalSpectrum<Real>& normal);
  /// The transform for another number of coils. The plan is shared.
  Nufft(const Nufft& other, Index coils);
  Nufft(Nufft&&) noexcept;
  ~Nufft() override;

  const Window& window() const;
  /// Extents of the oversampled grid.
  const Shape& grid() const;
  /// Number of coils whose grids are in memory at the same time.
  Index coils_at_once() const;

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  friend class SenseNufft<Real>;
  std::shared_ptr<const NufftPlan<Real>> plan_;
};

/// The options with a fixed oversampling: an oversampling of 0 becomes the one that the CPU's cost model chooses. With
/// these options the transforms of all devices differ only by rounding, not by up to the tolerance. Each device still
/// chooses whether the normal operator is a convolution, which changes results by less than the tolerance.
template <class Real>
WHORL_PUBLIC NufftOptions same_on_every_device(const Context& ctx, const Shape& image_shape, Index samples,
                                               NufftOptions options);

/// Bytes on the context's device.
struct NufftMemory {
  Index plan = 0;      ///< held by the plan
  Index forward = 0;   ///< in addition during forward
  Index adjoint = 0;   ///< in addition during adjoint
  Index normal = 0;    ///< in addition during normal
  Index planning = 0;  ///< in addition during planning
};

/// The memory of a Nufft of these points [sample, dim], which may lie on the host or on the context's device. On a GPU it
/// depends on where the samples crowd; one pass over the points counts them as the plan will.
template <class Real>
WHORL_PUBLIC NufftMemory nufft_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                      Index coils, const NufftOptions& options);

}  // namespace whorl
