// The whole transform: gridding, inverse FFT, deapodization.
#pragma once

#include <functional>
#include <memory>

#include "studies/gridding_2d/trial.hpp"
#include "studies/results.hpp"
#include "whorl/math/fft.hpp"

namespace whorl::studies::gridding_2d {

/// From samples to an image of half the grid's extents, [y, x], equal to the adjoint of whorl's transforms.
class Imaging {
 public:
  /// The grid is deapodized by the Fourier transform of exp(-t^2 / b) along each axis.
  Imaging(const Context& ctx, Extents grid, double b);
  /// The grid is deapodized by any window's transform.
  Imaging(const Context& ctx, Extents grid, const std::function<double(double)>& transform);

  /// Makes the image of a grid that a step has written; ends the grid's life.
  void run(ArrayRef<float> grid, Layout layout);
  const Array<std::complex<float>>& image() const { return image_; }

 private:
  Context ctx_;
  std::shared_ptr<const FftPlan<float>> fft_;
  Array<std::complex<float>> joined_;
  Array<float> rows_;
  Array<float> columns_;
  Array<std::complex<float>> image_;
};

/// The exact transform in double precision, [y, x] on the host.
Array<std::complex<double>> exact_image(const Context& ctx, const Scan& scan);

/// Windows, tables and the library's transform on each scan: times, and errors against the exact transform.
Table images_table(const Context& ctx, std::span<const Scan> scans);

}  // namespace whorl::studies::gridding_2d
