// Window: the convolution window of gridding, its Fourier transform, its errors, and the choice of its width.
#pragma once

#include <optional>

#include "whorl/core/shape.hpp"

namespace WHORL_PUBLIC whorl {

enum class WindowKind { kaiser_bessel, gaussian };

/// The quantity that the tolerance of a NUFFT bounds. A is the exact transform, A~ the NUFFT. Both bounds hold for
/// every trajectory.
///
/// typical     Every row of A~, which gives one sample, satisfies ||a~_j - a_j|| <= tolerance ||a_j|| for any position
///             of sample j (Window::row_error). For images of random phases whose energy is spread evenly over the
///             field of view, the root mean square error of each sample is then at most the tolerance times its root
///             mean square. For data of random phases the root mean square error of the adjoint is at most the
///             tolerance times ||y||, the root mean square of ||A^H y||. For any image the error of a sample is at most
///             tolerance ||x||
/// guaranteed  ||A~ x - A x|| <= tolerance ||A|| ||x|| and ||A~^H y - A^H y|| <= tolerance ||A|| ||y|| for every image
///             and all data, in the spectral norm of A (Window::norm_error). Every entry of A~ is right to the
///             tolerance, so the energy of an image of random phases may lie anywhere. Windows are one or two cells
///             wider. In single precision fewer combinations of tolerance and oversampling are possible, because
///             rounding is amplified most at the edge of the field of view
enum class NufftAccuracy { typical, guaranteed };

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
  /// Fourier transform: the integral of value(t) cos(2 pi f t) over the truncated window, f in cycles per grid cell.
  double transform(double f) const;

  // Errors of the window: e(p, r) = sum_l value(t_l) exp(-2 pi i f t_l) / transform(f) - 1 for a sample at the position
  // p between grid points and the pixel r at f = r / (oversampling extent). This includes aliasing and truncation. It
  // is relative to an entry of the transform's matrix; all entries have the same modulus.

  /// Root mean square of e over positions and the pixels of an axis of `extent` pixels.
  double error(Index extent) const;
  /// Error of a row of the transform's matrix: the root mean square over the pixels of an image of the error of all
  /// axes together, for the worst position. An upper bound, at most a few percent too large. The error grows towards
  /// the edge of the field of view: in a corner it may be five times as large, or more.
  double row_error(const Shape& image) const;
  /// An upper bound of ||A~ - A|| / ||A|| for any trajectory: the norm of e as a Schur multiplier. For each axis, with
  /// e = sum_n u_n(p) v_n(r) and |u_n| <= 1, the bound is sqrt(sum_n m_n max_r sum_n |v_n(r)|^2 / m_n). It also bounds
  /// every |e| of the image, and is about twice the largest |e|.
  double norm_error(const Shape& image) const;

  /// Factor by which an axis of `extent` pixels amplifies rounding errors: 1/transform(f) times the Euclidean norm of
  /// the window's values. typical: root mean square over the pixels; guaranteed: at the edge of the field of view.
  /// Rounding errors on the grid are divided by the transform, which falls towards the edge. They grow with less
  /// oversampling and with wider windows.
  double amplification(Index extent, NufftAccuracy accuracy) const;

 private:
  WindowKind kind_;
  int width_;
  double oversampling_;
  double shape_;  // beta, or b
  double peak_;   // value at 0 before normalization
};

/// The rounding error of a non-uniform FFT of an image, without the window's own error: epsilon (4 + 1.75 a), where a
/// is the product of the amplifications of all axes. `epsilon` is the unit roundoff of the floating-point type. This is
/// a fit to measurements, while the window's own errors are bounds.
double rounding_floor(const Window& window, const Shape& image, double epsilon,
                      NufftAccuracy accuracy = NufftAccuracy::typical);

/// The requirements on the window of a NUFFT.
struct WindowGoal {
  WindowKind kind = WindowKind::kaiser_bessel;
  double tolerance = 1e-4;
  NufftAccuracy accuracy = NufftAccuracy::typical;
  double epsilon = 0;  ///< unit roundoff of the floating-point type
};

/// The narrowest window, of width `at_least` or more, whose error on the image's axes plus the rounding error is below
/// the tolerance; none if there is no such window. The width for a larger oversampling can serve as `at_least`. Throws
/// ValueError for a tolerance that is not between 0 and 1.
std::optional<Window> find_window(const WindowGoal& goal, double oversampling, const Shape& image, int at_least = 2);

/// The window of find_window. If there is none it throws ValueError, naming the smallest possible error and a remedy.
Window choose_window(const WindowGoal& goal, double oversampling, const Shape& image);

}  // namespace whorl
