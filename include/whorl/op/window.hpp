// Window: the function that gridding convolves with, its Fourier transform, and how wide it must be.
#pragma once

#include <optional>

#include "whorl/core/shape.hpp"

namespace whorl {

enum class WindowKind { kaiser_bessel, gaussian };

/// A window of `width` grid cells, symmetric, with value(0) = 1 and value(t) = 0 for |t| > width/2.
///
/// kaiser_bessel  I0(beta sqrt(1 - (2t/w)^2)) / I0(beta),  beta = pi sqrt((w/s)^2 (s - 1/2)^2 - 0.8)
///                for oversampling s: Beatty, Nishimura, Pauly, IEEE TMI 24 (2005) 799, eq. 5
/// gaussian       exp(-t^2/b),  b = w s / ((2 s - 1) pi): Dutt and Rokhlin's window with the variance at which aliasing
///                and truncation balance, Steidl, Adv. Comput. Math. 9 (1998) 337
class Window {
 public:
  /// Throws ValueError unless 2 <= width <= max_width and 1.25 <= oversampling <= 2.
  Window(WindowKind kind, int width, double oversampling);

  static constexpr int max_width = 64;

  WindowKind kind() const { return kind_; }
  int width() const { return width_; }
  double oversampling() const { return oversampling_; }

  /// Value at t grid cells from the center.
  double value(double t) const;
  /// Fourier transform: the integral of value(t) cos(2 pi f t), f in cycles per grid cell, of the window as it is, cut
  /// at its edge.
  double transform(double f) const;

  /// Error that the window makes on one axis: root mean square over the places of a sample between grid points and over
  /// the pixels of an axis of `extent` pixels (|f| <= 1/(2 oversampling)), relative to each pixel. It holds aliasing
  /// and truncation, and is found from the definition: |sum_l value(t_l) exp(-2 pi i f t_l) / transform(f) - 1|. It is
  /// the relative l2 error of a transform when the image's energy is spread over the field of view. The error grows
  /// towards the edge: a pixel there may have four times as much, one in the middle has far less.
  double error(Index extent) const;

  /// Factor by which an axis amplifies rounding errors: the root mean square over the field of view of 1/transform(f)
  /// times the Euclidean norm of the window's values. Rounding on the grid is divided by a transform that falls off
  /// towards the edge of the field of view; the smaller the oversampling and the wider the window, the more.
  double amplification() const;

 private:
  WindowKind kind_;
  int width_;
  double oversampling_;
  double shape_;  // beta, or b
  double peak_;   // value at 0 before normalization
};

/// The error that rounding leaves in a non-uniform FFT of `dim` axes, whatever the window's own error:
/// epsilon (4 + 1.5 amplification^dim). `epsilon` is the unit roundoff of the floating-point type.
double rounding_floor(const Window& window, int dim, double epsilon);

/// The narrowest window of a kind whose error on an image's axes, with the rounding floor, stays below the tolerance,
/// or none. Throws ValueError for a tolerance that is not between 0 and 1.
std::optional<Window> find_window(WindowKind kind, double oversampling, double tolerance, const Shape& image,
                                  double epsilon);

/// The same. Throws ValueError when there is none, naming the error that is within reach and the way out.
Window choose_window(WindowKind kind, double oversampling, double tolerance, const Shape& image, double epsilon);

}  // namespace whorl
