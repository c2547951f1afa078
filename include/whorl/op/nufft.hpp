// Nufft: the non-uniform fast Fourier transform, the encoding operator of non-Cartesian MRI.
#pragma once

#include <memory>

#include "whorl/op/linear_operator.hpp"
#include "whorl/op/window.hpp"

namespace whorl {

struct NufftOptions {
  double tolerance = 1e-4;  ///< relative l2 error against the exact transform
  double oversampling = 2;  ///< of the grid, 1.25 to 2: less memory against a wider window
  WindowKind window = WindowKind::kaiser_bessel;
};

template <class Real>
class NufftPlan;

/// Non-uniform FFT: Cartesian image -> samples along a k-space trajectory.
///
///   forward  y[c,j] = s * sum_r x[c,r] exp(-2*pi*i k_j . r)
///   adjoint  x[c,r] = s * sum_j y[c,j] exp(+2*pi*i k_j . r)
///
/// with r_d in {-floor(N_d/2), ..., ceil(N_d/2)-1} and s = 1/sqrt(prod N_d).
///
/// Shapes    domain [coil, z, y, x] ([coil, y, x] in 2D); range [coil, sample]
/// Units     k in cycles per pixel, |k| <= 0.5; r in pixels
/// Accuracy  relative l2 error against Dft <= options.tolerance (tested, test/reference/test_nufft.cpp)
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
  /// The same transform for another number of coils. The plan is shared.
  Nufft(const Nufft& other, Index coils);
  ~Nufft() override;

  const Window& window() const;
  /// Extents of the oversampled grid.
  const Shape& grid() const;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  std::shared_ptr<const NufftPlan<Real>> plan_;
};

/// Bytes that a plan holds, and that applying it takes on top, for `samples` samples.
struct NufftMemory {
  Index plan = 0;
  Index work = 0;
};
template <class Real>
NufftMemory nufft_memory(Index samples, const Shape& image_shape, Index coils, int threads,
                         const NufftOptions& options);

}  // namespace whorl
