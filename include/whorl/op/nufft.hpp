// Nufft: the non-uniform fast Fourier transform, the encoding operator of non-Cartesian MRI.
#pragma once

#include <memory>

#include "whorl/op/linear_operator.hpp"
#include "whorl/op/window.hpp"

namespace whorl {

/// How A^H A is applied: adjoint after forward; as a convolution on the doubled grid (Toeplitz embedding); or by what a
/// model of the cost predicts to be faster. A convolution is planned when the transform is, at the cost of a few of its
/// applications.
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
/// Shapes    domain [coil, z, y, x] ([coil, y, x] in 2D); range [coil, sample]
/// Units     k in cycles per pixel, |k| <= 0.5; r in pixels
/// Accuracy  against Dft, wherever the samples lie (NufftAccuracy). Typical: root mean square error of every sample <=
///           options.tolerance * ||x|| / sqrt(prod N_d) for images of random phases with their energy spread over the
///           field of view, and of the adjoint <= options.tolerance * ||y|| for data of random phases. Guaranteed: l2
///           error <= options.tolerance * ||A|| * ||x||, or ||y||, for all of them. Held in 10,000 random cases
///           (test/reference/test_nufft_accuracy.cpp)
/// Memory    a few oversampled grids at a time, however many coils; 20 bytes a sample in 2D, 28 in 3D (float)
/// Throws    ShapeError (shape mismatch), ValueError (|k| > 0.5, non-finite k, unattainable tolerance)
/// Source    convolution interpolation: Jackson et al., IEEE TMI 10 (1991) 473; Fessler and Sutton, IEEE TSP 51 (2003)
///           560; width from the tolerance: Window::error
template <class Real>
class Nufft final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// Plans for points [sample, dim] and an image [y, x] or [z, y, x].
  Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
        const NufftOptions& options = {});
  /// With A^H A given (whorl/op/normal_spectrum.hpp): a convolution, whatever options.normal says. Throws ShapeError
  /// for one of another image.
  Nufft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
        const NufftOptions& options, const NormalSpectrum<Real>& normal);
  /// The same transform for another number of coils. The plan is shared.
  Nufft(const Nufft& other, Index coils);
  ~Nufft() override;

  const Window& window() const;
  /// Extents of the oversampled grid.
  const Shape& grid() const;
  /// How many coils have their grids in memory at a time.
  Index coils_at_once() const;

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  friend class SenseNufft<Real>;
  std::shared_ptr<const NufftPlan<Real>> plan_;
};

/// The options with the oversampling that they leave to a model of the cost chosen by that of the CPU, whatever the
/// context's device: with them, transforms on all devices differ by rounding alone, not by up to the tolerance. Whether
/// the normal operator is a convolution stays each device's choice, which makes a difference of less than the
/// tolerance.
template <class Real>
NufftOptions same_on_every_device(const Context& ctx, const Shape& image_shape, Index samples, NufftOptions options);

/// Bytes on the context's device for `samples` samples.
struct NufftMemory {
  Index plan = 0;      ///< that the plan holds
  Index work = 0;      ///< that forward and adjoint take on top
  Index normal = 0;    ///< that normal takes on top
  Index planning = 0;  ///< that making the plan takes on top, where it has a convolution
};
template <class Real>
NufftMemory nufft_memory(const Context& ctx, Index samples, const Shape& image_shape, Index coils,
                         const NufftOptions& options);

}  // namespace whorl
